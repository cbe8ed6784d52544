/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the programs in this folder. Each is written anew from the documented behaviour of a
 * program that called profil(2) on an old system, and reads the counters as that program did:
 * from memory, while it is profiled, without another call. The rate is that of PROFIL_RATE.
 *
 * Functions are in the order of the source, so that a function extends to the next one: the
 * programs are compiled without optimization.
 */
#ifndef CORPUS_H
#define CORPUS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>

/* <unistd.h> declares another profil(). */
extern pid_t fork(void);
extern void _exit(int status);

static volatile unsigned long work;

/*
 * Use this many ms of CPU time, in the function that contains it. About 1 ms passes between
 * looks.
 */
#define STAY(ms) do {							\
	clock_t end = clock() + (clock_t)((ms) * (CLOCKS_PER_SEC / 1000));	\
	int turn;							\
									\
	do								\
		for (turn = 0; turn < 20000; turn++)			\
			work += turn;					\
	while (clock() < end);						\
} while (0)

static int errors;

/* Print what is wrong, unless it holds. */
static void check(int holds, const char *what, long value)
{
	if (holds)
		return;
	printf("# %s: %ld\n", what, value);
	errors++;
}

/*
 * Whether @part of @total samples are this share of them. By chance the number differs: allow four
 * standard deviations. And 2 % of the time is spent in the C library and the kernel, at the looks.
 */
static __inline__ int is_share(long part, long total, double share)
{
	const double off = part - share * total;
	const double deviation = 16 * share * (1 - share) * total;

	return total > 100 && off * off <= deviation + 0.0004 * total * total;
}

static __inline__ double rate(void)
{
	const char *hz = getenv("PROFIL_RATE");

	return hz ? atof(hz) : 100;
}

#endif /* CORPUS_H */
