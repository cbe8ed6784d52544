/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts the calls of a kernel function with the function tracer, in an instance of its own.
 * Needs root.
 */
#ifndef SELFTESTS_TRACER_H
#define SELFTESTS_TRACER_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"

#define TRACER	"/sys/kernel/tracing/instances/profil-attack"

/* Returns false if the tracer or the function does not exist. */
static inline bool tracer_begin(const char *function)
{
	return (!mkdir(TRACER, 0755) || errno == EEXIST) &&
	       !write_text(TRACER "/set_ftrace_filter", function) &&
	       !write_text(TRACER "/current_tracer", "function");
}

static inline void tracer_end(void)
{
	write_text(TRACER "/current_tracer", "nop");
	rmdir(TRACER);
}

/* Counts from here on: opening the file with O_TRUNC empties the trace. */
static inline void tracer_restart(void)
{
	close(open(TRACER "/trace", O_WRONLY | O_TRUNC | O_CLOEXEC));
}

/* Calls so far. */
static inline int tracer_calls(void)
{
	FILE *trace = fopen(TRACER "/trace", "re");
	char line[256];
	int calls = 0;

	while (trace && fgets(line, sizeof(line), trace))
		calls += line[0] != '#' && strstr(line, " <-");
	if (trace)
		fclose(trace);
	return calls;
}

#endif /* SELFTESTS_TRACER_H */
