// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lines above a report's table: the command, its CPU time, and every known problem with
 * the figures.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include <linux/profil.h>

#include "profile/share.h"
#include "report/account.h"
#include "report/report_head.h"
#include "report/stacks_head.h"
#include "report/table.h"
#include "util/base_name.h"
#include "util/terminal.h"
#include "util/time_ns.h"

#define MS_PER_S	1e3

#define MAX_NAMES	5	/* programs that are named in one line */

/* Print an argument, quoted for a shell if necessary, with control characters in octal. */
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

#define MAX_COMMAND	1024	/* bytes of a command line that are printed */

/* Print arguments. A page of class paths or files would hide the table. */
static void print_arguments(FILE *out, char *const argv[])
{
	size_t bytes = 0, left = 0, i;

	for (i = 0; argv[i] && bytes < MAX_COMMAND; i++) {
		bytes += strlen(argv[i]) + 1;
		putc(' ', out);
		if (strlen(argv[i]) > MAX_COMMAND)
			terminal_print_cut(out, argv[i], MAX_COMMAND);
		else
			print_argument(out, argv[i]);
	}
	while (argv[i + left])
		left++;
	if (left)
		fprintf(out, " ... and %zu more argument%s", left, left == 1 ? "" : "s");
}

/* Print what was profiled. The command of a control group would be that of one of its processes. */
static void print_command(FILE *out, const struct result *result)
{
	if (result_text(result->cgroup)) {
		fputs("# control group: ", out);
		print_argument(out, result->cgroup);
	} else {
		fputs("# command:", out);
		print_arguments(out, result->argv);
	}
	putc('\n', out);
}

/* Print how the command failed. In the result of a command that still runs, its status is 0. */
static void print_end(FILE *out, const struct result *result)
{
	const int status = result->status;

	if (WIFSIGNALED(status)) {
		const char *name = sigabbrev_np(WTERMSIG(status));

		fprintf(out, "# killed by signal %d%s%s%s%s\n", WTERMSIG(status), name ? " (SIG" : "",
			name ? name : "", name ? ")" : "", WCOREDUMP(status) ? ", core dumped" : "");
	} else if (WEXITSTATUS(status)) {
		fprintf(out, "# exit status %d\n", WEXITSTATUS(status));
	}
}

/* Print when and where the command ran; in UTC, as the file may be from another time zone. */
static void print_origin(FILE *out, const struct result *result)
{
	time_t began = (time_t)(result->start_time_ns / NS_PER_S);
	char text[64] = "";
	struct tm utc;

	if (gmtime_r(&began, &utc))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &utc);
	fprintf(out, "# started %s, ran for %.1f s on ", text,
		(double)result->elapsed_ns / NS_PER_S);
	terminal_print_name(out, result->host);
	fputs(", Linux ", out);
	terminal_print_name(out, result->kernel);
	putc('\n', out);
}

/* Print a condition of a selection, after those before it. */
static void print_condition(FILE *out, const char **separator, const char *what,
			    const char *pattern)
{
	if (!pattern)
		return;
	fprintf(out, "%s%s ", *separator, what);
	terminal_print_name(out, pattern);
	*separator = ", ";
}

static void print_selection(FILE *out, const struct selection *selection)
{
	const char *separator = "# only ";
	char pid[16];

	snprintf(pid, sizeof(pid), "%" PRId32, selection->process);
	print_condition(out, &separator, "program", selection->program);
	print_condition(out, &separator, "process", selection->process ? pid : NULL);
	print_condition(out, &separator, "thread", selection->thread);
	print_condition(out, &separator, "object", selection->object);
	putc('\n', out);
}

static void print_number_of_samples(FILE *out, const struct result *result)
{
	uint64_t samples = result_samples(result);

	fprintf(out, "# %" PRIu64 " sample%s at %.6g Hz = %.*f s of CPU time",
		samples, samples == 1 ? "" : "s", result_rate(result),
		table_decimals(result->rate), result_seconds(result, samples));
}

/* Print the time in each mode. The rounded times add up. */
static void print_modes(FILE *out, const struct result *result)
{
	const int digits = table_decimals(result->rate);
	const double unit = pow(10, -digits);
	const double all = round(result_seconds(result, result_samples(result)) / unit);
	const double system = round(result_seconds(result, result_system_samples(result)) / unit);

	fprintf(out, "# %.*f s = %.*f s user + %.*f s system\n", digits, all * unit, digits,
		(all - system) * unit, digits, system * unit);
}

