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
 * @low:   the first value of all ranges
 * @all:   the last one is below @low + @all; 0: all ranges are empty
 * @start: of a range: a value is in it if it minus @start is below @size
 * @size:  0: the range is empty
 */
struct profil_sieve {
	u64 low;
	u64 all;
	u64 start[PROFIL_SIEVE_RANGES];
	u64 size[PROFIL_SIEVE_RANGES];
};

/**
 * profil_sieve_add - set a range that is not set yet
 * @sieve: zeroed before the first one
 * @range: which
 * @start: first value
 * @end:   first value after it; at most @start: the range stays empty
 */
static inline void profil_sieve_add(struct profil_sieve *sieve, int range, u64 start, u64 end)
{
	u64 high = sieve->low + sieve->all;

	if (end > PROFIL_SIEVE_END)
		end = PROFIL_SIEVE_END;
	if (start >= end)
		return;
	sieve->start[range] = start;
	sieve->size[range] = end - start;
	if (!sieve->all || start < sieve->low)
		sieve->low = start;
	sieve->all = (end > high ? end : high) - sieve->low;
}

/*
 * Whether a value is kept. @low and @all are those of the sieve: a loop has them in registers, and
 * the test of them suffices for nearly all words.
 */
static inline bool profil_sieve_keeps(const struct profil_sieve *sieve, u64 low, u64 all, u64 value)
{
	return value - low < all && (value - sieve->start[0] < sieve->size[0] ||
				     value - sieve->start[1] < sieve->size[1] ||
				     value - sieve->start[2] < sieve->size[2]);
}

#endif /* _PROFIL_SIEVE_H */
