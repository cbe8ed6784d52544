/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_LINE_SUMS_H
#define PROFIL_LINE_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/wanted.h"
#include "result/result.h"
#include "symbol/symbols.h"

#define ANNOTATION_CONTEXT	4	/* lines that are shown around those with samples */

/**
 * struct line_sum - a line that a function has code of
 * @object:       has such code, perhaps one of several
 * @address:      of such code
 * @samples:      in code of the line itself
 * @with_inlined: with those in functions that are inlined where the line calls them; at least 1
 * @of_file:      samples of all lines of its file
 * @is_own:       the file has the function itself
 */
struct line_sum {
	struct source_line source;
	size_t object;
	uint64_t address;
	uint64_t samples;
	uint64_t with_inlined;
	uint64_t of_file;
	bool is_own;
};

/**
 * struct line_sums - the lines of wanted functions
 * @lines:       sorted by line; the function's own file first, then the one with most samples
 * @samples:     of these functions
 * @unknown:     samples without a known line; part of @samples
 * @nr_inlined:  samples in inlined copies; part of @samples
 * @has_inlined: something is inlined into them
 * @problem:     the first of symbols_explain_lines(); NULL: none
 * @functions:   number of functions that have the code
 */
struct line_sums {
	struct line_sum *lines;
	size_t nr;
	uint64_t samples;
	uint64_t unknown;
	uint64_t nr_inlined;
	bool has_inlined;
	char *problem;
	long functions;
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

/**
 * line_sums_add - add the lines of some samples
 * @annotation: zero at first; must be released with line_sums_release(), even on error
 * @symbols:    must outlive the annotation
 * @inlined:    the wanted function is inlined there; NULL: the function has the code
 *
 * These are the line of the code itself, and those of the calls of inlined functions around it, up
 * to the function.
 *
 * Return: 0 or -ENOMEM.
 */
int line_sums_add(struct line_sums *annotation, struct symbols *symbols, size_t object,
		  uint64_t address, uint64_t samples, struct wanted *inlined);

/* Add up the samples of each line, and sort the lines. */
void line_sums_sort(struct line_sums *annotation);

/* Free the lines. */
void line_sums_release(struct line_sums *annotation);

#endif /* PROFIL_LINE_SUMS_H */