/* If others ran, the CPU time of the command's process is not what the samples add up to. */
static void print_samples(FILE *out, const struct result *result, const struct account *account)
{
	int digits = table_decimals(result->rate);

	print_number_of_samples(out, result);
	if (account->nr_others || result->nr_unprofiled || result_text(result->cgroup))
		putc('\n', out);
	else if (account->command_is_profiled)
		fprintf(out, "; the process used %.*f s (%.*f s before profiling started, %.*f s after it ended)\n",
			digits, (double)result->program_cpu_ns / NS_PER_S,
			digits, account->before, digits, account->after);
	else
		putc('\n', out);
	if (!account->command_is_profiled)
		fputs("# the command itself was not profiled: the samples are of programs that it executed\n", out);
}

static void print_lowered_rate(FILE *out, const struct result *result)
{
	const bool is_mean = result->mean_rate > 0;

	if (result->rate >= result->requested_rate)
		return;
	fprintf(out, "# the kernel lowered the rate from %" PRIu32 " Hz to %" PRIu32 " Hz%s: sampling used more CPU time than the module's max_cpu_percent allows%s\n",
		result->requested_rate, result->rate, is_mean ? " during the run" : "",
		is_mean ? "; seconds are based on the mean rate" : "");
}

/* @separator: printed before all but the first of a list */
static void print_number(FILE *out, const char **separator, uint64_t number, const char *one,
			 const char *more)
{
	if (!number)
		return;
	fprintf(out, "%s%" PRIu64 " %s", *separator, number, number == 1 ? one : more);
	*separator = " and ";
}

static void print_others(FILE *out, const struct result *result, const struct account *account)
{
	const uint64_t nr_finished = account->nr_others - account->nr_unfinished;
	const uint64_t nr_unknown = result->unlisted_processes - result->unlisted_ended;
	const uint64_t nr_endless = account->nr_unfinished - nr_unknown;
	int digits = table_decimals(result->rate);
	const bool of_cgroup = result_text(result->cgroup);
	const char *separator = "";

	if (!account->nr_others)
		return;
	fputs(of_cgroup ? "# in " : "# plus ", out);
	if (of_cgroup)
		print_number(out, &separator, account->nr_attached + 1, "process that ran already",
			     "processes that ran already");
	else
		print_number(out, &separator, account->nr_attached, "other process",
			     "other processes");
	print_number(out, &separator, account->nr_forked, "forked child", "forked children");
	print_number(out, &separator, account->nr_executed, "executed program",
		     "executed programs");
	print_number(out, &separator, result->unlisted_processes, "unlisted process",
		     "unlisted processes");
	if (of_cgroup)
		; /* the sum follows */
	else if (!account->nr_unfinished)
		fprintf(out, ", using %.*f s", digits, account->others);
	else if (nr_finished)
		fprintf(out, ", %" PRIu64 " of them using %.*f s", nr_finished, digits,
			account->others);
	putc('\n', out);
	if (nr_unknown)
		fprintf(out, "# the CPU time of %" PRIu64 " unlisted process%s is unknown: process IDs are not visible, or the log does not have the end\n",
			nr_unknown, nr_unknown == 1 ? "" : "es");
	if (nr_endless)
		fprintf(out, "# the log does not have the end of %" PRIu64 " of them: this CPU time is unknown\n",
			nr_endless);
}

static void print_unprofiled(FILE *out, const struct result *result,
			     const struct account *account)
{
	int digits = table_decimals(result->rate);
	double left = account->unprofiled;
	size_t i;

	fprintf(out, "#   %.*f s in programs that were not profiled:", digits, left);
	for (i = 0; i < result->nr_unprofiled && i < MAX_NAMES; i++) {
		const struct result_unprofiled *program = &result->unprofiled[i];

		fputs(i ? ", " : " ", out);
		terminal_print_name(out, base_name(program->program));
		fprintf(out, " %.*f s", digits, (double)program->cpu_ns / NS_PER_S);
		if (program->processes > 1)
			fprintf(out, " in %" PRIu64 " processes", program->processes);
		left -= (double)program->cpu_ns / NS_PER_S;
	}
	if (i < result->nr_unprofiled)
		fprintf(out, ", others %.*f s", digits, fabs(left));
	putc('\n', out);
}

