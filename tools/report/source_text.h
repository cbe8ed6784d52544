/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_SOURCE_TEXT_H
#define PROFIL_SOURCE_TEXT_H

#include <stdio.h>

#include "symbol/symbols.h"
#include "util/terminal.h"

struct source_text;

/**
 * source_text_new - prepare to read lines of sources
 * @root:    root directory for their paths; NULL: /
 * @result:  its code was compiled from them
 * @symbols: its symbols, which know what was compiled; both must outlive the sources
 *
 * Return: to be given to source_text_free(); NULL: no memory.
 */
struct source_text *source_text_new(const char *root, const struct result *result,
				    struct symbols *symbols);

/*
 * Find a line of a file, which is read once. Equal paths have equal addresses. Only regular files
 * are opened, because the path is from debug information. Return: the line; NULL: the file cannot
 * be read, or has no such line.
 */
const char *source_text_line(struct source_text *sources, const char *path, int line);

/* Why a file cannot be read. Return: NULL: it can. */
const char *source_text_problem(struct source_text *sources, const char *path);

/**
 * source_text_doubt - whether a file may be another one than the source that was compiled
 * @object:  index of an object of the result with code that the file was compiled to
 * @address: of some of this code
 *
 * A checksum decides, if the object has it. Else, what is below a root was put there on purpose,
 * perhaps with a new time.
 *
 * Return: the reason; NULL: there is none, or the file cannot be read.
 */
const char *source_text_doubt(struct source_text *sources, const char *path, size_t object,
			      uint64_t address);

/* The same, once for a file: the next time there is no reason. */
const char *source_text_doubt_once(struct source_text *sources, const char *path, size_t object,
				   uint64_t address);

/*
 * Print a line of source without its newline, and with blanks for tabs, after @before columns. On a
 * terminal, a line that is too long is cut.
 */
void source_text_print(FILE *out, const struct terminal_style *style, const char *text,
		       int before);

/* Free all lines. */
void source_text_free(struct source_text *sources);

#endif /* PROFIL_SOURCE_TEXT_H */
