// SPDX-License-Identifier: GPL-2.0-only
/*
 * What exceeds the limit of a comparison, and a table for a pull request.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>

#include "report/comparison_gate.h"
#include "util/shorten.h"
#include "util/terminal.h"

#define NAME_COLUMNS	72	/* of a page of a pull request */

static bool is_worse(const struct comparison *comparison, const struct comparison_row *row,
		     const struct comparison_gate *gate)
{
	return gate->is_set && comparison_is_worse(comparison, row, gate->percent);
}

bool comparison_fails(const struct comparison *comparison, const struct comparison_gate *gate)
{
	size_t i;

	if (is_worse(comparison, &comparison->all, gate))
		return true;
	for (i = 0; i < comparison->nr_rows; i++)
		if (is_worse(comparison, &comparison->rows[i], gate))
			return true;
	return false;
}

const struct comparison_row *comparison_undecided(const struct comparison *comparison,
						  const struct comparison_gate *gate)
{
	const struct comparison_row *worst = &comparison->all;
	size_t i;

	for (i = 0; i < comparison->nr_rows; i++)
		if (comparison->rows[i].interval.high > worst->interval.high)
			worst = &comparison->rows[i];
	return gate->is_set && !comparison_fails(comparison, gate) &&
	       comparison_percent(comparison, worst->interval.high) > gate->percent ? worst : NULL;
}

static void explain(FILE *out, const struct comparison *comparison,
		    const struct comparison_row *row, bool fails)
{
	fprintf(out, "  %+.2f percent of the old %s, %s %+.2f: ",
		comparison_percent(comparison, row->change),
		comparison->of == COMPARISON_OF_SHARES ? "samples" : "CPU time",
		fails ? "at least" : "perhaps up to",
		comparison_percent(comparison, fails ? row->interval.low : row->interval.high));
	if (*row->object) {
		terminal_print_name(out, row->object);
		putc(' ', out);
	}
	terminal_print_name(out, row->function);
	putc('\n', out);
}

void comparison_explain_failure(FILE *out, const struct comparison *comparison,
				const struct comparison_gate *gate)
{
	const struct comparison_row *row = comparison_undecided(comparison, gate);
	size_t i;

	if (row)
		explain(out, comparison, row, false);
	if (is_worse(comparison, &comparison->all, gate))
		explain(out, comparison, &comparison->all, true);
	for (i = 0; i < comparison->nr_rows; i++)
		if (is_worse(comparison, &comparison->rows[i], gate))
			explain(out, comparison, &comparison->rows[i], true);
}

/* Print a name as code: nothing in it has a meaning, but | still ends a cell. */
static void print_code(FILE *out, const char *name)
{
	size_t ticks = 0, run = 0, i;
	char *text = NULL;
	const char *at;
	size_t length;
	FILE *escaped = open_memstream(&text, &length);

	if (!escaped)
		return;
	terminal_print_name(escaped, name);
	if (fclose(escaped)) {
		free(text);
		return;
	}
	for (at = text; *at; at++) {
		run = *at == '`' ? run + 1 : 0;
		ticks = run > ticks ? run : ticks;
	}
	for (i = 0; i <= ticks; i++)
		putc('`', out);
	if (ticks)
		putc(' ', out);
	for (at = text; *at; at++)
		fprintf(out, *at == '|' ? "\\%c" : "%c", *at);
	if (ticks)
		putc(' ', out);
	for (i = 0; i <= ticks; i++)
		putc('`', out);
	free(text);
}

/* @name: of the function, shortened */
static void print_row(FILE *out, const struct comparison *comparison,
		      const struct comparison_row *row, const char *name, int decimals, bool fails)
{
	const double factor = comparison->of == COMPARISON_OF_SHARES ? 100 : 1;
	const char *bold = fails ? "**" : "";

	fprintf(out, "| %.*f | %.*f | %s%+.*f%s%s | %+.*f..%+.*f | ", decimals, factor * row->old,
		decimals, factor * row->new, bold, decimals, factor * row->change,
		row->is_significant ? "\\*" : "", bold, decimals, factor * row->interval.low,
		decimals, factor * row->interval.high);
	if (*row->object)
		print_code(out, row->object);
	fputs(" | ", out);
	print_code(out, name);
	fputs(" |\n", out);
}

static void print_verdict(FILE *out, const struct comparison *comparison,
			  const struct comparison_gate *gate)
{
	const struct comparison_row *worst = comparison_undecided(comparison, gate);

	fprintf(out, "**%s**: limit %g percent of the old %s",
		worst ? "Undecided" : comparison_fails(comparison, gate) ? "Slower" : "Not slower",
		gate->percent, comparison->of == COMPARISON_OF_SHARES ? "samples" : "CPU time");
	if (worst) {
		fprintf(out, ", and up to %.1f percent slower is possible in ",
			comparison_percent(comparison, worst->interval.high));
		print_code(out, worst->function);
	}
	fputs("\n\n", out);
}

static void print_rows(FILE *out, const struct comparison *comparison,
		       const struct comparison_table *table, const struct comparison_gate *gate,
		       const struct shorten_name *names)
{
	const bool by_share = comparison->of == COMPARISON_OF_SHARES;
	const bool has_limits = table->top || table->min_percent > 0;
	const size_t nr = comparison_count_shown(comparison, table);
	const int decimals = by_share ? 2 : table->decimals;
	size_t shown = 0, i;

	if (gate->is_set)
		print_verdict(out, comparison, gate);
	fprintf(out, "| old | new | change, %s | 95 %% interval | object | function |\n"
		"| --: | --: | --: | --- | --- | --- |\n", by_share ? "percent" : "s");
	if (!by_share)
		print_row(out, comparison, &comparison->all, comparison->all.function, decimals,
			  is_worse(comparison, &comparison->all, gate));
	for (i = 0; i < nr; i++) {
		const struct comparison_row *row = &comparison->rows[i];

		if (!has_limits && !row->is_significant)
			continue;
		print_row(out, comparison, row, names[i].shortened, decimals,
			  is_worse(comparison, row, gate));
		shown++;
	}
	if (shown < comparison->nr_rows)
		fprintf(out, "\n%zu %sfunction%s%s%s.\n", comparison->nr_rows - shown,
			has_limits ? "more " : "", comparison->nr_rows - shown == 1 ? "" : "s",
			has_limits ? "" : " did not change by more than ",
			has_limits ? "" : comparison_chance(comparison));
	if (comparison->nr_runs == 2)
		fputs("\nOne run a side: intervals have the sampling error alone, not what differs between runs.\n", out);
}

int comparison_print_markdown(FILE *out, const struct comparison *comparison,
			      const struct comparison_table *table,
			      const struct comparison_gate *gate)
{
	struct shorten_name *names = calloc(comparison->nr_rows + 1, sizeof(*names));
	long numbered = -ENOMEM;
	size_t i;

	if (!names)
		return -ENOMEM;
	for (i = 0; i < comparison->nr_rows; i++)
		names[i].full = comparison->rows[i].function;
	numbered = shorten_functions(names, comparison->nr_rows, NAME_COLUMNS);
	if (numbered >= 0)
		print_rows(out, comparison, table, gate, names);
	for (i = 0; i < comparison->nr_rows; i++)
		free(names[i].shortened);
	free(names);
	return numbered < 0 ? (int)numbered : 0;
}
