// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of prof(1), with the same titles and columns, because programs parse it. A figure
 * that is wider than its column still has a blank in front of it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "monout/prof_table.h"
#include "util/shorten.h"

#define ADDRESS_TITLE	"         Address "
#define TITLES	" %Time Seconds Cumsecs  #Calls   msec/call  Name\n"

#define FIGURES		44	/* terminal columns in front of the name */
#define MIN_NAME	20	/* terminal columns of a name */
#define MAX_DECIMALS	4	/* of milliseconds */
#define CALLS_COLUMNS	22	/* terminal columns of the calls and the milliseconds per call */

static double percent_of(const struct prof_row *row, const struct prof *prof)
{
	return prof->samples > 0 ? 100 * row->samples / prof->samples : 0;
}

static double row_percent(const void *of, size_t i)
{
	const struct prof *prof = of;

	return percent_of(&prof->rows[i], prof);
}

/* One decimal for each factor of 10, because the mean of many calls is more precise. */
static int call_decimals(uint64_t calls)
{
	int decimals = 0;

	while (calls >= 10 && decimals < MAX_DECIMALS) {
		calls /= 10;
		decimals++;
	}
	return decimals;
}

/* PROF_NOWHERE gets no time per call: its calls and samples are unrelated. */
static void print_calls(FILE *out, const struct prof_row *row, double seconds)
{
	const int decimals = call_decimals(row->calls);

	if (!row->calls) {
		fprintf(out, "%*s", CALLS_COLUMNS, "");
		return;
	}
	fprintf(out, " %7" PRIu64, row->calls);
	if (row->is_function)
		fprintf(out, " %#*.*f%*s", 7 + decimals, decimals,
			1000 * seconds / (double)row->calls, 6 - decimals, "");
	else
		fprintf(out, "%14s", "");
}

static void print_address(FILE *out, uint64_t address, char conversion)
{
	if (conversion == 'o')
		fprintf(out, "%16" PRIo64 " ", address);
	else if (conversion)
		fprintf(out, "%16" PRIx64 " ", address);
}

static void print_rows(FILE *out, const struct prof *prof, const struct shorten_name *names,
		       uint32_t rate, const struct prof_table_options *options)
{
	const struct terminal_style *style = &options->table.style;
	const int decimals = table_decimals(rate);
	double samples = 0;
	size_t i;

	for (i = 0; i < prof->nr_rows; i++) {
		const struct prof_row *row = &prof->rows[i];
		const double percent = row_percent(prof, i);
		const double seconds = row->samples / rate;

		samples += row->samples;
		print_address(out, row->address, options->address);
		terminal_begin(out, style, terminal_share_color(percent));
		fprintf(out, "%6.1f", percent);
		terminal_end(out, style);
		fprintf(out, " %7.*f %7.*f", decimals, seconds, decimals,
			samples / rate);
		print_calls(out, row, seconds);
		terminal_print_name(out, names[i].shortened ? names[i].shortened : row->name);
		putc('\n', out);
	}
}

/* Return: how many names got a number to distinguish them, or -ENOMEM. */
static long shorten_names(const struct prof *prof, struct shorten_name *names,
		       const struct terminal_style *style)
{
	int room = style->columns - FIGURES;
	size_t i;

	if (!style->columns)
		return 0;
	for (i = 0; i < prof->nr_rows; i++)
		names[i].full = prof->rows[i].name;
	return shorten_functions(names, prof->nr_rows, room < MIN_NAME ? MIN_NAME : room);
}

static int print_omitted(FILE *out, const struct prof *prof, size_t shown,
			 const struct terminal_style *style)
{
	struct prof_row omitted = { 0 };
	size_t i;

	if (!prof->nr_rows)
		return terminal_print_comment(out, style, "# no samples and no calls");
	if (shown == prof->nr_rows)
		return 0;
	for (i = shown; i < prof->nr_rows; i++)
		omitted.samples += prof->rows[i].samples;
	return terminal_print_comment(out, style, "# %zu more row%s with %.1f percent",
				      prof->nr_rows - shown,
				      prof->nr_rows - shown == 1 ? "" : "s",
				      percent_of(&omitted, prof));
}

int prof_table_print(FILE *out, struct prof *prof, uint32_t rate,
		     const struct prof_table_options *options)
{
	const struct table_options *table = &options->table;
	struct shorten_name *names = calloc(prof->nr_rows + 1, sizeof(*names));
	struct prof shown = *prof;
	int error = -ENOMEM;
	long numbered;
	size_t i;

	if (!names)
		return -ENOMEM;
	prof_sort(prof->rows, prof->nr_rows, PROFILE_BY_SAMPLES);
	shown.nr_rows = table_count_shown(prof->nr_rows, table->top, table->min_percent,
					  row_percent, prof);
	if (options->by_calls)
		prof_sort_by_calls(shown.rows, shown.nr_rows);
	else
		prof_sort(shown.rows, shown.nr_rows, table->order);
	numbered = shorten_names(&shown, names, &table->style);
	if (numbered >= 0) {
		if (!options->bare)
			fprintf(out, "%s%s", options->address ? ADDRESS_TITLE : "", TITLES);
		print_rows(out, &shown, names, rate, options);
		error = options->bare ? 0 : print_omitted(out, prof, shown.nr_rows, &table->style);
	}
	if (!error && numbered && !options->bare)
		error = terminal_print_comment(out, &table->style, "# " SHORTEN_NUMBERED_NOTE);
	for (i = 0; i < shown.nr_rows; i++)
		free(names[i].shortened);
	free(names);
	return error;
}
