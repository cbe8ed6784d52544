/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Permissions: see policy.c.
 */
#ifndef _PROFIL_POLICY_H
#define _PROFIL_POLICY_H

#include <linux/types.h>

/* Of /dev/profil: any user, unless the administrator restricts it. */
#define PROFIL_POLICY_DEVICE_MODE	0666

/* In Hz, for all users. */
#define PROFIL_POLICY_MAX_RATE	20000

/* May sleep. */
u32 profil_policy_max_rate(void);
int profil_policy_choose_clock(u32 rate, u32 *clock);

/* Any context. */
u32 profil_policy_max_stack_bytes(void);

#endif /* _PROFIL_POLICY_H */
