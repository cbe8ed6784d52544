/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who may do what: see policy.c.
 */
#ifndef _PROFIL_POLICY_H
#define _PROFIL_POLICY_H

#include <linux/types.h>

/* Of /dev/profil: any user, unless the administrator narrows it. */
#define PROFIL_POLICY_DEVICE_MODE	0666

/* Hz, for anybody */
#define PROFIL_POLICY_HIGHEST_RATE	20000

/* May sleep. */
u32 profil_policy_max_rate(void);
int profil_policy_choose_clock(u32 rate, u32 *clock);

#endif /* _PROFIL_POLICY_H */
