// SPDX-License-Identifier: GPL-2.0-only
/*
 * How far chance may have moved a figure.
 */
#include <math.h>

#include "confidence.h"
#include "share.h"

/* The normal distribution has 95 % within so many standard deviations. */
#define Z	1.959963984540054

struct interval confidence_share(uint64_t hits, uint64_t all)
{
	struct interval interval = { 0, 1 };
	double n = (double)all, p = share_of(hits, all);
	double middle, half;

	if (!all)
		return interval;
	middle = (p + Z * Z / (2 * n)) / (1 + Z * Z / n);
	half = Z / (1 + Z * Z / n) * sqrt(p * (1 - p) / n + Z * Z / (4 * n * n));
	/* at the ends exactly, where rounding would leave a trace */
	if (hits)
		interval.low = fmax(middle - half, 0);
	if (hits < all)
		interval.high = fmin(middle + half, 1);
	return interval;
}

struct interval confidence_difference(uint64_t old_hits, uint64_t old_all,
				      uint64_t new_hits, uint64_t new_all)
{
	struct interval old = confidence_share(old_hits, old_all);
	struct interval new = confidence_share(new_hits, new_all);
	double from = share_of(old_hits, old_all);
	double to = share_of(new_hits, new_all);

	return (struct interval){
		.low = to - from - hypot(to - new.low, old.high - from),
		.high = to - from + hypot(new.high - to, from - old.low),
	};
}
