/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Conditions that a worker of the kernel brings about.
 */
#ifndef SELFTESTS_SOON_H
#define SELFTESTS_SOON_H

#include <unistd.h>

/*
 * Whether the condition holds within 3 s. The module's worker runs at once, RCU frees
 * after some ticks, the hook of the tick goes one second after the last session, and the
 * kernel folds the figures of a memory cgroup every 2 s.
 */
#define BECOMES(condition)						\
	({								\
		int tries = 300;					\
									\
		while (!(condition) && --tries)				\
			usleep(10000);					\
		tries > 0;						\
	})

#define EXPECT_SOON(condition)						\
	EXPECT_TRUE(BECOMES(condition)) {				\
		TH_LOG("not after 3 s: " #condition);			\
	}

#endif /* SELFTESTS_SOON_H */
