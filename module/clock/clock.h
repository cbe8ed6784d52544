/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What clocks sample, and which clock does: the tick (tick.c) or the timer (timer.c).
 */
#ifndef _PROFIL_CLOCK_H
#define _PROFIL_CLOCK_H

#include <linux/smp.h>
#include <linux/tick.h>
#include <linux/types.h>

#include "clock/hooks.h"
#include "clock/throttle.h"
#include "config.h"

/*
 * Kinds of profiles. A process may have one of each, and the clocks sample both: they keep
 * separate state for each kind.
 */
enum profil_kind {
	PROFIL_KIND_SESSION,	/* a process profiles itself: session.h */
	PROFIL_KIND_TARGET,	/* another process profiles it: target.h */
	PROFIL_NR_KINDS
};

/*
 * Whether the timer samples on this CPU: because of the clock that was chosen, or because
 * the CPU's tick may be off (nohz_full). The caller must not be preempted.
 */
static inline bool profil_clock_is_timer(const struct profil_config *config)
{
	return config->clock != PROFIL_CLOCK_TICK ||
	       tick_nohz_full_cpu(smp_processor_id());
}

/* Whether the timer is needed on any CPU. Any context. */
static inline bool profil_clock_needs_timer(const struct profil_config *config)
{
	return config->clock != PROFIL_CLOCK_TICK || tick_nohz_full_enabled();
}

/* The hooks that a profile needs, for profil_hooks_get(). */
static inline u32 profil_clock_hooks(const struct profil_config *config, enum profil_kind kind)
{
	return BIT(PROFIL_HOOK_TICK) |
	       BIT(kind == PROFIL_KIND_SESSION ? PROFIL_HOOK_FORKS : PROFIL_HOOK_TARGETS) |
	       (profil_clock_needs_timer(config) ? BIT(PROFIL_HOOK_TIMER) : 0);
}

/*
 * The effective rate: lower than the requested one if the timer is throttled. Rates of the
 * tick clock are at most HZ, which throttling always allows.
 */
static inline u32 profil_clock_rate(const struct profil_config *config)
{
	return config->clock == PROFIL_CLOCK_TICK ? config->rate :
		profil_throttle_rate(&config->throttle, config->rate);
}

#endif /* _PROFIL_CLOCK_H */
