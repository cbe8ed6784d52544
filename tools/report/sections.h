/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_SECTIONS_H
#define PROFIL_SECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/wanted.h"
#include "result/result.h"
#include "symbol/symbols.h"

/* A function, or code in no function, with samples that are wanted */
struct section {
	size_t object;			/* index in result->objects */
	struct function function;	/* the function; or without a name, the code */
	enum belonging belonging;	/* of its samples */
	uint64_t samples;		/* number of samples */
	struct result_count *counts;	/* these, in ascending order of addresses */
	size_t nr_counts;
};

/* All of them, most samples first */
struct sections {
	struct section *list;
	size_t nr;	/* number of sections */
};

/*
 * Find the samples of wanted functions. The sections are zero before, and must be released with
 * sections_release(), even on error. Return: 0 or -ENOMEM.
 */
int sections_collect(struct sections *sections, const struct result *result,
		     struct symbols *symbols, struct wanted *wanted);

/* Free all of them. */
void sections_release(struct sections *sections);

#endif /* PROFIL_SECTIONS_H */
