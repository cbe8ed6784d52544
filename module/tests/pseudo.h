/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pseudo-random numbers for tests. The seeds are fixed, so every run is the same.
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

/* A number of any length in bits; one in four is negated, and so is near 2^64. */
static inline u64 pseudo_any(struct rnd_state *state)
{
	u64 value = pseudo_u64(state) >> (prandom_u32_state(state) % 64);

	return prandom_u32_state(state) % 4 ? value : -value;
}

#endif /* _PROFIL_TESTS_PSEUDO_H */
