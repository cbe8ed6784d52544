/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_SOURCE_TEXT_H
#define PROFIL_SOURCE_TEXT_H

#include <stdio.h>

#include "util/terminal.h"

struct source_text;

/**
 * source_text_new - prepare to read lines
 * @root: root directory for the paths of sources; NULL: /
 *
 * Return: to be given to source_text_free(); NULL: no memory.
 */
struct source_text *source_text_new(const char *root);

/**
 * source_text_line - find a line of a file
 * @path:    path of the file, which is read once. Equal paths have equal addresses
 *
 * Only regular files are opened, because the path is from debug information.
 *
 * Return: the line; NULL: the file cannot be read, or has no such line.
 */
const char *source_text_line(struct source_text *sources, const char *path, int line);

/**
 * source_text_print - print a line of source without its newline, and with blanks for tabs
 * @style:  on a terminal, a line that is too long is cut
 * @before: terminal columns that are before it
 */
void source_text_print(FILE *out, const struct terminal_style *style, const char *text,
		       int before);

/* Free all lines. */
void source_text_free(struct source_text *sources);

#endif /* PROFIL_SOURCE_TEXT_H */
