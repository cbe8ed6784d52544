/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A profile by a clock of one's choice. To be included after the harness.
 */
#ifndef SELFTESTS_CLOCKED_H
#define SELFTESTS_CLOCKED_H

#include "process.h"

/* Without the guard, which emulation would keep busy, and what it has lowered. */
#define SET_UP(profile)							\
	do {								\
		REQUIRE_DEVICE((profile)->fd);				\
		ASSERT_TRUE(get_info((profile)->fd).features &		\
			    PROFIL_FEATURE_CLOCKS);			\
		set_guard(false);					\
		init_profile(profile, 0);				\
	} while (0)

static inline void clean_up(struct profile *profile)
{
	stop(profile->fd);
	set_guard(true);
	write_text(PARAMETERS "max_rate", "4000");
	close(profile->fd);
}

/* Return: 0 or errno. */
static inline int begin_by(struct profile *profile, unsigned int clock,
			   unsigned int rate)
{
	profile->start.clock = clock;
	profile->start.rate = rate;
	return begin(profile);
}

#endif /* SELFTESTS_CLOCKED_H */
