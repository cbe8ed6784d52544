/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_GUARD_H
#define _PROFIL_GUARD_H

#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/types.h>

/**
 * struct profil_guard - what samples of a profile take, and the rate that is left to it
 * @cost_ns: what AVERAGED samples (guard.c) have taken
 * @highest: in Hz
 * @limit:   number of the limit that @highest is by
 *
 * Forked children share it with their parent. Written in the timer, with interrupts off, by
 * each CPU that samples. Each field is one word, read and written whole, and where two CPUs
 * write at once one measurement is lost, which a mean can do without.
 */
struct profil_guard {
	u32 cost_ns;
	u32 highest;
	u32 limit;
};

/**
 * profil_guard_rate - the rate that is had for one that was asked for
 * @guard: of the profile
 * @rate:  in Hz
 *
 * Any context.
 */
static inline u32 profil_guard_rate(const struct profil_guard *guard, u32 rate)
{
	return min(rate, READ_ONCE(guard->highest));
}

/* Hard interrupt context. */
void profil_guard_account(struct profil_guard *guard, u32 rate, u64 took_ns);

/* Any context. */
void profil_guard_init(struct profil_guard *guard);

#endif /* _PROFIL_GUARD_H */
