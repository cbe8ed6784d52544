/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Source lines in the form of functions, for a profile by line.
 */
#ifndef PROFIL_LINES_H
#define PROFIL_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "symbol/symbols.h"

struct lines;

/**
 * lines_new - prepare to find lines
 * @symbols: for the files; must outlive the lines
 *
 * Return: lines to be given to lines_free(); NULL: no memory.
 */
struct lines *lines_new(struct symbols *symbols);

/**
 * lines_find - find the source line of an address; a symbols_find_fn
 * @lines:    from lines_new()
 * @object:   index in result->objects
 * @address:  link-time address in that object
 * @function: filled in with the line as a function named FILE:NUMBER, without the directory; FILE:?
 *            for code that the compiler generated for no line; if no line is known, with the
 *            function
 *
 * Return: 1; 0: neither line nor function; or -ENOMEM.
 */
int lines_find(void *lines, size_t object, uint64_t address, struct function *function);

/**
 * lines_free - free all lines
 * @lines: from lines_new(), or NULL
 */
void lines_free(struct lines *lines);

#endif /* PROFIL_LINES_H */
