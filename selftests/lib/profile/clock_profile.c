// SPDX-License-Identifier: GPL-2.0-only
/*
 * Starts profiles with a chosen clock, without the throttle.
 */
#include "profile/clock_profile.h"

void clean_up_clock_profile(struct profile *profile)
{
	stop(profile->fd);
	set_throttle(true);
	write_text(PARAMETERS "max_rate", "4000");
	close(profile->fd);
}

int start_with_clock(struct profile *profile, unsigned int clock, unsigned int rate)
{
	profile->start.clock = clock;
	profile->start.rate = rate;
	return start_profile(profile);
}
