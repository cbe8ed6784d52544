// SPDX-License-Identifier: GPL-2.0-only
/*
 * A profile as text: the lines above the table, and the table that fits below them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>

#include "report/nameless.h"
#include "report/owners.h"
#include "report/report.h"
#include "report/report_head.h"

/* Of the table of a run that is not printed to a terminal: the output of a build has many. */
#define SUMMARY_ROWS	40

/* Print comment lines. @text: is freed. Return: their number. */
static long print_faint(FILE *out, const struct terminal_style *style, char *text)
{
	long lines;

	terminal_begin(out, style, TERMINAL_FAINT);
	lines = terminal_print_text(out, style, text);
	terminal_end(out, style);
	free(text);
	return lines;
}

/* Print the lines above the table. Return: their number, or -ENOMEM. */
static long print_head(FILE *out, const struct report *report)
{
	char *text = NULL;
	size_t length;
	FILE *head = open_memstream(&text, &length);

	if (!head)
		return -ENOMEM;
	report_head_print(head, report);
	if (fclose(head)) {
		free(text);
		return -ENOMEM;
	}
	return print_faint(out, &report->table.style, text);
}

/*
 * Make the line below the table, if there is one: a comment about the names in it.
 *
 * @foot: the line as it will be printed, to be freed with free(), also on error
 *
 * Return: the number of lines on the terminal, or -ENOMEM.
 */
static long make_foot(char **foot, const struct report *report)
{
	char *text = NULL;
	long lines = 0;
	size_t length;
	FILE *out;

	*foot = NULL;
	if (report->table.by != TABLE_BY_FUNCTION && report->table.by != TABLE_BY_LINE)
		return 0;
	out = open_memstream(&text, &length);
	if (!out)
		return -ENOMEM;
	lines = nameless_print(out, report);
	if (fclose(out) || lines)
		goto no_memory;
	out = open_memstream(foot, &length);
	if (!out)
		goto no_memory;
	lines = print_faint(out, &report->table.style, text);
	return fclose(out) ? -ENOMEM : lines;

no_memory:
	free(text);
	return -ENOMEM;
}

/*
 * On a terminal, limit the table to the rows that fit, and elsewhere the table of a run to a
 * summary, unless the user has set a limit.
 */
static struct table_options fit_rows(const struct report *report, long other_lines)
{
	struct table_options table = report->table;

	table.is_part = report->selection;
	if (table.top || table.min_percent > 0)
		return table;
	table.top = terminal_rows(&table.style, other_lines);
	if (!table.top && !report->of_file)
		table.top = SUMMARY_ROWS;
	table.more = report->of_file ? "--all shows all rows" : "`profil report --all' shows all rows";
	return table;
}

int report_print(FILE *out, const struct report *report)
{
	const long above = print_head(out, report);
	struct table_options table;
	char *foot = NULL;
	long below = 0;
	int error;

	if (above >= 0)
		below = make_foot(&foot, report);
	error = above < 0 ? (int)above : below < 0 ? (int)below : 0;
	if (error)
		goto out;
	table = fit_rows(report, above + below);
	if (table_is_of_owners(table.by))
		error = owners_print(out, report->result, &table);
	else if (!result_samples(report->result))
		error = report_head_print_no_samples(out, report);
	else
		error = table_print(out, report->result, report->profile, &table);
	if (!error && foot)
		fputs(foot, out);
out:
	free(foot);
	return error;
}
