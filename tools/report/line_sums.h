/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_LINE_SUMS_H
#define PROFIL_LINE_SUMS_H

#include <stddef.h>
#include <stdint.h>

#include "report/wanted.h"
#include "result/result.h"
#include "symbol/symbols.h"

#define ANNOTATION_CONTEXT	4	/* lines that are shown around those with samples */

/* A line that the function has samples in */
struct line_sum {
	struct source_line source;
	size_t object;		/* that has code of it, perhaps one of several */
	uint64_t samples;	/* at least 1 */
	uint64_t of_file;	/* samples of all lines of its file */
};

/* The lines of wanted functions */
struct line_sums {
	struct line_sum *lines;	/* the file with most samples first, sorted by line */
	size_t nr;
	uint64_t samples;	/* of these functions */
	uint64_t unknown;	/* samples without a known line; part of @samples */
	uint64_t nr_inlined;	/* samples in inlined copies; part of @samples */
	char *problem;		/* the first of symbols_explain_lines(); NULL: none */
	long functions;		/* number of functions that have the code */
};

/**
 * line_sums_collect - find the lines of functions
 * @annotation: zero; must be released with line_sums_release(), even on error
 * @symbols:    symbols of @result; must outlive the annotation
 *
 * A function includes what is inlined into it.
 *
 * Return: 0 or -ENOMEM.
 */
int line_sums_collect(struct line_sums *annotation, struct wanted *wanted,
		       const struct result *result, struct symbols *symbols);

/*
 * Add the line of some samples. The sums are zero at first, and must be released with
 * line_sums_release(), even on error; the symbols must outlive them. Return: 0 or -ENOMEM.
 */
int line_sums_add(struct line_sums *annotation, struct symbols *symbols, size_t object,
		   uint64_t address, uint64_t samples);

/* Add up the samples of each line, and sort the lines. */
void line_sums_sort(struct line_sums *annotation);

/* Free the lines. */
void line_sums_release(struct line_sums *annotation);

#endif /* PROFIL_LINE_SUMS_H */
