// SPDX-License-Identifier: GPL-2.0-only
/*
 * A profile as text. The lines above the table say what the figures rest on,
 * and everything that is known to be wrong with them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "processes.h"
#include "report.h"

#define NS_PER_S	1e9
#define NS_PER_MS	1e6

/* Samples and CPU time may differ by this much before it is worth a word. */
#define SLACK_PERCENT	2
#define SLACK_SAMPLES	2	/* for each process */

/* As one could type it, but for control characters. */
static void print_argument(FILE *out, const char *argument)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"0123456789%+,-./:=@_^";

	if (*argument && !argument[strspn(argument, plain)]) {
		fputs(argument, out);
		return;
	}
	putc('\'', out);
	for (;;) {
		size_t length = strcspn(argument, "'");

		terminal_print_bytes(out, argument, length);
		argument += length;
		if (!*argument)
			break;
		fputs("'\\''", out);
		argument++;
	}
	putc('\'', out);
}

static double seconds(const struct report *report, uint64_t samples)
{
	return result_seconds(report->result, samples);
}

/**
 * struct account - what the processes have told, added up
 * @first:       program of the command's own process whose profile was the first; NULL:
 *               nothing of that was profiled. A static program, say, may have executed
 *               others in processes of their own
 * @last:        and the last, of which more is known than it has told
 * @earlier_ns:  CPU time of the command's own process in profiles before the last
 * @nr_forked:   other processes: forked children,
 * @nr_executed: and programs that were executed
 * @nr_unknown:  of these, have not told of their end
 * @others_ns:   CPU time of those that have
 * @before_ns:   CPU time before programs were profiled
 * @nr_untold:   processes, the command's own among them, that have not told what they lost
 */
struct account {
	const struct result_process *first;
	const struct result_process *last;
	uint64_t earlier_ns;
	uint64_t nr_forked;
	uint64_t nr_executed;
	uint64_t nr_unknown;
	uint64_t others_ns;
	uint64_t before_ns;
	uint64_t nr_untold;
};

static void account_own(struct account *account, const struct result_process *process)
{
	if (!account->first)
		account->first = process;
	if (account->last)
		account->earlier_ns += account->last->cpu_ns;
	account->last = process;
}

static void account_other(struct account *account, const struct result_process *process)
{
	if (process->is_fork) {
		account->nr_forked++;
	} else {
		account->nr_executed++;
		account->before_ns += process->before_ns;
	}
	account->nr_unknown += !process->has_ended;
	account->others_ns += process->cpu_ns;
}

static struct account make_account(const struct result *result)
{
	struct account account = {
		.nr_unknown = result->unlisted,
		.nr_untold = result->unlisted,
	};
	size_t i;

	for (i = 0; i < result->nr_processes; i++) {
		const struct result_process *process = &result->processes[i];

		account.nr_untold += !process->has_told;
		if (process->pid == result->pid)
			account_own(&account, process);
		else
			account_other(&account, process);
	}
	return account;
}

/*
 * CPU time of the command's process when its last profile ended, in ns: at exit(), or for
 * one that did not come there, as far as is known at its very end.
 */
static uint64_t end_cpu_ns(const struct result *result, const struct account *account)
{
	uint64_t end = account->last->before_ns + account->last->cpu_ns;

	return account->last->has_ended && end < result->program_cpu_ns ?
	       end : result->program_cpu_ns;
}

/*
 * CPU time that was profiled, in s: the command's, and that of the others which told it.
 * There may be more.
 */
static double profiled_cpu(const struct result *result, const struct account *account)
{
	double cpu = (double)account->others_ns + (double)account->earlier_ns;
	uint64_t end;

	if (account->last) {
		end = end_cpu_ns(result, account);
		if (end > account->last->before_ns)
			cpu += (double)(end - account->last->before_ns);
	}
	return cpu / NS_PER_S;
}

