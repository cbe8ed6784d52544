// SPDX-License-Identifier: GPL-2.0-only
/*
 * A profile as text. The lines above the table say what the figures rest on,
 * and everything that is known to be wrong with them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "account.h"
#include "processes.h"
#include "report.h"

#define NS_PER_S	1e9

/* As one could type it, but for control characters. */
static void print_argument(FILE *out, const char *argument)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"0123456789%+,-./:=@_^";
	char *copy, *rest;

	if (*argument && !argument[strspn(argument, plain)]) {
		fputs(argument, out);
		return;
	}
	copy = strdup(argument);
	putc('\'', out);
	for (rest = copy; rest; ) {
		terminal_print_name(out, strsep(&rest, "'"));
		if (rest)
			fputs("'\\''", out);
	}
	putc('\'', out);
	free(copy);
}

static void print_command(FILE *out, const struct report *report)
{
	char *const *argument;

	fputs("# command:", out);
	for (argument = report->result->argv; *argument; argument++) {
		putc(' ', out);
		print_argument(out, *argument);
	}
	putc('\n', out);
}

/* Times are UTC: the file may come from anywhere. */
static void print_origin(FILE *out, const struct report *report)
{
	time_t began = (time_t)(report->result->began_ns / (uint64_t)NS_PER_S);
	char text[64] = "";
	struct tm utc;

	if (gmtime_r(&began, &utc))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &utc);
	fprintf(out, "# began %s, took %.1f s, on ", text,
		(double)report->result->elapsed_ns / NS_PER_S);
	terminal_print_name(out, report->result->host);
	fputs(", Linux ", out);
	terminal_print_name(out, report->result->kernel);
	putc('\n', out);
}

static void print_reason(FILE *out, int error)
{
	const char *name = strerrorname_np(error);

	fprintf(out, " (%s): ", name ? name : "unknown error");
	switch (error) {
	case ENOMEM:
		fputs("no room for more counters. Where that is the limit of locked memory, raise it by ulimit -l (in KiB, see RLIMIT_MEMLOCK in setrlimit(2))\n", out);
		break;
	case ENOBUFS:
		fputs("more came at once than can wait for their counters; a lower --rate makes them fewer\n", out);
		break;
	case EFAULT:
		fputs("the program took the memory of its counters away (munmap, mprotect)\n", out);
		break;
	default:
		fputs("the counters cannot be written\n", out);
		break;
	}
}

static void print_losses(FILE *out, const struct report *report)
{
	const struct result *result = report->result;

	if (result->lost)
		fprintf(out, "# %" PRIu64 " sample%s (%.*f s) lost", result->lost,
			result->lost == 1 ? "" : "s", table_decimals(result->rate),
			result_seconds(result, result->lost));
	else if (result->lost_error)
		fputs("# the profile ended early", out);
	if (result->lost || result->lost_error)
		print_reason(out, result->lost_error);
	if (result->fork_failures)
		fprintf(out, "# %" PRIu64 " %s not profiled: no memory, or as many profiles as the module's max_user_sessions allows a user\n",
			result->fork_failures,
			result->fork_failures == 1 ? "child" : "children");
	if (result->failed)
		fprintf(out, "# %" PRIu64 " %s not profiled: no profile could be started\n",
			result->failed, result->failed == 1 ? "program" : "programs");
}

static void print_damage(FILE *out, const struct result *result)
{
	if (!result->damaged)
		return;
	fprintf(out, "# %" PRIu64 " %s of the run's tables made no sense, because a program wrote into them: the samples or figures there are lost\n",
		result->damaged, result->damaged == 1 ? "entry" : "entries");
}

static void print_problems(FILE *out, const struct report *report)
{
	const struct result *result = report->result;
	size_t i;

	for (i = 0; report->symbols && i < result->nr_objects; i++) {
		const char *problem = symbols_problem(report->symbols, i);

		if (!problem)
			continue;
		fputs("# ", out);
		terminal_print_name(out, result->objects[i].path);
		/* right after a run there is no such option */
		fprintf(out, ": %s: no function names%s\n", problem,
			report->of_file ? " (--root says where the files are that ran)" : "");
	}
}

static void print_head(FILE *out, const struct report *report)
{
	print_command(out, report);
	if (report->of_file)
		print_origin(out, report);
	account_print(out, report->result);
	print_losses(out, report);
	print_damage(out, report->result);
	print_problems(out, report);
}

/* What fits on a terminal beside the lines above, unless asked otherwise */
static struct table_options fit_rows(const struct report *report, long above)
{
	struct table_options table = report->table;

	table.more = "";
	if (table.top || table.min_percent > 0)
		return table;
	table.top = terminal_rows(&table.style, above);
	if (table.top && report->of_file)
		table.more = ": --top shows more, and a pipe gets all";
	return table;
}

int report_print(FILE *out, const struct report *report)
{
	const struct terminal_style *style = &report->table.style;
	struct table_options table;
	char *text = NULL;
	size_t length;
	FILE *head = open_memstream(&text, &length);

	if (!head)
		return -ENOMEM;
	print_head(head, report);
	if (fclose(head)) {
		free(text);
		return -ENOMEM;
	}
	terminal_begin(out, style, TERMINAL_FAINT);
	table = fit_rows(report, terminal_print_text(out, style, text));
	terminal_end(out, style);
	free(text);
	if (table.by == TABLE_BY_PROCESS)
		return processes_print(out, report->result, &table);
	if (result_samples(report->result))
		return table_print(out, report->result, report->profile, &table);
	return account_print_no_samples(out, style, report->result);
}