/* Print where the rest of the CPU time can be. An older result has less of it. */
static void print_rest(FILE *out, const struct result *result, const struct account *account)
{
	if (!result->log_bytes)
		fputs(", and in processes that were not followed", out);
	else if (result->nr_unprofiled)
		fputs(", and in children of programs that were not profiled", out);
	if (result->no_follow)
		fputs(", and in programs that were not followed (--no-follow)", out);
	if (result->fork_failures)
		fputs(", and in children that were not profiled", out);
	if (result->lost_records)
		fputs(", and in programs whose records were lost", out);
	if (account->nr_unfinished)
		fputs(", and in processes whose CPU time is unknown", out);
}

/* The lines after the first add up to its figure. */
static void print_total(FILE *out, const struct result *result, const struct account *account)
{
	int digits = table_decimals(result->rate);

	/* without others, the command's process may have executed further programs */
	if (!account->nr_others && !result->nr_unprofiled && result->nr_processes == 1)
		return;
	if (account->total > account->waited)
		fprintf(out, "# all processes used %.*f s of CPU time, %.*f s of it in those that were waited for:\n",
			digits, account->total, digits, account->waited);
	else
		fprintf(out, "# all processes used %.*f s of CPU time:\n", digits, account->total);
	fprintf(out, "#   %.*f s while they were profiled\n", digits, account->profiled);
	if (result->nr_unprofiled)
		print_unprofiled(out, result, account);
	fprintf(out, "#   %.*f s while programs started or exited", digits, account->rest);
	print_rest(out, result, account);
	putc('\n', out);
}

/* A cause that is known is the only one that is printed. The random clock misses no bursts. */
static void print_missing(FILE *out, const struct result *result, const struct account *account)
{
	const char *cause = ": a program may have run in bursts shorter than the sampling interval, which the clocks tick and timer can miss (try --clock random)";

	if (result->fork_failures)
		cause = ": not all children were profiled";
	else if (result->lost_records)
		cause = ": records of programs and mappings were lost";
	else if (result->clock == PROFIL_CLOCK_RANDOM)
		cause = "";
	fprintf(out, "# %s%.*f s of CPU time have no samples%s\n",
		account->nr_unfinished ? "at least " : "", table_decimals(result->rate),
		account->missing, cause);
}

/*
 * A clock that is in step with a program may sample it every time, although it seldom runs.
 * The random clock is never in step.
 */
static void print_excess(FILE *out, const struct result *result, const struct account *account)
{
	fprintf(out, "# the samples amount to %.*f s more than the CPU time%s\n",
		table_decimals(result->rate), account->excess,
		result->clock == PROFIL_CLOCK_RANDOM ? "" :
		": the program may run in step with the clock (try --clock random)");
}

static bool has_small_log(const struct result *result)
{
	return result->log_bytes < result->wanted_log_bytes;
}

/* Print why there was a loss, and what helps against it. */
static void print_full_log(FILE *out, const struct result *result)
{
	const char *contents = result->records_filled_log ? "records of programs and mappings" :
							    "samples";

	fputs("the log was full", out);
	/* an older result does not have this */
	if (result->log_bytes)
		fprintf(out, " of %s", contents);
	fputs(", as profil could not read it in time; ", out);
	if (has_small_log(result))
		fputs("raise the limit of locked memory (ulimit -l), or ", out);
	if (!result->records_filled_log)
		fputs("use a lower --rate", out);
	else if (result->no_follow)
		fputs("profile fewer processes", out);
	else
		fputs("profile fewer processes, or use --no-follow", out);
}

static void print_lost_samples(FILE *out, const struct result *result)
{
	fprintf(out, "# %" PRIu64 " sample%s (%.*f s) lost (ENOBUFS): ", result->lost,
		result->lost == 1 ? "" : "s", table_decimals(result->rate),
		result_seconds(result, result->lost));
	print_full_log(out, result);
	putc('\n', out);
}

/* The cause is printed once. */
static void print_lost_records(FILE *out, const struct result *result)
{
	fprintf(out, "# %" PRIu64 " record%s of programs and mappings %s lost (ENOBUFS): samples may be counted for a wrong program or function, and programs or their CPU time may be missing",
		result->lost_records, result->lost_records == 1 ? "" : "s",
		result->lost_records == 1 ? "was" : "were");
	if (!result->lost) {
		fputs("; ", out);
		print_full_log(out, result);
	}
	putc('\n', out);
}

