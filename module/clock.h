/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which clock samples a profile: the tick (tick.c) or the timer (timer.c).
 */
#ifndef _PROFIL_CLOCK_H
#define _PROFIL_CLOCK_H

#include <linux/smp.h>
#include <linux/tick.h>
#include <linux/types.h>

#include "config.h"
#include "guard.h"

/*
 * Whether it is the timer's on this CPU: always, or because the CPU has no tick to
 * be relied on. Not to be preempted.
 */
static inline bool profil_clock_is_timer(const struct profil_config *config)
{
	return config->clock != PROFIL_CLOCK_TICK ||
	       tick_nohz_full_cpu(smp_processor_id());
}

/* Whether the timer is needed for it on any CPU. Any context. */
static inline bool profil_clock_needs_timer(const struct profil_config *config)
{
	return config->clock != PROFIL_CLOCK_TICK || tick_nohz_full_enabled();
}

/* The rate that is had: less than asked for if the guard has lowered it. */
static inline u32 profil_clock_rate(const struct profil_config *config)
{
	return config->clock == PROFIL_CLOCK_TICK ? config->rate :
		profil_guard_rate(config->rate);
}

/* May sleep. */
u32 profil_clock_max_rate(void);
int profil_clock_choose(u32 rate, u32 *clock);

#endif /* _PROFIL_CLOCK_H */
