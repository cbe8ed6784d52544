// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables that fit the width of a terminal. First, names are shortened to their minimal width,
 * then columns with a low priority are dropped. Bars get the room that is left.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>

#include "report/columns.h"
#include "util/escape.h"
#include "util/shorten.h"

/*
 * Names up to this width take precedence over bars. In lines of unlimited length, longer names
 * do not widen their column.
 */
#define USUAL_NAME	40

#define MIN_BAR		5	/* shorter bars are not printed */

#define MARGIN		2	/* "# " in front of the titles */

/* Widths of the columns; 0: dropped */
struct layout {
	int widths[COLUMNS_MAX];
	struct terminal_style style;
};

void columns_begin(struct columns *table, const struct column *columns, size_t nr_columns,
		   size_t nr_rows)
{
	*table = (struct columns){
		.columns = columns,
		.nr_columns = nr_columns,
		.rows = calloc(nr_rows + 1, sizeof(*table->rows)),
	};
	if (!table->rows)
		table->error = -ENOMEM;
}

void columns_add_row(struct columns *table, enum terminal_color color, double share)
{
	if (!table->error)
		table->rows[table->nr_rows++] = (struct columns_row){
			.color = color, .share = share,
		};
}

void columns_set(struct columns *table, size_t column, const char *format, ...)
{
	va_list arguments;
	char *text = NULL;

	if (table->error)
		return;
	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		table->error = -ENOMEM;
	else
		table->rows[table->nr_rows - 1].cells[column] = text;
	va_end(arguments);
}

void columns_clear(struct columns *table, size_t column)
{
	char **cell;

	if (table->error)
		return;
	cell = &table->rows[table->nr_rows - 1].cells[column];
	free(*cell);
	*cell = NULL;
}

static bool is_name(const struct column *column)
{
	return column->kind == COLUMN_FUNCTION || column->kind == COLUMN_PATH;
}

static const char *cell(const struct columns *table, size_t row, size_t column)
{
	const char *text = table->rows[row].cells[column];

	return text ? text : "";
}

/* The width of the widest cell or the title. @limit: ignore wider cells; 0: no limit */
static int find_width(const struct columns *table, size_t column, int limit)
{
	int width = terminal_columns(table->columns[column].title);
	size_t i;

	for (i = 0; i < table->nr_rows; i++) {
		int columns = terminal_columns(cell(table, i, column));

		if (columns > width && (!limit || columns <= limit))
			width = columns;
	}
	return width;
}

/* Number of blanks in front of a column */
static int find_gap(const struct columns *table, const struct layout *layout, size_t column)
{
	size_t i;

	for (i = 0; i < column; i++)
		if (layout->widths[i])
			return table->columns[column].kind == COLUMN_FIGURE ? 1 : 2;
	return 0;
}

/* Names get their minimal width before all other columns, but not most of a narrow terminal. */
static int min_width(const struct layout *layout, const struct column *column)
{
	const int half = layout->style.columns / 2;

	return column->min_width < half ? column->min_width : half;
}

/* The width of a line. @name_limit: maximum width of a name; 0: its column's minimal width */
static int line_width(const struct columns *table, const struct layout *layout, int name_limit)
{
	int all = MARGIN;
	size_t i;

	for (i = 0; i < table->nr_columns; i++) {
		const struct column *column = &table->columns[i];
		int limit = name_limit ? name_limit : min_width(layout, column);
		int width = layout->widths[i];

		if (!width)
			continue;
		if (is_name(column) && width > limit)
			width = limit;
		all += find_gap(table, layout, i) + width;
	}
	return all;
}

/* Drop the column with the lowest priority. Return: whether there was one to drop. */
static bool drop_column(const struct columns *table, struct layout *layout)
{
	size_t lowest = table->nr_columns, i;

	for (i = 0; i < table->nr_columns; i++)
		if (layout->widths[i] && table->columns[i].priority &&
		    (lowest == table->nr_columns ||
		     table->columns[i].priority < table->columns[lowest].priority))
			lowest = i;
	if (lowest < table->nr_columns)
		layout->widths[lowest] = 0;
	return lowest < table->nr_columns;
}

/*
 * Make the widest column of names narrower by 1, down to its minimal width, or with @below_min to
 * SHORTEN_MIN. Return: whether there was a column to narrow.
 */
static bool narrow(const struct columns *table, struct layout *layout, bool below_min)
{
	size_t widest = table->nr_columns, i;

	for (i = 0; i < table->nr_columns; i++) {
		int min = below_min ? SHORTEN_MIN : min_width(layout, &table->columns[i]);

		if (is_name(&table->columns[i]) && layout->widths[i] > min &&
		    (widest == table->nr_columns || layout->widths[i] > layout->widths[widest]))
			widest = i;
	}
	if (widest < table->nr_columns)
		layout->widths[widest]--;
	return widest < table->nr_columns;
}

/* Make a line fit: drop columns, set the width of the bar, then narrow the columns of names. */
static void fit(const struct columns *table, struct layout *layout)
{
	const int end = layout->style.columns;
	int room = end;
	size_t i;

	/* an upper bound for the steps of narrow() */
	for (i = 0; i < table->nr_columns; i++)
		if (is_name(&table->columns[i]) && layout->widths[i] > end)
			layout->widths[i] = end;
	while (line_width(table, layout, 0) > end && drop_column(table, layout))
		;
	room -= line_width(table, layout, USUAL_NAME) + 1;
	if (layout->style.bars > room)
		layout->style.bars = room;
	if (layout->style.bars < MIN_BAR)
		layout->style.bars = 0;
	room = end - layout->style.bars - !!layout->style.bars;
	while (line_width(table, layout, end) > room && narrow(table, layout, false))
		;
	while (line_width(table, layout, end) > room && narrow(table, layout, true))
		;
}

