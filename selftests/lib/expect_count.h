/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts against the ticks that are due: rate x CPU seconds. To be included after the
 * harness.
 *
 * While a thread stays on a CPU, ticks come at even intervals. A stretch of x ticks of
 * CPU time so has floor(x) or ceil(x) ticks: one stretch is off by less than one tick.
 * Each migration and each sleep begins another stretch. Where a thread of the same
 * process takes over the CPU, the stretch goes on.
 *
 * A lower rate than the tick's is thinned on each CPU: that is off by less than one
 * sample more.
 *
 * Kernel threads that a tick wakes run between two ticks: no tick finds them, and the
 * thread that they interrupt is found by all. A kernel that looks for mistakes executes so
 * many instructions there that they show. With PROFIL_COUNTS=print in the environment,
 * counts are printed and not judged.
 */
#ifndef SELFTESTS_EXPECT_COUNT_H
#define SELFTESTS_EXPECT_COUNT_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

bool counts_are_judged(void);

/* Where the CPU time is known between two figures. */
#define EXPECT_COUNT_IN(counted, least, most, allowance)		\
	do {								\
		double counted_ = (double)(counted);			\
		double least_ = (least), most_ = (most);		\
		double allowance_ = (allowance);			\
									\
		ksft_print_msg("%s: %.0f counted, %.2f to %.2f due, %.2f allowed\n", \
			       #counted, counted_, least_, most_, allowance_); \
		if (counts_are_judged()) {				\
			EXPECT_LE(least_ - allowance_, counted_);	\
			EXPECT_GE(most_ + allowance_, counted_);	\
		}							\
	} while (0)

#define EXPECT_COUNT(counted, due, allowance)				\
	do {								\
		double due_ = (due);					\
									\
		EXPECT_COUNT_IN(counted, due_, due_, allowance);	\
	} while (0)

/*
 * Where the phase of a stretch is not controlled, floor(x) or ceil(x) is a matter of
 * chance: the variance is f (1 - f), where f is the fraction of x, and 1/4 at most.
 * @variance is the sum of all stretches'. The bound is four standard errors, which one
 * run in 16,000 exceeds.
 */
#define EXPECT_COUNT_BY_CHANCE(counted, due, variance)			\
	EXPECT_COUNT(counted, due, 4 * square_root(variance))

/* Without the mathematical library. */
double square_root(double square);

/* How often threads of this process had to leave a CPU. */
long preemptions(void);

/*
 * What to allow more where threads had to leave a CPU so often (preemptions()). They may
 * leave it to a thread of the kernel, whose points are nobody's: a break at a random phase,
 * with a variance of 1/4 at most. Four standard errors.
 */
double preemption_allowance(long preempted);

#endif /* SELFTESTS_EXPECT_COUNT_H */
