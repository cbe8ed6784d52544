/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ratios that are about 1. To be included after the harness.
 */
#ifndef SELFTESTS_SHARE_H
#define SELFTESTS_SHARE_H

#include <unistd.h>

#define SHARE_TRIES	5

/* Where what is expected is known to be between two figures. */
static inline double share_of_range(double value, double least, double most)
{
	if (value < least)
		return value / least;
	return value > most ? value / most : 1;
}

/*
 * A host that takes the processor away for a while, of ten seconds or so, may spoil a
 * ratio. So it is measured anew then, a little later each time, where @share is a
 * function that does so: what is wrong with the module is wrong each time.
 */
#define EXPECT_SHARE(low, high, share)					\
	do {								\
		bool good = false;					\
		int tries;						\
									\
		for (tries = 0; tries < SHARE_TRIES && !good; tries++) {	\
			double value;					\
									\
			sleep((unsigned int)tries);			\
			value = (share);				\
			ksft_print_msg("counted / expected = %.4f, of %.2f to %.2f\n", \
				       value, (double)(low), (double)(high));	\
			good = value >= (low) && value <= (high);	\
		}							\
		EXPECT_TRUE(good);					\
	} while (0)

#endif /* SELFTESTS_SHARE_H */
