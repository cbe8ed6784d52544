// SPDX-License-Identifier: GPL-2.0-only
/*
 * How far chance may have moved a figure.
 */
#include <float.h>
#include <math.h>

#include "confidence.h"
#include "share.h"

/* The normal distribution has 95 % within so many standard deviations. */
#define Z	1.959963984540054
#define LEVEL	0.05	/* what is outside */

/* From this variance on, the normal distribution is the binomial one to four digits. */
#define NORMAL_VARIANCE	1e6

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

/* Of a count whose expectation is asked for, by the score as above (Poisson) */
static struct interval find_expectation(uint64_t hits)
{
	double n = (double)hits, middle = n + Z * Z / 2, half = Z * sqrt(n + Z * Z / 4);

	return (struct interval){ hits ? fmax(middle - half, 0) : 0, middle + half };
}

/* The probability of @least or more of @n, each with probability @p; for more than n * p */
static double find_tail(double n, double least, double p)
{
	double term = exp(lgamma(n + 1) - lgamma(least + 1) - lgamma(n - least + 1) +
			  least * log(p) + (n - least) * log1p(-p));
	double sum = 0, k = least;

	/* each less than the one before */
	for (; term > sum * DBL_EPSILON; k++) {
		sum += term;
		term *= (n - k) / (k + 1) * p / (1 - p);
	}
	return sum;
}

bool confidence_seconds_differ(uint64_t old_hits, double old_seconds,
			       uint64_t new_hits, double new_seconds)
{
	double n = (double)old_hits + (double)new_hits;
	double p = old_seconds / (old_seconds + new_seconds), k = (double)new_hits;

	if (k < n * p) {
		k = (double)old_hits;
		p = 1 - p;
	}
	if (n * p * (1 - p) > NORMAL_VARIANCE)
		return k - n * p - 0.5 > Z * sqrt(n * p * (1 - p));
	return k > n * p && 2 * find_tail(n, k, p) <= LEVEL;
}

struct interval confidence_seconds_difference(uint64_t old_hits, double old_seconds,
					      uint64_t new_hits, double new_seconds)
{
	struct interval old = find_expectation(old_hits);
	struct interval new = find_expectation(new_hits);
	double from = (double)old_hits, to = (double)new_hits;
	double difference = to * new_seconds - from * old_seconds;
	struct interval interval = {
		.low = difference - hypot((to - new.low) * new_seconds,
					  (old.high - from) * old_seconds),
		.high = difference + hypot((new.high - to) * new_seconds,
					   (from - old.low) * old_seconds),
	};

	/* the test is exact, the interval nearly */
	if (!confidence_seconds_differ(old_hits, old_seconds, new_hits, new_seconds)) {
		interval.low = fmin(interval.low, 0);
		interval.high = fmax(interval.high, 0);
	} else if (difference > 0) {
		interval.low = fmax(interval.low, 0);
	} else {
		interval.high = fmin(interval.high, 0);
	}
	return interval;
}
