/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_THROTTLE_H
#define _PROFIL_THROTTLE_H

#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/types.h>

/**
 * struct profil_throttle - what samples of a profile take, and the rate that is left to it
 * @cost_ns: what AVERAGED samples (throttle.c) have taken
 * @highest: in Hz
 * @limit:   number of the limit that @highest is by
 *
 * Forked children share it with their parent. Written in the timer, with interrupts off, by
 * each CPU that samples. Each field is one word, read and written whole, and where two CPUs
 * write at once one measurement is lost, which a mean can do without.
 */
struct profil_throttle {
	u32 cost_ns;
	u32 highest;
	u32 limit;
};

/**
 * profil_throttle_rate - the rate that is had for one that was asked for
 * @throttle: of the profile
 * @rate:  in Hz
 *
 * Any context.
 */
static inline u32 profil_throttle_rate(const struct profil_throttle *throttle, u32 rate)
{
	return min(rate, READ_ONCE(throttle->highest));
}

/* Hard interrupt context. */
void profil_throttle_account(struct profil_throttle *throttle, u32 rate, u64 took_ns);

/* Any context. */
void profil_throttle_init(struct profil_throttle *throttle);

#endif /* _PROFIL_THROTTLE_H */
