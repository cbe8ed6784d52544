// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs two commands in turn, and compares their CPU times.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compare/program.h"
#include "compare/turns.h"
#include "util/failure.h"
#include "util/time_ns.h"
#include "util/working.h"

bool turns_have_input(void)
{
	struct stat st;

	return !fstat(STDIN_FILENO, &st) && S_ISREG(st.st_mode);
}

/* Return: 0 or -errno, and @cpu_ns is set. */
static int run_once(const struct turns *turns, int which, int *status, double *cpu_ns)
{
	struct program_run run = {
		.path = turns->paths[which], .argv = turns->argv[which],
		.input = turns->has_input ? NULL : "/dev/null", .output = "/dev/null",
	};
	int error;

	/* not opened again: this user may have no right to, as after sudo(8) */
	if (turns->has_input && lseek(STDIN_FILENO, 0, SEEK_SET))
		return failure_errno();
	error = program_run(&run);
	*status = run.status;
	*cpu_ns = (double)run.cpu_ns;
	return error;
}

/*
 * Run each command once, and change the order each time.
 *
 * @status: of all runs before; -1: there was none
 *
 * Return: 0 or -errno.
 */
static int run_pair(const struct turns *turns, unsigned int pair, int *status, double cpu_ns[2])
{
	int i, which, ended = 0, error;

	for (i = 0; i < 2; i++) {
		which = (int)(pair % 2) ^ i;
		error = run_once(turns, which, &ended, &cpu_ns[which]);
		if (error)
			return error;
		if (*status >= 0 && ended != *status)
			return -EPROTO;
		*status = ended;
		if (!(cpu_ns[which] > 0))
			return -ENODATA;
	}
	return 0;
}

static void explain(const struct turns *turns, int error)
{
	if (error == -EPROTO)
		failure_warnx("the runs of %s and %s differ in their exit status (EPROTO): the commands do not do the same, or not always; find out why before you use either",
			      turns->names[0], turns->names[1]);
	else if (error == -ENODATA)
		failure_warnx("%s uses no CPU time that could be compared (ENODATA): let it work longer",
			      turns->names[0]);
	else
		failure_warnx("%s and %s cannot be run: %s (%s)", turns->names[0], turns->names[1],
			      strerror(-error), strerrorname_np(-error));
}

int turns_run(struct turns *turns)
{
	const size_t nr = turns->pairs;
	double *values = calloc(nr, 2 * sizeof(*values)), pair[2] = { 0 };
	int status = -1, error = values ? 0 : -ENOMEM;
	unsigned int i;

	/* the first pair is not counted */
	for (i = 0; !error && i <= nr; i++) {
		if (i)
			working_begin_part("comparing", turns->names[1], i, turns->pairs);
		else
			working_begin("trying", turns->names[1]);
		error = run_pair(turns, i, &status, pair);
		working_end();
		if (i && !error) {
			values[i - 1] = pair[0];
			values[nr + i - 1] = pair[1] / pair[0] - 1;
		}
	}
	if (error) {
		explain(turns, error);
	} else {
		confidence_median(values, nr, &turns->cpu_ns);
		turns->interval = confidence_median(values + nr, nr, &turns->change);
	}
	free(values);
	return error;
}

int turns_print(FILE *out, const struct turns *turns)
{
	const struct interval *interval = &turns->interval;
	const bool is_more = turns->interval.low > 0, is_less = turns->interval.high < 0;
	const double percent = is_less ? -100 : 100;

	if (is_more || is_less)
		fprintf(out, "%s takes %.1f %% %s CPU time than %s (95 %% interval: %.1f to %.1f %%)",
			turns->names[1], percent * turns->change, is_less ? "less" : "more",
			turns->names[0], percent * (is_less ? interval->high : interval->low),
			percent * (is_less ? interval->low : interval->high));
	else
		fprintf(out, "%s takes neither measurably more nor less CPU time than %s: %+.1f %% (95 %% interval: %+.1f to %+.1f %%)",
			turns->names[1], turns->names[0], percent * turns->change,
			percent * interval->low, percent * interval->high);
	fprintf(out, ",\nwhich takes %.3f s: medians of %u pairs of runs.\n", turns->cpu_ns / NS_PER_S,
		turns->pairs);
	if (!fflush(out) && !ferror(out))
		return 0;
	failure_warn("standard output", errno);
	return -EIO;
}
