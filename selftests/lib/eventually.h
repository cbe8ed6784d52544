/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waits for conditions that depend on a worker of the kernel, or on ticks.
 */
#ifndef SELFTESTS_EVENTUALLY_H
#define SELFTESTS_EVENTUALLY_H

#include <unistd.h>

#include "common.h"

/*
 * Waits until the condition holds, for up to 3 s. Returns whether it does. The module's worker runs
 * at once, RCU frees after some ticks, a hook that was attached for the first time is detached one
 * second after its last user, and the kernel updates the counters of a memory cgroup every 2 s.
 */
#define EVENTUALLY(condition)						\
	({								\
		int tries = 300;					\
									\
		while (!(condition) && --tries)				\
			usleep(10000);					\
		tries > 0;						\
	})

#define EXPECT_EVENTUALLY(condition)						\
	EXPECT_TRUE(EVENTUALLY(condition)) {				\
		TH_LOG("not after 3 s: " #condition);			\
	}

/*
 * Does @work, which takes at least a tick of CPU time. If ticks may be late (common.h), goes on
 * until the condition holds, up to 100 times: an emulator's CPUs take turns of 0.1 s, and 100 ticks
 * are four of them at 250 Hz. Returns whether it holds.
 */
#define WORK_UNTIL(work, condition)						\
	({								\
		int times = ticks_may_be_late() ? 100 : 1;		\
		bool holds;						\
									\
		do {							\
			work;						\
			holds = (condition);				\
		} while (!holds && --times);				\
		holds;							\
	})

#endif /* SELFTESTS_EVENTUALLY_H */
