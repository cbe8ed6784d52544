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

/* Returns false if the tracer or the function does not exist. Then nothing is traced. */
bool tracer_begin(const char *function);

void tracer_end(void);

/* Counts from here on: opening the file with O_TRUNC empties the trace. */
void tracer_restart(void);

/* Returns the number of calls so far, or -1. */
int tracer_calls(void);

#endif /* SELFTESTS_TRACER_H */
