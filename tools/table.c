// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rows of a report. What is left out of a table is said below it, so that nobody
 * takes what is there for all.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "confidence.h"
#include "share.h"
#include "table.h"

/* A column of names grows up to here; a longer name pushes the next one off. */
#define WIDEST_NAME	40

/* Where lines have an end, names get so much before there are bars, and bars so much */
#define LEAST_NAME	24
#define LEAST_BAR	5

/* Columns before the names, and those of the interval */
#define FIGURES		31
#define INTERVAL	16

/* The columns of a table */
struct layout {
	int name;
	int object;
	int longest_name;	/* a longer one is cut; 0: none is */
	struct terminal_style style;
};

int table_decimals(uint32_t rate)
{
	if (rate <= 100)
		return 2;
	return rate <= 1000 ? 3 : 4;
}

/* Before a bar, all are as wide as the widest, 0.00..100.00 */
static void print_interval(FILE *out, const struct terminal_style *style,
			   uint64_t samples, uint64_t all)
{
	struct interval interval = confidence_share(samples, all);
	char text[32];

	snprintf(text, sizeof(text), "%.2f..%.2f", 100 * interval.low,
		 100 * interval.high);
	fprintf(out, style->bars ? "  %-12s " : "  %s", text);
	terminal_begin(out, style, terminal_share_color(share_percent(samples, all)));
	terminal_bar(out, style, share_percent(samples, all) / 100);
	terminal_end(out, style);
	putc('\n', out);
}

/* Print a name in a column of some width. */
static void print_padded(FILE *out, const char *name, int width, int most)
{
	int columns = terminal_print_cut(out, name, most);

	fprintf(out, "%*s", columns < width ? width - columns : 0, "");
}

static void widen(int *width, const char *name)
{
	size_t length = strlen(name);

	if (length > (size_t)*width && length <= WIDEST_NAME)
		*width = (int)length;
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

/*
 * On a terminal, lines shall not go on in the next: first names are made to fit, down to what
 * is readable, then bars.
 */
static void fit(struct layout *layout, int longest, int room)
{
	const int least = longest < LEAST_NAME ? longest : LEAST_NAME;

	if (longest + layout->style.bars <= room)
		return;
	if (layout->style.bars > room - least)
		layout->style.bars = room - least;
	if (layout->style.bars < LEAST_BAR)
		layout->style.bars = 0;
	layout->longest_name = room - layout->style.bars;
	if (layout->longest_name < LEAST_NAME)
		layout->longest_name = LEAST_NAME;
}

static struct layout lay_out(const struct profile *shown, const struct table_options *options,
			     const char *title)
{
	struct layout layout = {
		.name = (int)strlen(title),
		.object = (int)strlen("object"),
		.style = options->style,
	};
	int room = layout.style.columns - FIGURES - INTERVAL, longest = 0;
	size_t i;

	for (i = 0; i < shown->nr_rows; i++) {
		size_t length = strlen(shown->rows[i].function);

		if (length > (size_t)longest)
			longest = length < INT_MAX / 2 ? (int)length : INT_MAX / 2;
		widen(&layout.name, shown->rows[i].function);
		widen(&layout.object, shown->rows[i].object);
	}
	if (options->by != TABLE_BY_OBJECT)
		room -= 2 + layout.object;
	if (layout.style.columns)
		fit(&layout, longest, room);
	/* the end is what tells paths apart */
	if (options->by == TABLE_BY_OBJECT)
		layout.longest_name = 0;
	/* one that is cut fills its column */
	if (layout.longest_name && longest > layout.longest_name)
		layout.name = layout.longest_name;
	return layout;
}

static void print_row(FILE *out, const struct result *result,
		      const struct profile *profile, const struct profile_row *row,
		      const struct table_options *options, const struct layout *layout)
{
	const struct terminal_style *style = &layout->style;

	terminal_begin(out, style, terminal_share_color(share_percent(row->samples, profile->samples)));
	fprintf(out, "  %4u.%02u", row->percent100 / 100, row->percent100 % 100);
	terminal_end(out, style);
	fprintf(out, " %9.*f %9" PRIu64 "  ", table_decimals(result->rate),
		result_seconds(result, row->samples), row->samples);
	print_padded(out, row->function, layout->name, layout->longest_name);
	if (options->by != TABLE_BY_OBJECT) {
		fputs("  ", out);
		print_padded(out, row->object, layout->object, 0);
	}
	print_interval(out, style, row->samples, profile->samples);
}

static void print_left_out(FILE *out, const struct profile *profile, size_t shown,
			   const char *what)
{
	uint64_t samples = 0;
	size_t i;

	for (i = shown; i < profile->nr_rows; i++)
		samples += profile->rows[i].samples;
	if (shown < profile->nr_rows)
		fprintf(out, "# and %zu more %s%s, with %.2f percent\n",
			profile->nr_rows - shown, what,
			profile->nr_rows - shown == 1 ? "" : "s",
			share_percent(samples, profile->samples));
}

void table_print(FILE *out, const struct result *result, struct profile *profile,
		 const struct table_options *options)
{
	static const char *const names[] = {
		[TABLE_BY_FUNCTION] = "function",
		[TABLE_BY_LINE] = "line",
		[TABLE_BY_OBJECT] = "object",
	};
	bool by_object = options->by == TABLE_BY_OBJECT;
	const char *name = names[options->by];
	struct profile shown = *profile;
	struct layout layout;
	size_t i;

	profile_sort(profile, PROFILE_BY_SAMPLES);
	shown.nr_rows = table_count_shown(profile->nr_rows, options->top, options->min_percent,
					  row_percent, profile);
	profile_sort(&shown, options->order);
	layout = lay_out(&shown, options, name);
	fprintf(out, "#\n# %7s %9s %9s  %-*s", "percent", "seconds", "samples",
		layout.name, name);
	if (!by_object)
		fprintf(out, "  %-*s", layout.object, "object");
	fputs("  95%-interval\n", out);
	for (i = 0; i < shown.nr_rows; i++)
		print_row(out, result, profile, &shown.rows[i], options, &layout);
	print_left_out(out, profile, shown.nr_rows, name);
}
