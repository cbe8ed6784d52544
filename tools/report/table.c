// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of a report. Rows that are omitted are summed up in its last one.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "profile/confidence.h"
#include "profile/share.h"
#include "report/columns.h"
#include "report/table.h"

int table_decimals(uint32_t rate)
{
	if (rate <= 100)
		return 2;
	return rate <= 1000 ? 3 : 4;
}

const char *table_name(enum table_by by)
{
	static const char *const names[] = {
		[TABLE_BY_FUNCTION] = "function",
		[TABLE_BY_LINE] = "line",
		[TABLE_BY_OBJECT] = "object",
		[TABLE_BY_PROCESS] = "process",
		[TABLE_BY_ADDRESS] = "address",
		[TABLE_BY_THREAD] = "thread",
		[TABLE_BY_PROGRAM] = "program",
		[TABLE_BY_CALLER] = "caller",
	};

	return names[by];
}

const char *table_title(const struct table_options *options)
{
	if (options->by == TABLE_BY_CALLER)
		return table_name(TABLE_BY_FUNCTION);
	if (!options->of)
		return table_name(options->by);
	return options->is_callees ? "callee" : "caller";
}

bool table_is_of_owners(enum table_by by)
{
	return by == TABLE_BY_PROCESS || by == TABLE_BY_THREAD || by == TABLE_BY_PROGRAM;
}

size_t table_count_shown(size_t nr, uint64_t top, double min_percent,
			 table_percent_fn *percent, const void *of)
{
	if (top && top < nr)
		nr = (size_t)top;
	while (nr && percent(of, nr - 1) < min_percent)
		nr--;
	return nr;
}

static double row_percent(const void *of, size_t i)
{
	const struct profile *profile = of;

	return share_percent(profile->rows[i].samples, profile->samples);
}

static double row_total_percent(const void *of, size_t i)
{
	const struct profile *profile = of;

	return share_percent(profile->rows[i].total, profile->samples);
}

size_t table_show(struct profile *profile, const struct table_options *options)
{
	const bool by_total = options->order == PROFILE_BY_TOTAL && profile->has_totals;
	struct profile shown = *profile;

	if (options->tree)
		return profile->nr_rows;
	profile_sort(profile, by_total ? PROFILE_BY_TOTAL : PROFILE_BY_SAMPLES);
	shown.nr_rows = table_count_shown(profile->nr_rows, options->top, options->min_percent,
					  by_total ? row_total_percent : row_percent, profile);
	profile_sort(&shown, options->order);
	return shown.nr_rows;
}

/* The name is last: it may have any length and contain blanks. */
enum { PERCENT, TOTAL, SECONDS, SAMPLES, SYSTEM, INTERVAL, OBJECT, CALLER, NAME, NR_COLUMNS };

/* Set the cells of the last row. */
static void set_cells(struct columns *table, const struct result *result,
		      const struct profile *profile, const struct profile_row *row)
{
	const struct interval interval = confidence_share(row->samples, profile->samples);

	columns_set(table, PERCENT, "%u.%02u", row->percent100 / 100, row->percent100 % 100);
	columns_set(table, TOTAL, "%.2f", share_percent(row->total, profile->samples));
	columns_set(table, SECONDS, "%.*f", table_decimals(result->rate),
		    result_seconds(result, row->samples));
	columns_set(table, SAMPLES, "%" PRIu64, row->samples);
	columns_set(table, CALLER, "%s", row->caller ? row->caller : "");
	columns_set(table, NAME, "%*s%s", (int)row->depth, "", row->function);
	columns_set(table, OBJECT, "%s", row->object);
	columns_set(table, INTERVAL, "%.2f..%.2f", 100 * interval.low, 100 * interval.high);
	columns_set(table, SYSTEM, "%.1f", share_percent(row->system, row->samples));
}

static void add_row(struct columns *table, const struct result *result,
		    const struct profile *profile, const struct profile_row *row)
{
	const double percent = share_percent(row->samples, profile->samples);

	columns_add_row(table, terminal_share_color(percent), percent / 100);
	set_cells(table, result, profile, row);
}

/* A row for those that are not shown, so that the table adds up */
static void add_rest(struct columns *table, const struct result *result,
		     const struct profile *profile, size_t shown, const char *what)
{
	const char *plural = what[strlen(what) - 1] == 's' ? "es" : "s";
	const size_t nr = profile->nr_rows - shown;
	struct profile_row rest = { .object = "" };
	size_t i;

	for (i = shown; i < profile->nr_rows; i++) {
		rest.samples += profile->rows[i].samples;
		rest.system += profile->rows[i].system;
	}
	rest.percent100 = (unsigned int)(100 * share_percent(rest.samples, profile->samples) + 0.5);
	if (asprintf(&rest.function, "(%zu more %s%s)", nr, what, nr == 1 ? "" : plural) < 0) {
		table->error = -ENOMEM;
		return;
	}
	columns_add_row(table, TERMINAL_PLAIN, 0);
	set_cells(table, result, profile, &rest);
	/* a stack may have several of them */
	columns_clear(table, TOTAL);
	free(rest.function);
}

int table_print(FILE *out, const struct result *result, struct profile *profile,
		const struct table_options *options)
{
	const char *name = table_title(options);
	struct column columns[NR_COLUMNS] = {
		[PERCENT] = { .title = "percent", .color = true },
		[TOTAL] = { .title = profile->has_totals ? "total%" : NULL, .priority = 6 },
		[SECONDS] = { .title = "seconds", .priority = 2 },
		[SAMPLES] = { .title = "samples", .priority = 4 },
		[SYSTEM] = { .title = "system%", .priority = 3 },
		[INTERVAL] = { "95%-interval", COLUMN_TEXT, .priority = 1 },
		[OBJECT] = { "object", COLUMN_PATH, .min_width = 14, .priority = 5 },
		[CALLER] = { .title = options->by == TABLE_BY_CALLER ? "caller" : NULL,
			     .kind = COLUMN_FUNCTION, .min_width = 20, .priority = 7 },
		[NAME] = { name, COLUMN_FUNCTION, .min_width = 40 },
	};
	struct profile shown = *profile;
	struct columns table;
	size_t i;
	int error;

	shown.nr_rows = table_show(profile, options);
	/* the name is the object's path already */
	if (options->by == TABLE_BY_OBJECT) {
		columns[NAME].kind = COLUMN_PATH;
		columns[OBJECT].title = NULL;
	}
	columns_begin(&table, columns, NR_COLUMNS, shown.nr_rows + 1);
	for (i = 0; i < shown.nr_rows; i++)
		add_row(&table, result, profile, &shown.rows[i]);
	if (shown.nr_rows < profile->nr_rows)
		add_rest(&table, result, profile, shown.nr_rows, name);
	error = columns_print(out, &table, &options->style);
	if (!error && shown.nr_rows < profile->nr_rows && options->more)
		error = terminal_print_comment(out, &options->style, "# %s", options->more);
	return error;
}
