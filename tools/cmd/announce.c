// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tells a user at a terminal what is profiled, and how to end that.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/announce.h"
#include "util/base_name.h"
#include "util/failure.h"
#include "util/time_ns.h"

void announce(const char *what, uint64_t duration_ns)
{
	if (!isatty(STDERR_FILENO))
		return;
	if (duration_ns)
		failure_warnx("profiling %s for %g s; ^C ends it", what,
			      (double)duration_ns / NS_PER_S);
	else
		failure_warnx("profiling %s; ^C ends it", what);
}

void announce_processes(const pid_t *pids, size_t nr, const char *program, uint64_t duration_ns)
{
	char others[32] = "", *what;

	if (nr > 1)
		snprintf(others, sizeof(others), " and %zu more", nr - 1);
	if (asprintf(&what, "%d (%s)%s", pids[0], program ? base_name(program) : "unknown",
		     others) < 0)
		return;
	announce(what, duration_ns);
	free(what);
}
