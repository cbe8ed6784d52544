/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What comes to pass by and by. To be included after the harness.
 */
#ifndef SELFTESTS_SOON_H
#define SELFTESTS_SOON_H

#include <unistd.h>

/*
 * What the kernel's workers do, they do soon. They are given time, on which no
 * verdict depends, as long as it is enough.
 */
#define EXPECT_SOON(condition)						\
	do {								\
		int tries = 3000;					\
									\
		while (!(condition) && --tries)				\
			usleep(10000);					\
		EXPECT_TRUE(tries) {					\
			TH_LOG("not after 30 s: " #condition);		\
		}							\
	} while (0)

#endif /* SELFTESTS_SOON_H */
