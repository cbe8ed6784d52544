/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_INLINES_H
#define PROFIL_INLINES_H

#include <stddef.h>
#include <stdint.h>

#include "symbol/units.h"

/**
 * struct inlines - the functions that were needed so far
 * @units:        tree of the units that have them
 * @nr_functions: of all these units
 * @bodies:       tree of the functions, with those inlined into them
 * @nr_ranges:    of all these bodies
 */
struct inlines {
	void *units;
	size_t nr_functions;
	void *bodies;
	size_t nr_ranges;
};

/**
 * struct inlines_frame - a function at an address
 * @name:      its linkage name, or its plain name if it has none; NULL: unknown
 * @file:      path of the file of the call, if the function is inlined; NULL: unknown
 * @directory: absolute directory that @file is relative to; NULL: none
 * @line:      of the call, if the function is inlined; 0: unknown
 * @declared:  line at which the function is declared; 0: unknown
 *
 * All are valid as long as the module.
 */
struct inlines_frame {
	const char *name;
	const char *file;
	const char *directory;
	int line;
	int declared;
};

/**
 * inlines_find - find the functions at an address
 * @inlines: zeroed before the first call; must be released with inlines_release()
 * @units:   the units of the file
 * @frames:  filled in, innermost function first; the last is the one that has the code, and all
 *           others are inlined
 * @max:     number of @frames, at least 1; if there are more functions, those next to the last
 *           are left out
 * @nr:      set to the number of functions; 0: none is known
 *
 * The function is the narrowest that has a range with the address, as in binutils; the others are
 * those around it. Compilers are known to write ranges that are not within those of the function
 * around it.
 *
 * Return: 0 or -ENOMEM.
 */
int inlines_find(struct inlines *inlines, const struct units *units, uint64_t address,
		 struct inlines_frame *frames, size_t max, size_t *nr);

/* Free the functions. */
void inlines_release(struct inlines *inlines);

#endif /* PROFIL_INLINES_H */