/* All other errors of pinning but these two, which pass, end a profile. */
static bool ended_early(const struct report *report)
{
	int error = report->result->lost_error;

	return error && error != ENOMEM && error != ENOBUFS;
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

static void print_figures(FILE *out, const struct report *report,
			  const struct account *account)
{
	const struct result *result = report->result;
	uint64_t samples = result_samples(report->result);
	int digits = table_decimals(result->rate);

	fprintf(out, "# %" PRIu64 " sample%s at %.6g Hz = %.*f s of CPU",
		samples, samples == 1 ? "" : "s", result_rate(result), digits,
		seconds(report, samples));
	if (account->first)
		fprintf(out, "; the process used %.*f s (%.*f s before the profile began, %.*f s after it ended)",
			digits, (double)result->program_cpu_ns / NS_PER_S,
			digits, (double)account->first->before_ns / NS_PER_S,
			digits, (double)(result->program_cpu_ns -
					 end_cpu_ns(result, account)) / NS_PER_S);
	else
		fputs("\n# of what the command executed: itself it is not profiled", out);
	putc('\n', out);
}

static void print_lowered_rate(FILE *out, const struct report *report)
{
	const struct result *result = report->result;

	if (result->rate < result->asked_rate)
		fprintf(out, "# the kernel has lowered the rate from %" PRIu32 " Hz to %" PRIu32 " Hz: samples took more of a\n"
			"# CPU than the module's max_cpu_percent allows\n",
			result->asked_rate, result->rate);
	if (result->mean_rate > 0)
		fputs("# not everywhere: seconds are by the mean rate\n", out);
}

static void print_number(FILE *out, uint64_t number, const char *one, const char *more)
{
	fprintf(out, "%" PRIu64 " %s", number, number == 1 ? one : more);
}

static void print_others(FILE *out, const struct result *result,
			 const struct account *account)
{
	uint64_t nr = account->nr_forked + account->nr_executed + result->unlisted;
	int digits = table_decimals(result->rate);

	if (!nr)
		return;
	fputs("# and ", out);
	if (account->nr_forked)
		print_number(out, account->nr_forked, "forked child", "forked children");
	if (account->nr_forked && account->nr_executed)
		fputs(" and ", out);
	if (account->nr_executed)
		print_number(out, account->nr_executed, "executed program", "executed programs");
	if (result->unlisted)
		fprintf(out, "%s%" PRIu64 " for which there was no place in the list",
			account->nr_forked || account->nr_executed ? " and " : "", result->unlisted);
	if (!account->nr_unknown)
		fprintf(out, " used %.*f s", digits, (double)account->others_ns / NS_PER_S);
	else if (account->nr_unknown < nr)
		fprintf(out, ", of which %" PRIu64 " used %.*f s", nr - account->nr_unknown, digits,
			(double)account->others_ns / NS_PER_S);
	putc('\n', out);
	if (account->nr_unknown)
		fprintf(out, "# %" PRIu64 " of them did not come to exit() (a signal, execl(), or still running):\n"
			"# the CPU time used there, and the samples lost there, are not known\n",
			account->nr_unknown);
	if (account->nr_executed && account->first)
		fprintf(out, "# all that the command waited for used %.*f s, in which are also the starts of\n"
			"# programs, and what is not profiled\n", digits,
			(double)(result->program_cpu_ns + result->children_cpu_ns) / NS_PER_S);
}

static void print_reason(FILE *out, int error)
{
	const char *name = strerrorname_np(error);

	fprintf(out, " (%s): ", name ? name : "unknown error");
	switch (error) {
	case ENOMEM:
		fputs("no room for more counters. Where that\n"
		      "# is the limit of locked memory, raise it by ulimit -l (in KiB, see RLIMIT_MEMLOCK\n"
		      "# in setrlimit(2))\n", out);
		break;
	case ENOBUFS:
		fputs("more came at once than can wait for\n"
		      "# their counters; a lower --rate makes them fewer\n", out);
		break;
	case EFAULT:
		fputs("the program took the memory of its\n"
		      "# counters away (munmap, mprotect)\n", out);
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
			seconds(report, result->lost));
	else if (result->lost_error)
		fputs("# the profile ended early", out);
	if (result->lost || result->lost_error)
		print_reason(out, result->lost_error);
	if (result->forks_denied)
		fprintf(out, "# %" PRIu64 " %s not profiled: no memory, or as many profiles as the module's\n"
			"# max_user_sessions allows a user\n",
			result->forks_denied,
			result->forks_denied == 1 ? "child" : "children");
	if (result->failed)
		fprintf(out, "# %" PRIu64 " %s not profiled: no profile could be started\n",
			result->failed, result->failed == 1 ? "program" : "programs");
}

static void print_damage(FILE *out, const struct result *result)
{
	if (!result->damaged)
		return;
	fputs("# ", out);
	print_number(out, result->damaged, "entry", "entries");
	fputs(" of the run's tables made no sense, because a program wrote into them: the\n"
	      "# samples or figures there are lost\n", out);
}

/* What is known to be missing takes the place of what may be. */
static void print_missing(FILE *out, const struct report *report,
			  const struct account *account, double missing)
{
	fprintf(out, "# %s%.*f s of CPU have no samples: ",
		account->nr_unknown ? "at least " : "",
		table_decimals(report->result->rate), missing);
	if (ended_early(report))
		fputs("the profile had ended", out);
	else if (report->result->forks_denied)
		fputs("not all children were profiled", out);
	else
		fputs("an exec ended the profile, or a program\n"
		      "# stopped it or started its own, or it ran in bursts shorter than a clock tick,\n"
		      "# of which a tick sees too few", out);
	if (account->nr_untold > report->result->forks_denied)
		fputs("; or samples were lost, as where the limit of\n"
		      "# locked memory (ulimit -l) is low: only who comes to exit() can tell", out);
	putc('\n', out);
}

/*
 * What is known to be lost is no difference. And what a child of vfork() used until it
 * executed a program counted for its parent, and is time before the program's profile.
 */
static void print_difference(FILE *out, const struct report *report,
			     const struct account *account)
{
	const struct result *result = report->result;
	double samples = (double)result_samples(report->result) + (double)result->lost;
	double expected = profiled_cpu(result, account) * result->rate;
	double most = expected + (double)account->before_ns / NS_PER_S * result->rate;
	double difference = fabs(samples - expected);

	if (difference <= SLACK_SAMPLES * (double)(result->nr_processes + result->unlisted) ||
	    difference <= expected * SLACK_PERCENT / 100)
		return;
	if (samples < expected)
		print_missing(out, report, account, difference / result->rate);
	else if (!account->nr_unknown && samples > most)
		fprintf(out, "# the samples stand for %.*f s more than the CPU time: the program may have\n"
			"# written into the counters, or made children by clone(2), of which nothing is\n"
			"# known\n",
			table_decimals(result->rate), difference / result->rate);
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

static void print_no_samples(FILE *out, const struct result *result,
			     const struct account *account)
{
	/* if they were lost, that has been said */
	fputs("# no samples", out);
	if (account->first && !result->lost)
		fprintf(out, ": the program used %.1f ms of CPU while it was profiled, and\n"
			"# there is one sample every %.1f ms",
			profiled_cpu(result, account) * NS_PER_S / NS_PER_MS,
			1000.0 / result_rate(result));
	putc('\n', out);
}

int report_print(FILE *out, const struct report *report)
{
	const struct terminal_style *style = &report->table.style;
	const struct account account = make_account(report->result);

	terminal_begin(out, style, TERMINAL_FAINT);
	print_command(out, report);
	if (report->of_file)
		print_origin(out, report);
	print_figures(out, report, &account);
	print_lowered_rate(out, report);
	print_others(out, report->result, &account);
	print_losses(out, report);
	print_damage(out, report->result);
	print_difference(out, report, &account);
	print_problems(out, report);
	terminal_end(out, style);
	if (report->table.by == TABLE_BY_PROCESS)
		return processes_print(out, report->result, &report->table);
	if (result_samples(report->result))
		table_print(out, report->result, report->profile, &report->table);
	else
		print_no_samples(out, report->result, &account);
	return 0;
}
