// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of profil diff.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "report/columns.h"
#include "report/comparison_table.h"
#include "report/table.h"

/* Of the functions that have not changed, at most this share is marked, on average. */
#define FALSE_MARKS	0.05

enum { OLD, NEW, CHANGE, INTERVAL, OBJECT, FUNCTION, NR_COLUMNS };

/* Print the lines above the table. Return: their number, or -ENOMEM. */
static long print_head(FILE *out, const struct comparison *comparison,
		       const struct comparison_table *table)
{
	size_t significant = 0, i;
	char *text;
	long lines;

	for (i = 0; i < comparison->nr_rows; i++)
		significant += comparison->rows[i].is_significant;
	if (asprintf(&text, "# %zu of %zu functions changed by more than sampling error (*), in %s\n"
		     "# if no function had changed, at most %.1f would be marked on average\n"
		     "# two runs of the same program may also differ by more than sampling error\n",
		     significant, comparison->nr_rows,
		     table->of == COMPARISON_OF_SHARES ? "percent of the samples" :
							 "seconds of CPU time",
		     FALSE_MARKS * (double)comparison->nr_rows) < 0)
		return -ENOMEM;
	lines = terminal_print_text(out, &table->style, text);
	free(text);
	return lines;
}

/* The changes are measured in percent of @old_total. */
struct scale {
	const struct comparison *comparison;
	double old_total;
};

static double row_percent(const void *of, size_t i)
{
	const struct scale *scale = of;

	return 100 * fabs(scale->comparison->rows[i].change) / scale->old_total;
}

static size_t count_shown(const struct comparison *comparison,
			  const struct comparison_table *table, long lines_above)
{
	struct scale scale = { comparison, 0 };
	uint64_t top = table->top;
	size_t i;

	for (i = 0; i < comparison->nr_rows; i++)
		scale.old_total += comparison->rows[i].old;
	if (!top && !(table->min_percent > 0))
		top = terminal_rows(&table->style, lines_above);
	return table_count_shown(comparison->nr_rows, top, table->min_percent, row_percent,
				 &scale);
}

static void add_row(struct columns *columns, const struct comparison_row *row, double factor,
		    int decimals)
{
	enum terminal_color color = TERMINAL_PLAIN;

	if (row->is_significant)
		color = row->change > 0 ? TERMINAL_HOT : TERMINAL_LESS;
	columns_add_row(columns, color, 0);
	columns_set(columns, OLD, "%.*f", decimals, factor * row->old);
	columns_set(columns, NEW, "%.*f", decimals, factor * row->new);
	columns_set(columns, CHANGE, "%+.*f%c", decimals, factor * row->change,
		    row->is_significant ? '*' : ' ');
	columns_set(columns, INTERVAL, "%+.*f..%+.*f", decimals, factor * row->interval.low,
		    decimals, factor * row->interval.high);
	columns_set(columns, FUNCTION, "%s", row->function);
	columns_set(columns, OBJECT, "%s", row->object);
}

int comparison_print(FILE *out, const struct comparison *comparison,
		     const struct comparison_table *table)
{
	static const struct column columns[NR_COLUMNS] = {
		[OLD] = { .title = "old", .priority = 2 },
		[NEW] = { .title = "new", .priority = 4 },
		[CHANGE] = { .title = "change ", .color = true },
		[INTERVAL] = { "95%-interval", COLUMN_TEXT, .priority = 1 },
		[OBJECT] = { "object", COLUMN_PATH, .min_width = 14, .priority = 3 },
		[FUNCTION] = { "function", COLUMN_FUNCTION, .min_width = 40 },
	};
	const bool by_share = table->of == COMPARISON_OF_SHARES;
	const long head = print_head(out, comparison, table);
	struct terminal_style style = table->style;
	struct columns rows;
	size_t shown, i;
	int error;

	if (head < 0)
		return (int)head;
	shown = count_shown(comparison, table, table->lines_above + head);
	style.bars = 0;
	columns_begin(&rows, columns, NR_COLUMNS, shown);
	for (i = 0; i < shown; i++)
		add_row(&rows, &comparison->rows[i], by_share ? 100 : 1,
			by_share ? 2 : table->decimals);
	error = columns_print(out, &rows, &style);
	if (!error && shown < comparison->nr_rows)
		error = terminal_print_comment(out, &style, "# %zu more function%s",
					       comparison->nr_rows - shown,
					       comparison->nr_rows - shown == 1 ? "" : "s");
	return error;
}
