/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_GUARD_H
#define _PROFIL_GUARD_H

#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/types.h>

/* In Hz. Falls, in the timer; rises in process context only. */
extern u32 profil_guard_highest;

/**
 * profil_guard_rate - the rate that is had for one that was asked for
 * @rate: in Hz
 *
 * Any context.
 */
static inline u32 profil_guard_rate(u32 rate)
{
	return min(rate, READ_ONCE(profil_guard_highest));
}

/* Hard interrupt context. */
void profil_guard_account(u32 rate, u64 took_ns);

void profil_guard_reset(void);

#endif /* _PROFIL_GUARD_H */
