/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pseudo-random numbers for tests: the same at every run.
 */
#ifndef _PROFIL_TESTS_PSEUDO_H
#define _PROFIL_TESTS_PSEUDO_H

#include <linux/prandom.h>
#include <linux/types.h>

static inline u64 pseudo_u64(struct rnd_state *state)
{
	u64 high = prandom_u32_state(state);

	return high << 32 | prandom_u32_state(state);
}

/* Of any length in bits, and now and then as near to 2^64 as to 0. */
static inline u64 pseudo_any(struct rnd_state *state)
{
	u64 value = pseudo_u64(state) >> (prandom_u32_state(state) % 64);

	return prandom_u32_state(state) % 4 ? value : -value;
}

#endif /* _PROFIL_TESTS_PSEUDO_H */
