/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lowers the rate of a profile whose samples cost too much.
 */
#ifndef _PROFIL_THROTTLE_H
#define _PROFIL_THROTTLE_H

#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/types.h>

/**
 * struct profil_throttle - the cost of a profile's samples, and the rate it allows
 * @cost_ns:  cost of AVERAGED samples (throttle.c)
 * @max_rate: highest rate allowed, in Hz
 * @limit:    the setting of max_cpu_percent that @max_rate is based on, by its number
 *
 * Shared with forked children. Written in the timer, with interrupts off, by each CPU that
 * samples. Each field is one word, so it is read and written whole. If two CPUs write at
 * once, one measurement is lost, which does not matter for a mean.
 */
struct profil_throttle {
	u32 cost_ns;
	u32 max_rate;
	u32 limit;
};

/**
 * profil_throttle_rate - get the effective rate
 * @throttle: of the profile
 * @rate:     requested rate, in Hz
 *
 * Any context.
 *
 * Return: the rate, in Hz.
 */
static inline u32 profil_throttle_rate(const struct profil_throttle *throttle, u32 rate)
{
	return min(rate, READ_ONCE(throttle->max_rate));
}

/* Hard interrupt context. */
void profil_throttle_account(struct profil_throttle *throttle, u32 rate, u64 took_ns, u32 shares);

/* Any context. */
void profil_throttle_init(struct profil_throttle *throttle);

#endif /* _PROFIL_THROTTLE_H */
