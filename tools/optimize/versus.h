/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether one program is faster than another that does the same: both run in turn, and the CPU
 * times of neighbouring runs are compared. What slows the machine down for a while slows both.
 */
#ifndef PROFIL_VERSUS_H
#define PROFIL_VERSUS_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/confidence.h"

#define VERSUS_MIN_PAIRS	6	/* with fewer, no interval has a confidence of 95 % */
#define VERSUS_MAX_PAIRS	1000

/**
 * struct versus - two programs, and how they compare
 * @paths:    the programs; the second one is the copy
 * @argv:     their arguments, from the name on
 * @has_input: standard input is a file, which each run reads from its start; else it is empty
 * @pairs:    how often each runs, from VERSUS_MIN_PAIRS to VERSUS_MAX_PAIRS
 * @status:   out: of both, as from wait(2). It is that of each run
 * @cpu_ns:   out: medians of their CPU times, in ns
 * @saved:    out: median of the share of CPU time that the copy saves: 0.1 is a tenth, and a
 *            negative share is more time
 * @interval: out: 95 % confidence interval of @saved
 */
struct versus {
	const char *paths[2];
	char *const *argv;
	bool has_input;
	unsigned int pairs;
	int status[2];
	double cpu_ns[2];
	double saved;
	struct interval interval;
};

/**
 * versus_run - run both programs, and compare them
 * @versus: the programs
 *
 * The output of the programs is dropped. The first run of each is not counted: it reads files that
 * the others find in memory.
 *
 * Return: 0; -EINTR: as of program_run(); -EPROTO: @status differs between the programs or
 * two runs, so that they do not do the same; -ENODATA: a program uses no CPU time; or another
 * -errno: a program cannot be run.
 */
int versus_run(struct versus *versus);

#endif /* PROFIL_VERSUS_H */
