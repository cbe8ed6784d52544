// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs two programs in turn, and compares their CPU times.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "optimize/program.h"
#include "optimize/versus.h"
#include "util/failure.h"
#include "util/working.h"

/* Return: 0 or -errno, and @cpu_ns is set. */
static int run_once(struct versus *versus, int which, bool is_first, double *cpu_ns)
{
	struct program_run run = {
		.path = versus->paths[which], .argv = versus->argv,
		.input = versus->has_input ? NULL : "/dev/null", .output = "/dev/null",
	};
	int error;

	/* not opened again: this user may have no right to, as after sudo(8) */
	if (versus->has_input && lseek(STDIN_FILENO, 0, SEEK_SET))
		return failure_errno();
	error = program_run(&run);
	if (error)
		return error;
	if (is_first)
		versus->status[which] = run.status;
	*cpu_ns = (double)run.cpu_ns;
	return run.status == versus->status[which] ? 0 : -EPROTO;
}

/* Run each program once, and change the order each time. Return: 0 or -errno. */
static int run_pair(struct versus *versus, unsigned int pair, double *cpu_ns)
{
	const int first = (int)(pair % 2);
	int error = run_once(versus, first, !pair, &cpu_ns[first]);

	if (error)
		return error;
	error = run_once(versus, !first, !pair, &cpu_ns[!first]);
	if (error)
		return error;
	if (versus->status[0] != versus->status[1])
		return -EPROTO;
	return cpu_ns[0] > 0 && cpu_ns[1] > 0 ? 0 : -ENODATA;
}

int versus_run(struct versus *versus)
{
	const size_t nr = versus->pairs;
	double *values = calloc(nr, 3 * sizeof(*values));	/* of both, then the shares */
	double pair[2] = { 0 };
	unsigned int i;
	int error;

	if (!values)
		return -ENOMEM;
	working_begin("trying", versus->paths[1]);
	error = run_pair(versus, 0, pair);
	working_end();
	for (i = 0; !error && i < nr; i++) {
		working_begin_part("comparing", versus->paths[1], i + 1, versus->pairs);
		error = run_pair(versus, i + 1, pair);
		working_end();
		values[i] = pair[0];
		values[nr + i] = pair[1];
		values[2 * nr + i] = 1 - pair[1] / pair[0];
	}
	if (!error) {
		confidence_median(values, nr, &versus->cpu_ns[0]);
		confidence_median(values + nr, nr, &versus->cpu_ns[1]);
		versus->interval = confidence_median(values + 2 * nr, nr, &versus->saved);
	}
	free(values);
	return error;
}
