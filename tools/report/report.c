// SPDX-License-Identifier: GPL-2.0-only
/*
 * A profile as text: the lines above the table, and the table that fits below them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>

#include "report/processes.h"
#include "report/report.h"
#include "report/report_head.h"

/* Print the lines above the table. Return: their number, or -ENOMEM. */
static long print_head(FILE *out, const struct report *report)
{
	const struct terminal_style *style = &report->table.style;
	char *text = NULL;
	long lines = -ENOMEM;
	size_t length;
	FILE *head = open_memstream(&text, &length);

	if (!head)
		return -ENOMEM;
	report_head_print(head, report);
	if (!fclose(head)) {
		terminal_begin(out, style, TERMINAL_FAINT);
		lines = terminal_print_text(out, style, text);
		terminal_end(out, style);
	}
	free(text);
	return lines;
}

/* On a terminal, limit the table to the rows that fit, unless the user has set a limit. */
static struct table_options fit_rows(const struct report *report, long lines_above)
{
	struct table_options table = report->table;

	table.more = "";
	if (table.top || table.min_percent > 0)
		return table;
	table.top = terminal_rows(&table.style, lines_above);
	if (table.top && report->of_file)
		table.more = " (--top shows more, a pipe shows all)";
	return table;
}

int report_print(FILE *out, const struct report *report)
{
	const long lines_above = print_head(out, report);
	struct table_options table;

	if (lines_above < 0)
		return (int)lines_above;
	table = fit_rows(report, lines_above);
	if (table.by == TABLE_BY_PROCESS)
		return processes_print(out, report->result, &table);
	if (result_samples(report->result))
		return table_print(out, report->result, report->profile, &table);
	return report_head_print_no_samples(out, report);
}
