/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PROFIL_GUARD_H
#define _PROFIL_GUARD_H

#include <linux/types.h>

/* Any context. */
u32 profil_guard_rate(u32 rate);

/* Hard interrupt context. */
void profil_guard_account(u32 rate, u64 took_ns);

void profil_guard_reset(void);

#endif /* _PROFIL_GUARD_H */
