/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The clock that fires the sampler.
 */
#ifndef _PROFIL_CLOCK_H
#define _PROFIL_CLOCK_H

#include <linux/types.h>

/* May sleep. For hooks.c. */
int profil_clock_attach(void);
void profil_clock_detach(void);

u32 profil_clock_max_rate(void);
u32 profil_clock_phase(u32 random);
u64 profil_clock_ns(void);

void profil_clock_exit(void);

#endif /* _PROFIL_CLOCK_H */
