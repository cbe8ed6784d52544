/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compares counts with the samples that are due: rate x CPU seconds. Include this after the
 * harness.
 *
 * While a thread stays on a CPU, ticks come at even intervals. A stretch of x ticks of CPU time
 * contains floor(x) or ceil(x) ticks, so a stretch is off by less than one tick. Each migration and
 * each sleep begins a new stretch. If a thread of the same process takes over the CPU, the stretch
 * continues.
 *
 * A rate below the tick rate is thinned on each CPU, which is off by less than one more sample.
 *
 * Kernel threads that a tick wakes run between two ticks: no tick hits them, and all ticks hit the
 * thread that they interrupt. In a debug kernel, their CPU time is noticeable. With
 * PROFIL_COUNTS=print in the environment, counts are printed and not checked.
 *
 * Late ticks (common.h) break these rules: a count that is not as expected then shows nothing.
 */
#ifndef SELFTESTS_EXPECT_COUNT_H
#define SELFTESTS_EXPECT_COUNT_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "common.h"

bool counts_are_checked(void);

/*
 * For what late ticks may break. If the condition does not hold and ticks are late, the test case
 * counts as skipped, with the reason, unless another of its expectations fails.
 */
#define EXPECT_ON_TIME(condition)					\
	do {								\
		bool holds_ = (condition);				\
		double late_ = holds_ || !__test_passed(_metadata) ? 0 : late_ticks(); \
									\
		if (late_ > 0)						\
			SKIP((void)0, "late ticks: a CPU stood still for %.1f ms", 1e3 * late_); \
		else							\
			EXPECT_TRUE(holds_);				\
	} while (0)

/* If the number of samples due is only known to be between two bounds */
#define EXPECT_COUNT_IN(counted, least, most, allowance)		\
	do {								\
		double counted_ = (double)(counted);			\
		double least_ = (least), most_ = (most);		\
		double allowance_ = (allowance);			\
									\
		ksft_print_msg("%s: %.0f counted, %.2f to %.2f due, %.2f allowed\n", \
			       #counted, counted_, least_, most_, allowance_); \
		if (counts_are_checked())				\
			EXPECT_ON_TIME(least_ - allowance_ <= counted_ && \
				       counted_ <= most_ + allowance_);	\
	} while (0)

#define EXPECT_COUNT(counted, due, allowance)				\
	do {								\
		double due_ = (due);					\
									\
		EXPECT_COUNT_IN(counted, due_, due_, allowance);	\
	} while (0)

/*
 * If the phase of a stretch is not controlled, whether it has floor(x) or ceil(x) ticks is random:
 * the variance is f (1 - f), where f is the fractional part of x, and 1/4 at most. @variance is the
 * sum over all stretches.
 *
 * The bound is five standard errors, which one comparison in 1,700,000 exceeds. The guests of make
 * check make 640: with four, which one in 16,000 exceeds, one check in 25 would fail.
 */
#define CHANCE_ALLOWANCE(variance)	(5 * square_root(variance))

#define EXPECT_COUNT_BY_CHANCE(counted, due, variance)			\
	EXPECT_COUNT(counted, due, CHANCE_ALLOWANCE(variance))

/* Square root, without libm */
double square_root(double square);

/* Returns how often threads of this process were preempted. */
long preemptions(void);

/*
 * Returns the additional allowance for @preempted preemptions: CHANCE_ALLOWANCE() of the sum of
 * their variances. Each may be by a kernel thread, which is not sampled: an interruption at a
 * random phase, with a variance of 1/4 at most.
 */
double preemption_allowance(long preempted);

#endif /* SELFTESTS_EXPECT_COUNT_H */