/* Return: how many names got a number to distinguish them, or -ENOMEM. */
static long shorten_column(struct columns *table, size_t column, int width)
{
	struct shorten_name *names = calloc(table->nr_rows + 1, sizeof(*names));
	long numbered = -ENOMEM;
	size_t i;

	if (!names)
		return -ENOMEM;
	for (i = 0; i < table->nr_rows; i++)
		names[i].full = cell(table, i, column);
	if (table->columns[column].kind == COLUMN_FUNCTION) {
		numbered = shorten_functions(names, table->nr_rows, width);
	} else {
		for (i = 0; i < table->nr_rows; i++) {
			names[i].shortened = shorten_path(names[i].full, width);
			if (!names[i].shortened)
				break;
		}
		if (i == table->nr_rows)
			numbered = 0;
	}
	for (i = 0; i < table->nr_rows; i++) {
		free(table->rows[i].cells[column]);
		table->rows[i].cells[column] = names[i].shortened;
	}
	free(names);
	return numbered;
}

/*
 * Set the widths of all columns, and shorten the names. Return: how many names got a number to
 * distinguish them, or -ENOMEM.
 */
static long lay_out(struct columns *table, struct layout *layout)
{
	long numbered = 0;
	size_t i;

	for (i = 0; i < table->nr_columns; i++) {
		bool is_bounded = layout->style.columns || !is_name(&table->columns[i]);

		if (table->columns[i].title)
			layout->widths[i] = find_width(table, i, is_bounded ? 0 : USUAL_NAME);
	}
	if (layout->style.columns)
		fit(table, layout);
	for (i = 0; i < table->nr_columns; i++) {
		const bool is_function = table->columns[i].kind == COLUMN_FUNCTION;
		const int room = layout->style.columns ? layout->widths[i] : layout->style.name;
		long more;

		/* in lines without a limit, only functions are shortened, and few of these */
		if (!room || !layout->widths[i] || !is_name(&table->columns[i]) ||
		    (!layout->style.columns && !is_function))
			continue;
		more = shorten_column(table, i, room);
		if (more < 0)
			return more;
		numbered += more;
		if (layout->style.columns)
			layout->widths[i] = find_width(table, i, 0);
	}
	return numbered;
}

/* A line that is being printed */
struct line {
	FILE *out;
	const struct columns *table;
	const struct layout *layout;
	int blanks;	/* not printed yet, so that no line ends in blanks */
};

static void print_blanks(FILE *out, int nr)
{
	while (nr-- > 0)
		putc(' ', out);
}

static void print_cell(struct line *line, size_t column, const char *text,
		       enum terminal_color color)
{
	const bool is_figure = line->table->columns[column].kind == COLUMN_FIGURE;
	int left = line->layout->widths[column] - terminal_columns(text);

	if (left < 0)
		left = 0;
	line->blanks += find_gap(line->table, line->layout, column) + is_figure * left;
	if (*text) {
		print_blanks(line->out, line->blanks);
		line->blanks = 0;
		terminal_begin(line->out, &line->layout->style, color);
		escape_octal(line->out, text, "");
		if (color != TERMINAL_PLAIN)
			terminal_end(line->out, &line->layout->style);
	}
	line->blanks += !is_figure * left;
}

static void print_titles(FILE *out, const struct columns *table, const struct layout *layout)
{
	struct line line = { out, table, layout, 0 };
	size_t i;

	fputs("#\n# ", out);
	for (i = 0; i < table->nr_columns; i++)
		if (layout->widths[i])
			print_cell(&line, i, table->columns[i].title, TERMINAL_PLAIN);
	putc('\n', out);
}

static void print_row(FILE *out, const struct columns *table, const struct layout *layout,
		      size_t row)
{
	const struct terminal_style *style = &layout->style;
	const enum terminal_color color = table->rows[row].color;
	struct line line = { out, table, layout, MARGIN };
	size_t i;

	for (i = 0; i < table->nr_columns; i++)
		if (layout->widths[i])
			print_cell(&line, i, cell(table, row, i),
				   table->columns[i].color ? color : TERMINAL_PLAIN);
	if (style->bars) {
		print_blanks(out, line.blanks + 1);
		terminal_begin(out, style, color);
		terminal_bar(out, style, table->rows[row].share);
		terminal_end(out, style);
	}
	putc('\n', out);
}

static void release(struct columns *table)
{
	size_t i, j;

	for (i = 0; i < table->nr_rows; i++)
		for (j = 0; j < table->nr_columns; j++)
			free(table->rows[i].cells[j]);
	free(table->rows);
}

int columns_print(FILE *out, struct columns *table, const struct terminal_style *style)
{
	struct layout layout = { .style = *style };
	long numbered = table->error ? table->error : lay_out(table, &layout);
	size_t i;

	if (numbered >= 0) {
		print_titles(out, table, &layout);
		for (i = 0; i < table->nr_rows; i++)
			print_row(out, table, &layout, i);
	}
	if (numbered > 0)
		terminal_print_text(out, style, "# " SHORTEN_NUMBERED_NOTE "\n");
	release(table);
	return numbered < 0 ? (int)numbered : 0;
}
