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
	for (; *argument; argument++) {
		if (*argument == '\'')
			fputs("'\\''", out);
		else
			terminal_print_name(out, (char[]){ *argument, 0 });
	}
	putc('\'', out);
}

static double seconds(const struct report *report, uint64_t samples)
{
	return (double)samples / report->result->rate;
}

/*
 * CPU time of the program when its profile ended, in ns: at exit(), or for one that
 * did not come there, as far as is known at its very end.
 */
static uint64_t end_cpu_ns(const struct report *report)
{
	const struct result_process *program = &report->result->processes[0];
	uint64_t end = program->before_ns + program->cpu_ns;

	return program->has_ended && end < report->result->program_cpu_ns ?
	       end : report->result->program_cpu_ns;
}

/* What is known of the children */
struct children {
	uint64_t nr;
	uint64_t nr_ended;	/* by exit() */
	uint64_t cpu_ns;	/* that these used */
};

static struct children children(const struct result *result)
{
	struct children all = {
		.nr = result->nr_processes - 1 + result->unlisted,
		.nr_ended = result->unlisted_ended,
		.cpu_ns = result->unlisted_cpu_ns,
	};
	size_t i;

	for (i = 1; i < result->nr_processes; i++) {
		all.nr_ended += result->processes[i].has_ended;
		all.cpu_ns += result->processes[i].cpu_ns;
	}
	return all;
}

/*
 * CPU time that was profiled, in s: the program's own, and that of the children
 * which told it. There may be more.
 */
static double profiled_cpu(const struct report *report)
{
	uint64_t start = report->result->processes[0].before_ns;
	uint64_t end = end_cpu_ns(report);
	double cpu = (double)children(report->result).cpu_ns;

	if (end > start)
		cpu += (double)(end - start);
	return cpu / NS_PER_S;
}

/* Forked children of which nothing is known: they did not come to exit(). */
static uint64_t unknown_children(const struct report *report)
{
	struct children all = children(report->result);

	return all.nr - all.nr_ended;
}

/* Whether all that were profiled, the program and children, told what they lost. */
static bool losses_are_known(const struct report *report)
{
	const struct result *result = report->result;

	return result->told + result->forks_denied > children(result).nr;
}

/* All other errors of pinning but these two, which pass, end a profile. */
static bool ended_early(const struct report *report)
{
	int error = report->result->lost_error;

	return error && error != ENOMEM && error != ENOBUFS;
}

/*
 * A command that libprofil could not be loaded into, such as a static program,
 * may have executed another in a process of its own, which took the profile.
 */
static bool is_other_process(const struct report *report)
{
	return report->result->processes[0].pid != report->result->pid;
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

static void print_figures(FILE *out, const struct report *report)
{
	const struct result *result = report->result;
	uint64_t samples = result_samples(report->result);
	int digits = table_decimals(result->rate);

	fprintf(out, "# %" PRIu64 " sample%s at %" PRIu32 " Hz = %.*f s of CPU",
		samples, samples == 1 ? "" : "s", result->rate, digits,
		seconds(report, samples));
	if (is_other_process(report))
		fprintf(out, "\n# of process %" PRId32 ", which the command started; its CPU time is not known\n",
			result->processes[0].pid);
	else
		fprintf(out, "; the process used %.*f s (%.*f s before the profile began, %.*f s after it ended)\n",
			digits, (double)result->program_cpu_ns / NS_PER_S,
			digits, (double)result->processes[0].before_ns / NS_PER_S,
			digits, (double)(result->program_cpu_ns -
					 end_cpu_ns(report)) / NS_PER_S);
}

static void print_lowered_rate(FILE *out, const struct report *report)
{
	const struct result *result = report->result;

	if (result->rate < result->asked_rate)
		fprintf(out, "# the kernel has lowered the rate from %" PRIu32 " Hz: samples took more of a CPU than\n"
			"# the module's max_cpu_percent allows; seconds are by the lower one\n",
			result->asked_rate);
}

static void print_children(FILE *out, const struct report *report)
{
	const struct result *result = report->result;
	struct children all = children(result);
	uint64_t unknown = all.nr - all.nr_ended;
	double cpu = (double)all.cpu_ns / NS_PER_S;
	int digits = table_decimals(result->rate);

	if (!all.nr)
		return;
	fprintf(out, "# and %" PRIu64 " %s that it forked", all.nr,
		all.nr == 1 ? "child" : "children");
	if (!unknown)
		fprintf(out, " used %.*f s", digits, cpu);
	else if (all.nr_ended)
		fprintf(out, ", of which %" PRIu64 " used %.*f s",
			all.nr_ended, digits, cpu);
	putc('\n', out);
	if (unknown)
		fprintf(out, "# %" PRIu64 " of them did not come to exit() (exec, _exit(), a signal, or still running):\n"
			"# the CPU time used there, and the samples lost there, are not known\n",
			unknown);
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
}

/* What is known to be missing takes the place of what may be. */
static void print_missing(FILE *out, const struct report *report,
			  double missing)
{
	fprintf(out, "# %s%.*f s of CPU have no samples: ",
		unknown_children(report) ? "at least " : "",
		table_decimals(report->result->rate), missing);
	if (ended_early(report))
		fputs("the profile had ended", out);
	else if (report->result->forks_denied)
		fputs("not all children were profiled", out);
	else
		fputs("an exec ended the profile, or the program\n"
		      "# stopped it or started its own, or it ran in bursts shorter than a clock tick,\n"
		      "# of which a tick sees too few", out);
	if (!losses_are_known(report))
		fputs("; or samples were lost, as where the limit of\n"
		      "# locked memory (ulimit -l) is low: only who comes to exit() can tell", out);
	putc('\n', out);
}

/* What is known to be lost is no difference. */
static void print_difference(FILE *out, const struct report *report)
{
	const struct result *result = report->result;
	double samples = (double)result_samples(report->result) + (double)result->lost;
	double expected = profiled_cpu(report) * result->rate;
	double difference = fabs(samples - expected);

	if (is_other_process(report) ||
	    difference <= SLACK_SAMPLES * (1.0 + (double)children(result).nr) ||
	    difference <= expected * SLACK_PERCENT / 100)
		return;
	if (samples < expected)
		print_missing(out, report, difference / result->rate);
	else if (!unknown_children(report))
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
		fprintf(out, ": %s: no function names\n", problem);
	}
}

static void print_no_samples(FILE *out, const struct report *report)
{
	uint32_t rate = report->result->rate;

	/* if they were lost, that has been said */
	fputs("# no samples", out);
	if (!is_other_process(report) && !report->result->lost)
		fprintf(out, ": the program used %.1f ms of CPU while it was profiled, and\n"
			"# there is one sample every %.1f ms",
			profiled_cpu(report) * NS_PER_S / NS_PER_MS,
			1000.0 / rate);
	putc('\n', out);
}

int report_print(FILE *out, const struct report *report)
{
	const struct terminal_style *style = &report->table.style;

	terminal_begin(out, style, TERMINAL_FAINT);
	print_command(out, report);
	if (report->of_file)
		print_origin(out, report);
	print_figures(out, report);
	print_lowered_rate(out, report);
	print_children(out, report);
	print_losses(out, report);
	print_difference(out, report);
	print_problems(out, report);
	terminal_end(out, style);
	if (report->table.by == TABLE_BY_PROCESS)
		return processes_print(out, report->result, &report->table);
	if (result_samples(report->result))
		table_print(out, report->result, report->profile, &report->table);
	else
		print_no_samples(out, report);
	return 0;
}
