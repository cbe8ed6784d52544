/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_LINES_H
#define PROFIL_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "symbol/symbolize.h"
#include "symbol/symbols.h"

struct lines;

/**
 * lines_new - prepare to find lines
 * @symbols:   for the files; must outlive the lines
 * @find:      finds the function of an address
 * @functions: first argument of @find; must outlive the lines
 * @demangle:  demangles the names of functions; NULL: they stay mangled
 *
 * Return: lines to be given to lines_free(); NULL: no memory.
 */
struct lines *lines_new(struct symbols *symbols, symbols_find_fn *find, void *functions,
			symbolize_demangle_fn *demangle);

/**
 * lines_find - find the source line of an address; a symbols_find_fn
 * @function: filled in with the line as a function named FILE:NUMBER (NAME), without the
 *            directory. NUMBER is ? for code that the compiler generated for no line. NAME is that
 *            of the function, and omitted if it is unknown: code of one line may be in several
 *            functions. If no line is known, filled in with the function
 *
 * Return: 1; 0: neither line nor function; or an error of symbols_line() or @find.
 */
int lines_find(void *lines, size_t object, uint64_t address, struct function *function);

/* Free all lines. */
void lines_free(struct lines *lines);

#endif /* PROFIL_LINES_H */
