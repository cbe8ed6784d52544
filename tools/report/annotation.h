/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The source lines that a function has samples in.
 */
#ifndef PROFIL_ANNOTATION_H
#define PROFIL_ANNOTATION_H

#include <stddef.h>
#include <stdint.h>

#include "report/wanted.h"
#include "result/result.h"
#include "symbol/symbols.h"

#define ANNOTATION_CONTEXT	4	/* lines that are shown around those with samples */

/**
 * struct annotation_line - a line that the function has samples in
 * @source:  the line
 * @samples: at least 1
 * @of_file: samples of all lines of its file
 */
struct annotation_line {
	struct source_line source;
	uint64_t samples;
	uint64_t of_file;
};

/**
 * struct annotation - the lines of wanted functions
 * @lines:      the file with most samples first, sorted by line
 * @samples:    of these functions
 * @unknown:    samples without a known line; part of @samples
 * @nr_inlined: samples in inlined copies; part of @samples
 * @problem:    the first of symbols_explain_lines(); NULL: none
 * @functions:  number of functions that have the code
 */
struct annotation {
	struct annotation_line *lines;
	size_t nr;
	uint64_t samples;
	uint64_t unknown;
	uint64_t nr_inlined;
	char *problem;
	long functions;
};

/**
 * annotation_collect - find the lines of functions
 * @annotation: zero; must be released with annotation_release(), even on error
 * @symbols:    symbols of @result; must outlive the annotation
 *
 * A function includes what is inlined into it.
 *
 * Return: 0 or -ENOMEM.
 */
int annotation_collect(struct annotation *annotation, struct wanted *wanted,
		       const struct result *result, struct symbols *symbols);

/**
 * annotation_add - add the line of some samples
 * @annotation: zero at first; must be released with annotation_release(), even on error
 * @symbols:    the symbols; must outlive the annotation
 *
 * Return: 0 or -ENOMEM.
 */
int annotation_add(struct annotation *annotation, struct symbols *symbols, size_t object,
		   uint64_t address, uint64_t samples);

/* Add up the samples of each line, and sort the lines. */
void annotation_sort(struct annotation *annotation);

/* Free the lines. */
void annotation_release(struct annotation *annotation);

#endif /* PROFIL_ANNOTATION_H */
