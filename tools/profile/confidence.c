// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sampling error.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "profile/confidence.h"
#include "profile/share.h"

/* 95 % of a normal distribution are within this number of standard deviations. */
#define Z	1.959963984540054
#define LEVEL	0.05	/* of significance */

/* Above this variance, the normal distribution approximates the binomial to four digits. */
#define NORMAL_VARIANCE	1e6

struct interval confidence_share(uint64_t samples, uint64_t all)
{
	struct interval interval = { 0, 1 };
	double n = (double)all, p = share_of(samples, all);
	double middle, half;

	if (!all)
		return interval;
	middle = (p + Z * Z / (2 * n)) / (1 + Z * Z / n);
	half = Z / (1 + Z * Z / n) * sqrt(p * (1 - p) / n + Z * Z / (4 * n * n));
	/* exactly 0 and 1, which rounding could miss */
	if (samples)
		interval.low = fmax(middle - half, 0);
	if (samples < all)
		interval.high = fmin(middle + half, 1);
	return interval;
}

struct interval confidence_difference(uint64_t old_samples, uint64_t old_all,
				      uint64_t new_samples, uint64_t new_all)
{
	struct interval old = confidence_share(old_samples, old_all);
	struct interval new = confidence_share(new_samples, new_all);
	double from = share_of(old_samples, old_all);
	double to = share_of(new_samples, new_all);

	return (struct interval){
		.low = to - from - hypot(to - new.low, old.high - from),
		.high = to - from + hypot(new.high - to, from - old.low),
	};
}

/* The score interval of the expected value of a Poisson count */
static struct interval poisson_interval(uint64_t samples)
{
	double n = (double)samples, middle = n + Z * Z / 2, half = Z * sqrt(n + Z * Z / 4);

	return (struct interval){ samples ? fmax(middle - half, 0) : 0, middle + half };
}

/*
 * The probability of @least or more successes in @n trials with probability @p each, where
 * @least is more than n * p.
 */
static double binomial_tail(double n, double least, double p)
{
	double term = exp(lgamma(n + 1) - lgamma(least + 1) - lgamma(n - least + 1) +
			  least * log(p) + (n - least) * log1p(-p));
	double sum = 0, k = least;

	/* each term is less than the one before */
	for (; term > sum * DBL_EPSILON; k++) {
		sum += term;
		term *= (n - k) / (k + 1) * p / (1 - p);
	}
	return sum;
}

bool confidence_seconds_differ(uint64_t old_samples, double old_seconds,
			       uint64_t new_samples, double new_seconds)
{
	double n = (double)old_samples + (double)new_samples;
	double p = old_seconds / (old_seconds + new_seconds), k = (double)new_samples;

	if (k < n * p) {
		k = (double)old_samples;
		p = 1 - p;
	}
	if (n * p * (1 - p) > NORMAL_VARIANCE)
		return k - n * p - 0.5 > Z * sqrt(n * p * (1 - p));
	return k > n * p && 2 * binomial_tail(n, k, p) <= LEVEL;
}

struct interval confidence_seconds_difference(uint64_t old_samples, double old_seconds,
					      uint64_t new_samples, double new_seconds)
{
	struct interval old = poisson_interval(old_samples);
	struct interval new = poisson_interval(new_samples);
	double from = (double)old_samples, to = (double)new_samples;
	double difference = to * new_seconds - from * old_seconds;
	struct interval interval = {
		.low = difference - hypot((to - new.low) * new_seconds,
					  (old.high - from) * old_seconds),
		.high = difference + hypot((new.high - to) * new_seconds,
					   (from - old.low) * old_seconds),
	};

	/* the interval is approximate: make it agree with the exact test */
	if (!confidence_seconds_differ(old_samples, old_seconds, new_samples, new_seconds)) {
		interval.low = fmin(interval.low, 0);
		interval.high = fmax(interval.high, 0);
	} else if (difference > 0) {
		interval.low = fmax(interval.low, 0);
	} else {
		interval.high = fmin(interval.high, 0);
	}
	return interval;
}

static int compare_values(const void *va, const void *vb)
{
	const double a = *(const double *)va, b = *(const double *)vb;

	return a < b ? -1 : a > b;
}

struct interval confidence_median(double *values, size_t nr, double *median)
{
	const double n = (double)nr;
	double below = exp2(-n), term = below;
	size_t k = 0;

	qsort(values, nr, sizeof(*values), compare_values);
	*median = (values[(nr - 1) / 2] + values[nr / 2]) / 2;
	/* @below is the probability that at most @k values are below the true median */
	while (2 * (below + term * (n - (double)k) / ((double)k + 1)) <= LEVEL) {
		term *= (n - (double)k) / ((double)k + 1);
		below += term;
		k++;
	}
	return (struct interval){ values[k], values[nr - 1 - k] };
}
