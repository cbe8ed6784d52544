/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_SECTIONS_H
#define PROFIL_SECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/wanted.h"
#include "result/result.h"
#include "symbol/symbols.h"

/**
 * struct section - a function, or code in no function, with samples that are wanted
 * @object:    index in result->objects
 * @function:  the function; or without a name, the code
 * @belonging: of its samples
 * @samples:   number of samples
 * @counts:    these, in ascending order of addresses
 */
struct section {
	size_t object;
	struct function function;
	enum belonging belonging;
	uint64_t samples;
	struct result_count *counts;
	size_t nr_counts;
};

/**
 * struct sections - all of them, most samples first
 * @nr:   number of sections
 */
struct sections {
	struct section *list;
	size_t nr;
};

/**
 * sections_collect - find the samples of wanted functions
 * @sections: zero; must be released with sections_release(), even on error
 *
 * Return: 0 or -ENOMEM.
 */
int sections_collect(struct sections *sections, const struct result *result,
		     struct symbols *symbols, struct wanted *wanted);

/* Free all of them. */
void sections_release(struct sections *sections);

#endif /* PROFIL_SECTIONS_H */
