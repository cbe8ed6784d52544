/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What clocks need to know of a profile: which clock samples it, how often, and since when.
 */
#ifndef _PROFIL_CLOCK_H
#define _PROFIL_CLOCK_H

#include <linux/hash.h>
#include <linux/math64.h>
#include <linux/profil.h>
#include <linux/smp.h>
#include <linux/tick.h>
#include <linux/timekeeping.h>
#include <linux/types.h>

#include "clock/hooks.h"
#include "clock/throttle.h"

struct pid;

/*
 * Kinds of profiles. A process may have one of each, and the clocks sample both: they keep
 * separate state for each kind.
 */
enum profil_kind {
	PROFIL_KIND_SESSION,	/* a process profiles itself: session.h */
	PROFIL_KIND_TARGET,	/* another process profiles it: target.h */
	PROFIL_NR_KINDS
};

/**
 * struct profil_pace - how often a profile is sampled
 * @rate:     requested rate, in Hz
 * @clock:    PROFIL_CLOCK_TICK, TIMER or RANDOM
 * @throttle: cost of the samples, and the rate that it allows
 *
 * Shared by all profiles of one START with its forked children, or of one open file. Not changed
 * after it is created, except for @throttle.
 */
struct profil_pace {
	u32 rate;
	u32 clock;
	struct profil_throttle throttle;
};

/**
 * struct profil_subject - what clocks read of a profile of either kind
 * @pace:      its pace
 * @thread:    the only thread that is sampled, with a reference; or NULL: all threads
 * @tick_start_ns: ktime_get_ns() from which ticks belong to the profile: its start, or that of the
 *             profile that it replaced
 * @timer_start_ns: the same for the points of the timer
 */
struct profil_subject {
	struct profil_pace *pace;
	struct pid *thread;
	u64 tick_start_ns;
	u64 timer_start_ns;
};

static inline void profil_pace_init(struct profil_pace *pace, u32 rate, u32 clock)
{
	pace->rate = rate;
	pace->clock = clock;
	profil_throttle_init(&pace->throttle);
}

/* Ticks and points from now on belong to the profile, which is about to be sampled. */
static inline void profil_subject_mark_start(struct profil_subject *subject)
{
	subject->tick_start_ns = ktime_get_ns();
	subject->timer_start_ns = subject->tick_start_ns;
}

/*
 * Whether the timer samples on this CPU: because of the clock that was chosen, or because
 * the CPU's tick may be off (nohz_full). The caller must not be preempted.
 */
static inline bool profil_clock_is_timer(const struct profil_pace *pace)
{
	return pace->clock != PROFIL_CLOCK_TICK || tick_nohz_full_cpu(smp_processor_id());
}

/* Whether the timer is needed on any CPU. Any context. */
static inline bool profil_clock_needs_timer(const struct profil_pace *pace)
{
	return pace->clock != PROFIL_CLOCK_TICK || tick_nohz_full_enabled();
}

/* The hooks that a profile needs, for profil_hooks_get(). */
static inline u32 profil_clock_hooks(const struct profil_pace *pace, enum profil_kind kind)
{
	bool is_session = kind == PROFIL_KIND_SESSION;
	u32 hooks = BIT(PROFIL_HOOK_TICK) |
		    BIT(is_session ? PROFIL_HOOK_FORKS : PROFIL_HOOK_TARGETS);

	if (profil_clock_needs_timer(pace))
		hooks |= BIT(is_session ? PROFIL_HOOK_SESSION_TIMER : PROFIL_HOOK_TARGET_TIMER);
	return hooks;
}

/*
 * The effective rate: lower than the requested one if the timer is throttled. Rates of the
 * tick clock are at most HZ, which throttling always allows.
 */
static inline u32 profil_clock_rate(const struct profil_pace *pace)
{
	return pace->clock == PROFIL_CLOCK_TICK ? pace->rate :
		profil_throttle_rate(&pace->throttle, pace->rate);
}

/*
 * At rates below the tick's, each tick earns part of a sample. The CPUs of a profile start with
 * different parts, spread evenly, so that many short profiles, too, get samples in proportion to
 * their time. The start advances by the golden ratio (hash_32()) from profile to profile, and by
 * the square root of 2 from CPU to CPU. Multiples of one do not come near small multiples of the
 * other, for any number of CPUs.
 */
#define PROFIL_SQRT_2	0x6a09e667U	/* its fraction, in 1 / 2^32 */

/**
 * profil_clock_phase - part of a sample that a CPU starts with
 * @serial: number of the profile
 * @number: number of the CPU or slot
 *
 * Return: the part, for profil_accumulate().
 */
static inline u32 profil_clock_phase(u32 serial, u32 number)
{
	return reciprocal_scale(hash_32(serial, 32) + number * PROFIL_SQRT_2, HZ);
}

/* With interrupts off, and the lock that protects @skipped held. */
u64 profil_clock_limit(const struct profil_pace *pace, bool log, u64 samples, u64 *skipped);

#endif /* _PROFIL_CLOCK_H */
