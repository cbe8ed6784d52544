// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two profiles side by side, as a table.
 */
#include <math.h>

#include "columns.h"
#include "comparison_table.h"
#include "table.h"

/* Of those that have not changed, so many are marked at most, on average. */
#define MARKED	0.05

#define HEAD_LINES	3	/* of what is said above */

enum { OLD, NEW, CHANGE, INTERVAL, FUNCTION, OBJECT, NR_COLUMNS };

/* What rows are measured by */
struct scale {
	const struct comparison *comparison;
	double all;
};

static double row_percent(const void *of, size_t i)
{
	const struct scale *scale = of;

	return 100 * fabs(scale->comparison->rows[i].change) / scale->all;
}

static size_t count_shown(const struct comparison *comparison,
			  const struct comparison_table *table)
{
	struct scale scale = { comparison, 0 };
	uint64_t top = table->top;
	size_t i;

	for (i = 0; i < comparison->nr_rows; i++)
		scale.all += comparison->rows[i].old;
	if (!top && !(table->min_percent > 0))
		top = terminal_rows(&table->style, table->above + HEAD_LINES);
	return table_count_shown(comparison->nr_rows, top, table->min_percent, row_percent,
				 &scale);
}

static void add_row(struct columns *columns, const struct comparison_row *row, double by,
		    int decimals)
{
	enum terminal_color color = TERMINAL_PLAIN;

	if (row->is_real)
		color = row->change > 0 ? TERMINAL_HOT : TERMINAL_LESS;
	columns_add_row(columns, color, 0);
	columns_set(columns, OLD, "%.*f", decimals, by * row->old);
	columns_set(columns, NEW, "%.*f", decimals, by * row->new);
	columns_set(columns, CHANGE, "%+.*f%c", decimals, by * row->change,
		    row->is_real ? '*' : ' ');
	columns_set(columns, INTERVAL, "%+.*f..%+.*f", decimals, by * row->interval.low,
		    decimals, by * row->interval.high);
	columns_set(columns, FUNCTION, "%s", row->function);
	columns_set(columns, OBJECT, "%s", row->object);
}

int comparison_print(FILE *out, const struct comparison *comparison,
		     const struct comparison_table *table)
{
	static const struct column columns[NR_COLUMNS] = {
		[OLD] = { .title = "old", .worth = 3 },
		[NEW] = { .title = "new", .worth = 4 },
		[CHANGE] = { .title = "change ", .color = true },
		[INTERVAL] = { "95%-interval", COLUMN_TEXT, .worth = 1 },
		[FUNCTION] = { "function", COLUMN_FUNCTION, .least = 20 },
		[OBJECT] = { "object", COLUMN_PATH, .least = 14, .worth = 2 },
	};
	const bool by_share = table->of == COMPARISON_OF_SHARES;
	size_t shown = count_shown(comparison, table), real = 0, i;
	struct terminal_style style = table->style;
	struct columns rows;
	int error;

	for (i = 0; i < comparison->nr_rows; i++)
		real += comparison->rows[i].is_real;
	error = terminal_print_comment(out, &style,
				       "# %zu of %zu functions changed by more than the chance of sampling (*), in %s; had none changed, that would be at most %.1f on average. Two runs of one program may differ by more",
				       real, comparison->nr_rows,
				       by_share ? "percent of the samples" : "seconds of CPU time",
				       MARKED * (double)comparison->nr_rows);
	if (error)
		return error;
	style.bars = 0;
	columns_begin(&rows, columns, NR_COLUMNS, shown);
	for (i = 0; i < shown; i++)
		add_row(&rows, &comparison->rows[i], by_share ? 100 : 1,
			by_share ? 2 : table->decimals);
	error = columns_print(out, &rows, &style);
	if (!error && shown < comparison->nr_rows)
		error = terminal_print_comment(out, &style, "# and %zu more functions",
					       comparison->nr_rows - shown);
	return error;
}
