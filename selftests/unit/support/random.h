/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random numbers for tests of the module's arithmetic, the same in each run. Include it in one file
 * per program.
 */
#ifndef RANDOM_H
#define RANDOM_H

#include <linux/types.h>

static u64 random_state = 88172645463325252ULL;

static inline u64 random_u64(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* Often near 0 or near the maximum */
static inline u64 random_any(void)
{
	u64 value = random_u64() >> random_u64() % 64;

	return random_u64() % 4 ? value : -value;
}

#endif /* RANDOM_H */
