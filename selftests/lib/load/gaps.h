/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interruptions of a loop, in instructions. A thread looks at the clock in a loop, and notes
 * how long each interruption takes. In a guest with one CPU whose clock counts instructions, that
 * is what an interrupt costs, with all that it makes the kernel and the program do.
 *
 * The kernel's work in an interrupt takes one of a few paths: on Linux 6.12, most ticks take 3,346,
 * 3,364 or 3,370 instructions, in proportions that differ from second to second. So a mean alone
 * does not show a small difference between two kinds of interrupts.
 */
#ifndef SELFTESTS_GAPS_H
#define SELFTESTS_GAPS_H

#define MAX_GAPS	1000

/* In shared memory: a target measures itself. */
struct gaps {
	double unit;		/* duration of an instruction in ns */
	unsigned int nr;	/* how many interruptions to measure */
	unsigned int cost[MAX_GAPS];	/* in instructions */
	double seconds;		/* how long that took */
};

/* Returns struct gaps in shared memory, for @nr interruptions; NULL on error. */
struct gaps *make_gaps(unsigned int nr);

/* Interrupted most often, like another loop that is a multiple of 64 bytes from it. */
void gaps_loop(void);

/* Measures as many interruptions as @gaps, a struct gaps, wants. */
void measure_gaps(void *gaps);

/* Sorts, and returns the mean of the costs that differ from the median by at most @spread. */
double mean_gap(struct gaps *gaps, unsigned int spread);

/* Returns the most frequent cost. Sorted. */
unsigned int most_frequent_gap(const struct gaps *gaps);

/*
 * Returns the difference, near @figure, by which most of the costs in @bare occur in @sampling,
 * too: each path of the kernel costs as much more. 0 if none does. Both are sorted.
 */
unsigned int likely_difference(const struct gaps *bare, const struct gaps *sampling,
			       unsigned int figure);

#endif /* SELFTESTS_GAPS_H */
