/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which words of a stack are kept: those whose value is in one of three ranges of addresses. Pure
 * arithmetic: unit tests compile it.
 */
#ifndef _PROFIL_SIEVE_H
#define _PROFIL_SIEVE_H

#include <linux/types.h>

#define PROFIL_SIEVE_RANGES	3

/* A word of the log has so many bits for the value. */
#define PROFIL_SIEVE_END	0x1000000000000ULL

/**
 * struct profil_sieve - ranges of values
 * @low:   no range has a smaller value
 * @start: of a range: a value is in it if it minus @start is below @size
 * @size:  0: the range is empty
 */
struct profil_sieve {
	u64 low;
	u64 start[PROFIL_SIEVE_RANGES];
	u64 size[PROFIL_SIEVE_RANGES];
};

/**
 * profil_sieve_add - set a range that is not set yet
 * @sieve: before the first one: @low is PROFIL_SIEVE_END, the rest is zero
 * @range: which
 * @start: first value
 * @end:   first value after it; at most @start: the range stays empty
 */
static inline void profil_sieve_add(struct profil_sieve *sieve, int range, u64 start, u64 end)
{
	if (end > PROFIL_SIEVE_END)
		end = PROFIL_SIEVE_END;
	if (start >= end)
		return;
	sieve->start[range] = start;
	sieve->size[range] = end - start;
	if (start < sieve->low)
		sieve->low = start;
}

/* Whether a value is kept. For nearly all that are not, it suffices that they are below @low. */
static inline bool profil_sieve_keeps(const struct profil_sieve *sieve, u64 value)
{
	return value - sieve->start[0] < sieve->size[0] ||
	       value - sieve->start[1] < sieve->size[1] ||
	       value - sieve->start[2] < sieve->size[2];
}

#endif /* _PROFIL_SIEVE_H */
