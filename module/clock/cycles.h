/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A clock that takes a few instructions to read, where the architecture has one: for ticks, to see
 * that they are not late. A CPU compares it only with itself.
 */
#ifndef _PROFIL_CYCLES_H
#define _PROFIL_CYCLES_H

#include <linux/math64.h>
#include <linux/time64.h>
#include <linux/types.h>

#ifdef CONFIG_X86_TSC
#include <asm/tsc.h>

static __always_inline u64 profil_cycles(void)
{
	return rdtsc();
}

/* Return: cycles in a second, in 1000, or 0: they do not have the same length all the time. */
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

/* Return: a duration of at most an hour or so, in cycles. */
static inline u64 profil_cycles_from_ns(u64 ns, u32 khz)
{
	return mul_u64_u32_div(ns, khz, NSEC_PER_MSEC);
}

/* Return: a number of cycles, in ns. @khz is not 0. */
static inline u64 profil_cycles_to_ns(u64 cycles, u32 khz)
{
	return mul_u64_u32_div(cycles, NSEC_PER_MSEC, khz);
}

#endif /* _PROFIL_CYCLES_H */
