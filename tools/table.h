/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rows of a report: functions or objects with their samples.
 */
#ifndef PROFIL_TABLE_H
#define PROFIL_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "profile.h"
#include "result.h"
#include "terminal.h"

/* What a row is */
enum table_by {
	TABLE_BY_FUNCTION,
	TABLE_BY_LINE,
	TABLE_BY_OBJECT,
	TABLE_BY_PROCESS,
};

/**
 * struct table_options - what is shown, and how; all 0 is everything, as plain text
 * @by:          what a row is
 * @order:       what rows are sorted by
 * @min_percent: rows with a smaller share are left out
 * @top:         no more rows than these with the most samples; 0: all
 * @style:       colours, bars, and how long lines are
 * @more:        said where rows are left out
 */
struct table_options {
	enum table_by by;
	enum profile_order order;
	double min_percent;
	uint64_t top;
	struct terminal_style style;
	const char *more;
};

/**
 * table_decimals - digits of seconds that show one sample
 * @rate: samples per second; 0.01 s at 100 Hz
 */
int table_decimals(uint32_t rate);

/**
 * table_percent_fn - by how many percent a row is measured
 * @of: what the rows are of
 * @i:  index of a row
 */
typedef double table_percent_fn(const void *of, size_t i);

/**
 * table_count_shown - how many rows are to be shown
 * @nr:          of them there are, the greatest first
 * @top:         no more than these; 0: all
 * @min_percent: none that is less
 * @percent:     what a row is
 * @of:          first argument of @percent
 */
size_t table_count_shown(size_t nr, uint64_t top, double min_percent,
			 table_percent_fn *percent, const void *of);

/**
 * table_print - print rows by function or object, and what is left out
 * @out:     where to
 * @result:  that was added up
 * @profile: with samples; sorted otherwise afterwards
 * @options: how
 *
 * Return: 0 or -ENOMEM.
 */
int table_print(FILE *out, const struct result *result, struct profile *profile,
		const struct table_options *options);

#endif /* PROFIL_TABLE_H */
