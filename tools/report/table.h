/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of a report: a row for each function, line, object or address, with its samples.
 */
#ifndef PROFIL_TABLE_H
#define PROFIL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "profile/profile.h"
#include "result/result.h"
#include "util/terminal.h"

/* What each row stands for */
enum table_by {
	TABLE_BY_FUNCTION,
	TABLE_BY_LINE,
	TABLE_BY_OBJECT,
	TABLE_BY_PROCESS,
	TABLE_BY_ADDRESS,
	TABLE_BY_THREAD,
	TABLE_BY_PROGRAM,
	TABLE_BY_CALLER,
	NR_TABLES
};

/* Which tree of functions it is */
enum table_tree {
	TABLE_IS_FLAT,
	TABLE_OF_CALLEES,	/* from the first functions on */
	TABLE_OF_CALLERS,	/* from those with samples */
};

#define TABLE_ALL_ROWS	UINT64_MAX	/* as the number of rows to print */

/**
 * struct table_options - what to print, and how; if all fields are 0: all rows, as plain text
 * @by:          what each row stands for
 * @tree:        rows are below their callers or callees, in this order
 * @order:       what to sort the rows by
 * @min_percent: omit rows with a smaller share
 * @top:         print only this many rows, those with the most samples; 0: no limit was chosen
 * @is_part:     only some of the samples are selected: omit processes without any
 * @style:       colours, bars and length of lines
 * @of:          rows are the functions that call this one, or are called by it; NULL: all
 * @is_callees:  of @of: those that it calls
 * @more:        how to see the omitted rows, printed if there are any; NULL: nothing
 */
struct table_options {
	enum table_by by;
	enum table_tree tree;
	enum profile_order order;
	double min_percent;
	uint64_t top;
	bool is_part;
	struct terminal_style style;
	const char *of;
	bool is_callees;
	const char *more;
};

/* Number of decimals that show the seconds of one sample: 2 at 100 Hz, where a sample is 0.01 s. */
int table_decimals(uint32_t rate);

/* Name what the rows of a table are. */
const char *table_title(const struct table_options *options);

/* Name what a row stands for, as --by does. */
const char *table_name(enum table_by by);

/* The percentage of a row that is compared with a minimum. */
typedef double table_percent_fn(const void *of, size_t i);

/* Whether owners_print() prints such a table; else table_print() does. */
bool table_is_of_owners(enum table_by by);

/**
 * table_count_shown - number of rows to print
 * @nr:          number of rows; they are sorted, the largest percentage first
 * @top:         print no more than this; 0: no limit
 * @min_percent: print no row with a smaller percentage
 * @percent:     returns the percentage of a row
 * @of:          first argument of @percent
 */
size_t table_count_shown(size_t nr, uint64_t top, double min_percent,
			 table_percent_fn *percent, const void *of);

/*
 * Sort the rows of a profile: those that are shown are first, in their order. Return: how many are
 * shown.
 */
size_t table_show(struct profile *profile, const struct table_options *options);

/**
 * table_print - print the rows of a profile, and one row for all those that are omitted
 * @result:  the result that the profile was made from
 * @profile: a profile with samples; its order changes
 * @options: what to print, and how; @options->by is no kind of owners.h
 *
 * Return: 0 or -ENOMEM.
 */
int table_print(FILE *out, const struct result *result, struct profile *profile,
		const struct table_options *options);

#endif /* PROFIL_TABLE_H */