static void print_losses(FILE *out, const struct result *result)
{
	if (result->lost)
		print_lost_samples(out, result);
	if (result->lost_records)
		print_lost_records(out, result);
	if (has_small_log(result))
		fprintf(out, "# the log had %" PRIu64 " KiB instead of %" PRIu64 " KiB: the limit of locked memory (ulimit -l) left no more\n",
			result->log_bytes >> 10, result->wanted_log_bytes >> 10);
	if (result->folded_threads)
		fprintf(out, "# %" PRIu64 " thread%s with few samples %s not listed, as the result would be too large\n",
			result->folded_threads, result->folded_threads == 1 ? "" : "s",
			result->folded_threads == 1 ? "is" : "are");
	if (result->folded_samples)
		fprintf(out, "# %" PRIu64 " sample%s at rare addresses %s outside all objects, as the result would be too large\n",
			result->folded_samples, result->folded_samples == 1 ? "" : "s",
			result->folded_samples == 1 ? "is" : "are");
	if (result->skipped)
		fprintf(out, "# %" PRIu64 " sample%s (%.*f s) not taken: the clock was late by more than 100 ms, as in a virtual machine that is stopped for a while\n",
			result->skipped, result->skipped == 1 ? "" : "s",
			table_decimals(result->rate), result_seconds(result, result->skipped));
	if (result->fork_failures)
		fprintf(out, "# %" PRIu64 " %s not profiled: out of memory, or the user's limit (max_user_sessions of the module) was reached\n",
			result->fork_failures,
			result->fork_failures == 1 ? "child was" : "children were");
}

/* @text: is freed; NULL: no problem */
static void print_problem(FILE *out, char *text)
{
	if (!text)
		return;
	fputs("# ", out);
	terminal_print_name(out, text);
	putc('\n', out);
	free(text);
}

static void print_symbol_problems(FILE *out, const struct report *report)
{
	/* `profil run' has no such option */
	const char *option = report->of_file ? "--root" : NULL;
	size_t i;

	for (i = 0; report->symbols && i < report->result->nr_objects; i++) {
		print_problem(out, symbols_explain(report->symbols, i, option));
		print_problem(out, symbols_explain_lines(report->symbols, i));
	}
}

/* CPU times are known of whole processes. */
static void print_account(FILE *out, const struct result *result)
{
	const struct account account = account_make(result);

	print_samples(out, result, &account);
	print_modes(out, result);
	print_lowered_rate(out, result);
	print_others(out, result, &account);
	print_total(out, result, &account);
	if (account.missing > 0)
		print_missing(out, result, &account);
	if (account.excess > 0)
		print_excess(out, result, &account);
}

/* Say what the rows are of. */
static void print_neighbours(FILE *out, const struct report *report)
{
	const uint64_t samples = report->profile->samples;

	fprintf(out, "# who %s ", report->table.is_callees ? "is called by" : "calls");
	terminal_print_name(out, report->table.of);
	fprintf(out, ", which is in the stacks of %" PRIu64 " sample%s, %.2f %% of all\n", samples,
		samples == 1 ? "" : "s", share_percent(samples, result_samples(report->result)));
}

void report_head_print(FILE *out, const struct report *report)
{
	const struct result *result = report->result;

	print_command(out, result);
	print_end(out, result);
	if (report->of_file)
		print_origin(out, result);
	if (report->selection) {
		print_selection(out, report->selection);
		print_number_of_samples(out, result);
		putc('\n', out);
		print_modes(out, result);
		print_lowered_rate(out, result);
	} else {
		print_account(out, result);
	}
	print_losses(out, result);
	stacks_head_print(out, result);
	print_symbol_problems(out, report);
	if (report->table.of)
		print_neighbours(out, report);
}

int report_head_print_no_samples(FILE *out, const struct report *report)
{
	const struct terminal_style *style = &report->table.style;
	const struct result *result = report->result;
	const struct account account = account_make(result);

	/* report_head_print() has printed that they were lost */
	if (report->selection || !account.command_is_profiled || result->lost)
		return terminal_print_comment(out, style, "# no samples");
	return terminal_print_comment(out, style,
				      "# no samples: the program used %.1f ms of CPU time while it was profiled; a sample is taken every %.1f ms",
				      account.profiled * MS_PER_S,
				      MS_PER_S / result_rate(result));
}
