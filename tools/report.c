// SPDX-License-Identifier: GPL-2.0-only
/*
 * A profile as text. The lines above the table say what the figures rest on,
 * and everything that is known to be wrong with them.
 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "report.h"

#define NS_PER_S	1e9
#define NS_PER_MS	1e6

/* The function column grows up to here; a longer name pushes the object off. */
#define WIDEST_FUNCTION	40

/* Samples and CPU time may differ by this much before it is worth a word. */
#define SLACK_PERCENT	2
#define SLACK_SAMPLES	2

static void print_byte(FILE *out, char byte)
{
	if ((unsigned char)byte < ' ' || byte == 0x7f)
		fprintf(out, "\\%03o", (unsigned char)byte);
	else
		putc(byte, out);
}

/* Return: how many columns it took, if each byte is a character. */
static int print_name(FILE *out, const char *name)
{
	int columns = 0;

	for (; *name; name++) {
		print_byte(out, *name);
		columns += (unsigned char)*name < ' ' || *name == 0x7f ? 4 : 1;
	}
	return columns;
}

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
			print_byte(out, *argument);
	}
	putc('\'', out);
}

/* Enough decimals for one sample: 0.01 s at 100 Hz */
static int decimals(uint32_t rate)
{
	if (rate <= 100)
		return 2;
	return rate <= 1000 ? 3 : 4;
}

static double seconds(const struct report *report, uint64_t samples)
{
	return (double)samples / report->run->header.rate;
}

/*
 * CPU time of the process when its profile ended, in ns: at exit(), or for a
 * process that did not come there, as far as is known at its very end.
 */
static uint64_t end_cpu_ns(const struct report *report)
{
	uint64_t end = report->run->header.end_cpu_ns;

	return end && end < report->end->cpu_ns ? end : report->end->cpu_ns;
}

/* CPU time that the process used while it was profiled, in s */
static double profiled_cpu(const struct report *report)
{
	uint64_t start = report->run->header.start_cpu_ns;
	uint64_t end = end_cpu_ns(report);

	return end > start ? (double)(end - start) / NS_PER_S : 0;
}

/*
 * A command that libprofil could not be loaded into, such as a static program,
 * may have executed another in a process of its own, which took the profile.
 */
static bool is_other_process(const struct report *report)
{
	return report->run->header.pid != report->end->pid;
}

static void print_command(FILE *out, const struct report *report)
{
	char *const *argument;

	fputs("# command:", out);
	for (argument = report->argv; *argument; argument++) {
		putc(' ', out);
		print_argument(out, *argument);
	}
	putc('\n', out);
}

static void print_figures(FILE *out, const struct report *report)
{
	const struct profil_run *header = &report->run->header;
	uint64_t samples = report->profile->samples;
	int digits = decimals(header->rate);

	fprintf(out, "# %" PRIu64 " sample%s at %" PRIu32 " Hz = %.*f s of CPU",
		samples, samples == 1 ? "" : "s", header->rate, digits,
		seconds(report, samples));
	if (is_other_process(report))
		fprintf(out, "\n# of process %" PRId32 ", which the command started; its CPU time is not known\n",
			header->pid);
	else
		fprintf(out, "; the process used %.*f s (%.*f s before the profile began, %.*f s after it ended)\n",
			digits, (double)report->end->cpu_ns / NS_PER_S,
			digits, (double)header->start_cpu_ns / NS_PER_S,
			digits, (double)(report->end->cpu_ns -
					 end_cpu_ns(report)) / NS_PER_S);
}

static void print_difference(FILE *out, const struct report *report)
{
	double samples = (double)report->profile->samples;
	double cpu = profiled_cpu(report);
	double expected = cpu * report->run->header.rate;
	int digits = decimals(report->run->header.rate);

	if (is_other_process(report) ||
	    fabs(samples - expected) <= SLACK_SAMPLES ||
	    fabs(samples - expected) <= expected * SLACK_PERCENT / 100)
		return;
	if (samples < expected)
		fprintf(out, "# %.*f s of CPU have no samples: an exec ended the profile, or the program\n"
			"# stopped it or started its own, or it ran in bursts shorter than a clock tick,\n"
			"# of which a tick sees too few\n",
			digits, cpu - seconds(report, report->profile->samples));
	else
		fprintf(out, "# the samples stand for %.*f s more than the CPU time: the program may have\n"
			"# written into the counters\n",
			digits, seconds(report, report->profile->samples) - cpu);
}

static void print_grain(FILE *out, const struct report *report)
{
	uint32_t bytes = report->run->header.text_bytes;

	if (bytes <= sizeof(uint32_t))
		return;
	fprintf(out, "# one counter stands for %" PRIu32 " bytes of text, as the limit of locked memory\n"
		"# allows no more counters: samples of short functions may appear in their\n"
		"# neighbours; raise it by ulimit -l (in KiB, see RLIMIT_MEMLOCK in\n"
		"# setrlimit(2))\n",
		bytes);
}

static void print_problems(FILE *out, const struct report *report)
{
	const struct runfile *run = report->run;
	size_t i;

	for (i = 0; report->symbols && i < run->nr_objects; i++) {
		const char *problem = symbols_problem(report->symbols, i);

		if (!problem)
			continue;
		fputs("# ", out);
		print_name(out, run->objects[i].path);
		fprintf(out, ": %s: no function names\n", problem);
	}
}

static void print_no_samples(FILE *out, const struct report *report)
{
	uint32_t rate = report->run->header.rate;

	fputs("# no samples", out);
	if (!is_other_process(report))
		fprintf(out, ": the program used %.1f ms of CPU while it was profiled, and\n"
			"# there is one sample every %.1f ms",
			profiled_cpu(report) * NS_PER_S / NS_PER_MS,
			1000.0 / rate);
	putc('\n', out);
}

static void print_rows(FILE *out, const struct report *report)
{
	const struct profile *profile = report->profile;
	int digits = decimals(report->run->header.rate);
	int width = (int)strlen("function");
	size_t i;

	for (i = 0; i < profile->nr_rows; i++) {
		size_t length = strlen(profile->rows[i].function);

		if (length > (size_t)width && length <= WIDEST_FUNCTION)
			width = (int)length;
	}
	fprintf(out, "#\n# %7s %9s %9s  %-*s  %s\n", "percent", "seconds",
		"samples", width, "function", "object");
	for (i = 0; i < profile->nr_rows; i++) {
		const struct profile_row *row = &profile->rows[i];
		int columns;

		fprintf(out, "  %4u.%02u %9.*f %9" PRIu64 "  ",
			row->percent100 / 100, row->percent100 % 100, digits,
			seconds(report, row->samples), row->samples);
		columns = print_name(out, row->function);
		fprintf(out, "%*s", columns < width ? width - columns + 2 : 2,
			"");
		print_name(out, row->object);
		putc('\n', out);
	}
}

void report_print(FILE *out, const struct report *report)
{
	print_command(out, report);
	print_figures(out, report);
	print_difference(out, report);
	print_grain(out, report);
	print_problems(out, report);
	if (report->profile->samples)
		print_rows(out, report);
	else
		print_no_samples(out, report);
}
