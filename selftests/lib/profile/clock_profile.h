/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A profile with a chosen clock. Include this after the harness.
 */
#ifndef SELFTESTS_CLOCK_PROFILE_H
#define SELFTESTS_CLOCK_PROFILE_H

#include "profile/process.h"

/* Turns the throttle off: in an emulated machine, samples cost more than its limit. */
#define SET_UP_CLOCK_PROFILE(profile)							\
	do {								\
		REQUIRE_DEVICE((profile)->fd);				\
		ASSERT_TRUE(get_info((profile)->fd).features &		\
			    PROFIL_FEATURE_CLOCKS);			\
		set_throttle(false);					\
		init_profile(profile, 0);				\
	} while (0)

void clean_up_clock_profile(struct profile *profile);

/* Returns 0 or an errno. */
int start_with_clock(struct profile *profile, unsigned int clock, unsigned int rate);

#endif /* SELFTESTS_CLOCK_PROFILE_H */
