/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_COMPARISON_TABLE_H
#define PROFIL_COMPARISON_TABLE_H

#include <stdint.h>
#include <stdio.h>

#include "profile/comparison.h"
#include "util/terminal.h"

/**
 * struct comparison_table - how to print a comparison
 * @decimals:    decimals of seconds
 * @top:         print only this many rows, those with the largest changes; 0: on a terminal,
 *               as many as fit, unless there is a @min_percent; else all
 * @min_percent: omit rows with a smaller change, in percent of the old CPU time
 * @lines_above: number of lines that were printed above the table
 * @style:       colours and length of lines; there are no bars
 */
struct comparison_table {
	int decimals;
	uint64_t top;
	double min_percent;
	long lines_above;
	struct terminal_style style;
};

/*
 * Number of rows to print, by the limits of @table; those of a terminal are for comparison_print().
 */
size_t comparison_count_shown(const struct comparison *comparison,
			      const struct comparison_table *table);

/* What a change that is marked exceeds: the error that the intervals have */
const char *comparison_chance(const struct comparison *comparison);

/* Print lines that begin with "# ": how much all functions have changed, and how many. */
void comparison_summarize(FILE *out, const struct comparison *comparison, int decimals);

/* Print a row for each function, and the number of omitted rows. Return: 0 or -ENOMEM. */
int comparison_print(FILE *out, const struct comparison *comparison,
		     const struct comparison_table *table);

#endif /* PROFIL_COMPARISON_TABLE_H */
