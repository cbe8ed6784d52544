/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A profile of the whole process in one counter, by a clock of one's choice. To be
 * included after the harness.
 */
#ifndef SELFTESTS_CLOCKED_H
#define SELFTESTS_CLOCKED_H

#include "common.h"
#include "files.h"
#include "share.h"

struct profile {
	int fd;
	uint64_t *counter;
	struct profil_region region;
	struct profil_start start;
};

/* Without the guard, which emulation would keep busy, and what it has lowered. */
#define SET_UP(profile)							\
	do {								\
		REQUIRE_DEVICE((profile)->fd);				\
		ASSERT_TRUE(get_info((profile)->fd).features &		\
			    PROFIL_FEATURE_CLOCKS);			\
		(profile)->counter = map_memory(PAGE);			\
		ASSERT_NE(MAP_FAILED, (profile)->counter);		\
		write_text(PARAMETERS "max_cpu_percent", "100");	\
		count_all(&(profile)->start, &(profile)->region,	\
			  (profile)->counter, 64, 100);			\
	} while (0)

static inline void clean_up(struct profile *profile)
{
	stop(profile->fd);
	write_text(PARAMETERS "max_cpu_percent", "5");
	write_text(PARAMETERS "max_rate", "4000");
	close(profile->fd);
}

static inline int begin(struct profile *profile, unsigned int clock, unsigned int rate)
{
	profile->start.clock = clock;
	profile->start.rate = rate;
	return call(profile->fd, PROFIL_IOC_START, &profile->start);
}

#endif /* SELFTESTS_CLOCKED_H */
