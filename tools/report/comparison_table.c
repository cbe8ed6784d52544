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

const char *comparison_chance(const struct comparison *comparison)
{
	return comparison->nr_runs == 2 ? "sampling error" : "chance";
}

void comparison_summarize(FILE *out, const struct comparison *comparison, int decimals)
{
	const struct comparison_row *all = &comparison->all;
	size_t significant = 0, sums = 0, i;

	for (i = 0; i < comparison->old->nr_objects; i++) {
		const char *old = comparison_renamed(comparison, i);

		if (!old)
			continue;
		fputs("# ", out);
		terminal_print_name(out, old);
		fputs(" is now ", out);
		terminal_print_name(out, comparison->counterparts[i]);
		putc('\n', out);
	}
	for (i = 0; i < comparison->nr_rows; i++) {
		significant += comparison->rows[i].is_significant;
		sums += comparison_is_sum(comparison, &comparison->rows[i]);
	}
	if (sums)
		fprintf(out, "# %zu row%s copies, parts or folded functions (see --json)\n", sums,
			sums == 1 ? " adds up" : "s add up");
	if (comparison->of == COMPARISON_OF_SECONDS)
		fprintf(out, "# all functions: %.*f s, before %.*f s: %+.*f s (%+.*f..%+.*f)%s\n",
			decimals, all->new, decimals, all->old, decimals, all->change, decimals,
			all->interval.low, decimals, all->interval.high,
			all->is_significant ? "*" : "");
	fprintf(out, "# %zu of %zu functions changed by more than %s (*), in %s; if none had, up to %.1f would be marked\n",
		significant, comparison->nr_rows, comparison_chance(comparison),
		comparison->of == COMPARISON_OF_SHARES ? "percent of the samples" :
							 "seconds of CPU time",
		FALSE_MARKS * (double)comparison->nr_rows);
	if (comparison->nr_runs == 2)
		fputs("# one run a side: runs of one program may differ by more: give several (OLD... -- NEW...), or use profil compare\n", out);
	else
		fprintf(out, "# means of %zu old and %zu new runs; intervals have the variance between runs\n",
			comparison->nr_old, comparison->nr_runs - comparison->nr_old);
	if (comparison->is_periodic)
		fputs("# samples are at even intervals (--clock tick or timer): no interval holds for a program that works in step with them\n", out);
}

/* Print the lines above the table. Return: their number, or -ENOMEM. */
static long print_head(FILE *out, const struct comparison *comparison,
		       const struct comparison_table *table)
{
	char *text = NULL;
	size_t length;
	FILE *head = open_memstream(&text, &length);
	long lines;

	if (!head)
		return -ENOMEM;
	comparison_summarize(head, comparison, table->decimals);
	if (fclose(head)) {
		free(text);
		return -ENOMEM;
	}
	lines = terminal_print_text(out, &table->style, text);
	free(text);
	return lines;
}

static double row_percent(const void *of, size_t i)
{
	const struct comparison *comparison = of;

	return comparison_percent(comparison, fabs(comparison->rows[i].change));
}

size_t comparison_count_shown(const struct comparison *comparison,
			      const struct comparison_table *table)
{
	return table_count_shown(comparison->nr_rows, table->top, table->min_percent, row_percent,
				 comparison);
}

/* On a terminal, limit the table to the rows that fit, unless the user has set a limit. */
static size_t count_fitting(const struct comparison *comparison,
			    const struct comparison_table *table, long lines_above)
{
	struct comparison_table limits = *table;

	if (!table->top && !(table->min_percent > 0))
		limits.top = terminal_rows(&table->style, lines_above);
	return comparison_count_shown(comparison, &limits);
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
	const bool by_share = comparison->of == COMPARISON_OF_SHARES;
	const long head = print_head(out, comparison, table);
	struct terminal_style style = table->style;
	struct columns rows;
	size_t shown, i;
	int error;

	if (head < 0)
		return (int)head;
	shown = count_fitting(comparison, table, table->lines_above + head);
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
