/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The functions of a program as prof(1) bounds them: each extends to the address of the next one,
 * so that static functions that are not shown are part of the one before them.
 */
#ifndef PROFIL_PROF_SYMBOLS_H
#define PROFIL_PROF_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/symbolize.h"
#include "symbol/symbols.h"

/**
 * struct prof_symbols - the functions of a program, ascending by address
 * @functions:  those that are shown; names of the same address are one, separated by ", "
 * @starts:     addresses of all functions, without duplicates
 */
struct prof_symbols {
	struct function *functions;
	size_t nr;
	uint64_t *starts;
	size_t nr_starts;
};

/**
 * prof_symbols_read - read the functions of a program
 * @symbols:  filled in; must be released with prof_symbols_release(), even on error
 * @demangle: demangles their names; NULL: the names stay mangled
 * @why:      on -ENOEXEC, set to the reason
 *
 * Return: 0; -ENOEXEC: the file has no symbol table with functions; or another -errno.
 */
int prof_symbols_read(struct prof_symbols *symbols, const char *path, bool locals,
		      symbolize_demangle_fn *demangle, const char **why);

/*
 * Find the shown function that an address belongs to; a symbols_find_fn. Return: 1, or 0: the
 * address is below all functions that are shown, and @function has only its end: where the first
 * one begins.
 */
int prof_symbols_find(void *symbols, size_t object, uint64_t address,
		      struct function *function);

/*
 * Find the shown function that a called address is in. As prof_symbols_find(), but 0 if the address
 * is in a function that is not shown.
 */
int prof_symbols_find_called(void *symbols, size_t object, uint64_t address,
			     struct function *function);

/* Free the functions. */
void prof_symbols_release(struct prof_symbols *symbols);

#endif /* PROFIL_PROF_SYMBOLS_H */
