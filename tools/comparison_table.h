/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two profiles side by side, as a table.
 */
#ifndef PROFIL_COMPARISON_TABLE_H
#define PROFIL_COMPARISON_TABLE_H

#include <stdint.h>
#include <stdio.h>

#include "comparison.h"
#include "terminal.h"

/**
 * struct comparison_table - how it is shown
 * @of:          what was compared
 * @decimals:    of seconds
 * @top:         no more rows than these with the greatest changes; 0: as many as a terminal
 *               has room for, and all in a pipe, or with a @min_percent
 * @min_percent: rows with a smaller change are left out, in percent of the old CPU time
 * @above:       lines that there are above the table
 * @style:       colours, and how long lines are; there are no bars
 */
struct comparison_table {
	enum comparison_of of;
	int decimals;
	uint64_t top;
	double min_percent;
	long above;
	struct terminal_style style;
};

/**
 * comparison_print - print a row for each function, and what is left out
 * @out:        where to
 * @comparison: in question
 * @table:      how
 *
 * Return: 0 or -ENOMEM.
 */
int comparison_print(FILE *out, const struct comparison *comparison,
		     const struct comparison_table *table);

#endif /* PROFIL_COMPARISON_TABLE_H */
