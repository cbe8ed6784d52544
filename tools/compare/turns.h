/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether one command takes more CPU time than another one: both run in turn, and the CPU times of
 * neighbouring runs are compared. What slows the machine down for a while slows both.
 */
#ifndef PROFIL_TURNS_H
#define PROFIL_TURNS_H

#include <stdbool.h>
#include <stdio.h>

#include "profile/confidence.h"

#define TURNS_MIN_PAIRS		6	/* with fewer, no interval has a confidence of 95 % */
#define TURNS_MAX_PAIRS		1000
#define TURNS_DEFAULT_PAIRS	20

/**
 * struct turns - two commands, the old one first, and how they compare
 * @names:    for messages
 * @paths:    what is executed, as by execvp(3); NULL: argv[0]
 * @argv:     their arguments, from the name on
 * @has_input: standard input is a file, which each run reads from its start; else it is empty
 * @pairs:    how often each runs, from TURNS_MIN_PAIRS to TURNS_MAX_PAIRS
 * @cpu_ns:   out: median of the old one's CPU time, in ns
 * @change:   out: median over the pairs: 0.1 is a tenth more than the old one takes
 * @interval: out: 95 % confidence interval of @change
 */
struct turns {
	const char *names[2];
	const char *paths[2];
	char *const *argv[2];
	bool has_input;
	unsigned int pairs;
	double cpu_ns;
	double change;
	struct interval interval;
};

/* Return: whether standard input is a file, which can be read again. */
bool turns_have_input(void);

/*
 * Run both commands, and compare them. Their output is dropped. The first run of each is not
 * counted: it reads files that the others find in memory. Errors are printed. Return: 0; or -errno,
 * and the reason was printed: -EPROTO: the exit status differs between the commands or two runs, so
 * that they do not do the same; -ENODATA: one uses no CPU time.
 */
int turns_run(struct turns *turns);

/* Print what the runs have shown. Return: 0 or -errno, and the reason was printed. */
int turns_print(FILE *out, const struct turns *turns);

#endif /* PROFIL_TURNS_H */
