/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Source lines in the place of functions, for a profile by line.
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
 * Return: to be given to lines_free(), or NULL: no memory.
 */
struct lines *lines_new(struct symbols *symbols);

/**
 * lines_find - the line at an address in place of a function: a symbols_find_fn
 * @lines:    from lines_new()
 * @object:   index in result->objects
 * @address:  in that object
 * @function: filled in if there is one: its name is FILE:NUMBER, without the directory.
 *            Where no line is known, it is the function
 *
 * Return: 1 if there is a line or a function, 0 if there is none, -ENOMEM.
 */
int lines_find(void *lines, size_t object, uint64_t address, struct function *function);

/**
 * lines_free - give back what was found
 * @lines: from lines_new(), or NULL
 */
void lines_free(struct lines *lines);

#endif /* PROFIL_LINES_H */
