/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A clock that takes a few instructions to read, where the architecture has one: for ticks, to see
 * that they are not late. A CPU compares it only with itself.
 */
#ifndef _PROFIL_CYCLES_H
#define _PROFIL_CYCLES_H

#include <linux/types.h>

#ifdef CONFIG_X86_TSC
#include <asm/tsc.h>

static __always_inline u64 profil_cycles(void)
{
	return rdtsc();
}

/* Return: cycles in a millisecond; 0: not always as many. */
static inline u32 profil_cycles_khz(void)
{
	return check_tsc_unstable() ? 0 : tsc_khz;
}
#else
static __always_inline u64 profil_cycles(void)
{
	return 0;
}

static inline u32 profil_cycles_khz(void)
{
	return 0;
}
#endif

#endif /* _PROFIL_CYCLES_H */
