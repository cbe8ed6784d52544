// SPDX-License-Identifier: GPL-2.0-only
/*
 * Confidence intervals compared with published ones, to four digits: R. G. Newcombe, Statistics
 * in Medicine 17 (1998), 857 (table I, method 3) and 873 (table II, method 10).
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include <profile/confidence.h>

#include "support/test.h"

static void assert_near(double value, double published)
{
	if (!(fabs(value - published) <= 0.00005 + 1e-9))
		fail_msg("%.6f is not %.4f", value, published);
}

TEST(shares_match_published_intervals)
{
	static const struct {
		uint64_t hits, all;
		double low, high;
	} published[] = {
		{ 81, 263, 0.2553, 0.3662 },
		{ 15, 148, 0.0624, 0.1605 },
		{ 0, 20, 0.0000, 0.1611 },
		{ 1, 29, 0.0061, 0.1718 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(published); i++) {
		struct interval interval = confidence_share(published[i].hits, published[i].all);

		assert_near(interval.low, published[i].low);
		assert_near(interval.high, published[i].high);
	}
}

TEST(differences_match_published_intervals)
{
	static const struct {
		uint64_t hits, all, other_hits, other_all;
		double low, high;
	} published[] = {
		{ 56, 70, 48, 80, 0.0524, 0.3339 },
		{ 9, 10, 3, 10, 0.1705, 0.8090 },
		{ 6, 7, 2, 7, 0.0582, 0.8062 },
		{ 5, 56, 0, 29, -0.0381, 0.1926 },
		{ 0, 10, 0, 20, -0.1611, 0.2775 },
		{ 0, 10, 0, 10, -0.2775, 0.2775 },
		{ 10, 10, 0, 20, 0.6791, 1.0000 },
		{ 10, 10, 0, 10, 0.6075, 1.0000 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(published); i++) {
		const double all = (double)published[i].all;
		const double other_all = (double)published[i].other_all;
		double share = (double)published[i].hits / all;
		double other = (double)published[i].other_hits / other_all;
		const struct confidence_side from = {
			published[i].other_hits, published[i].other_all, 0, 1 / other_all,
			&other, 1,
		};
		const struct confidence_side to = {
			published[i].hits, published[i].all, 0, 1 / all, &share, 1,
		};
		const struct interval interval = confidence_change(&from, &to);

		assert_near(interval.low, published[i].low);
		assert_near(interval.high, published[i].high);
	}
}

TEST(ends_are_exact)
{
	struct interval interval;
	uint64_t all;

	for (all = 1; all < 1ULL << 50; all *= 3) {
		interval = confidence_share(0, all);
		assert_true(interval.low == 0 && interval.high > 0);
		interval = confidence_share(all, all);
		assert_true(interval.low < 1 && interval.high == 1);
	}
	interval = confidence_share(0, 0);
	assert_true(interval.low == 0 && interval.high == 1);
	interval = confidence_share(UINT64_MAX, UINT64_MAX);
	assert_true(interval.low > 0.999 && interval.high == 1);
}

/* 95 of 100 intervals of random samples contain the true share. */
TEST(intervals_contain_the_true_share)
{
	static const double shares[] = { 0.02, 0.1, 0.5, 0.9 };
	unsigned int seed = 11;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(shares); i++) {
		const int rounds = 5000, samples = 400;
		int nr = 0, round, j;

		for (round = 0; round < rounds; round++) {
			struct interval interval;
			uint64_t hits = 0;

			for (j = 0; j < samples; j++)
				hits += rand_r(&seed) < shares[i] * RAND_MAX;
			interval = confidence_share(hits, samples);
			nr += interval.low <= shares[i] && shares[i] <= interval.high;
		}
		assert_in_range(nr, rounds * 93 / 100, rounds * 97 / 100);
	}
}

/* Counts of a rate, whose variance is @variance times the number of all samples */
static struct interval change(uint64_t old, double old_each, uint64_t new, double new_each,
			      uint64_t all, double variance)
{
	double from = (double)old * old_each, to = (double)new * new_each;

	return confidence_change(&(struct confidence_side){
		old, all, variance * (double)all, old_each, &from, 1,
	}, &(struct confidence_side){
		new, all, variance * (double)all, new_each, &to, 1,
	});
}

/*
 * The probability that two profiles of the same CPU time, of Poisson's distribution, are found to
 * differ: the sum of the probabilities of all pairs of counts that are.
 */
static double find_size(double seconds, double old_each, double new_each)
{
	double old_mean = seconds / old_each, new_mean = seconds / new_each;
	uint64_t most_old = (uint64_t)(old_mean + 8 * sqrt(old_mean) + 20);
	uint64_t most_new = (uint64_t)(new_mean + 8 * sqrt(new_mean) + 20);
	uint64_t old, new;
	double size = 0;

	for (old = 0; old <= most_old; old++) {
		double at = exp(-old_mean + (double)old * log(old_mean) - lgamma((double)old + 1));

		if (at < 1e-12)
			continue;
		for (new = 0; new <= most_new; new++) {
			const struct interval interval = change(old, old_each, new, new_each,
								most_old + most_new, 1);

			if (interval.low > 0 || interval.high < 0)
				size += at * exp(-new_mean + (double)new * log(new_mean) -
						 lgamma((double)new + 1));
		}
	}
	return size;
}

/* Computed exactly, not simulated */
TEST(at_most_5_percent_unchanged_are_marked)
{
	static const struct {
		double old_each, new_each;
	} rates[] = {
		{ 0.01, 0.01 }, { 0.01, 0.001 }, { 0.001, 0.01 }, { 0.004, 0.001 },
	};
	static const double means[] = { 0.1, 1, 2.5, 4, 7.3, 15, 40, 150, 400 };
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		double longer = fmax(rates[i].old_each, rates[i].new_each);

		for (j = 0; j < ARRAY_SIZE(means); j++) {
			double size = find_size(means[j] * longer, rates[i].old_each,
						rates[i].new_each);

			if (size > 0.05)
				fail_msg("%g samples at %g s and %g s: %f", means[j],
					 rates[i].old_each, rates[i].new_each, size);
			/* a test that marks nothing would be useless */
			assert_true(means[j] < 150 || size > 0.04);
		}
	}
}

/* 1.96 standard errors, to the third digit */
TEST(intervals_follow_from_the_variance)
{
	/* of sqrt(2000) samples, without the CPU time */
	assert_float_equal(change(1000, 0.01, 1000, 0.01, 4000, 1).high, 0.8774, 0.002);
	/* a quarter of what is counted to a sample: of sqrt(2 * 1000 * 0.75) */
	assert_float_equal(change(1000, 0.01, 1000, 0.01, 4000, 0).low, -0.7591, 0.002);
	/* all of it is known to sqrt(2 * 40) samples, and less than the score adds */
	assert_float_equal(change(4000, 0.01, 4000, 0.01, 4000, 0.01).high, 0.1753, 0.01);
}

static struct interval between(double *old, size_t nr_old, double *new, size_t nr_new)
{
	return confidence_change(&(struct confidence_side){ 1000, 1000, 0, 1e-9, old, nr_old },
				 &(struct confidence_side){ 1000, 1000, 0, 1e-9, new, nr_new });
}

/* By Student's table and Welch's formula, by hand; sampling error is next to nothing */
TEST(intervals_have_the_variance_between_runs)
{
	static double old[] = { 10, 12, 14 }, new[] = { 20, 21, 25 }, same[] = { 3, 3, 3 };
	struct interval interval = between(old, 3, new, 3);

	/* variances 4 and 7: sqrt(11 / 3) = 1.915; 3.72 degrees of freedom, rounded down: 3.182 */
	assert_float_equal(interval.low, 10 - 6.093, 0.001);
	assert_float_equal(interval.high, 10 + 6.093, 0.001);
	/* a single run differs as the other side does: sqrt(4 + 4 / 3) = 2.309, with 2: 4.303 */
	assert_float_equal(between(old, 3, new, 1).high, 8 + 9.937, 0.001);
	assert_float_equal(between(new, 1, old, 3).low, -8 - 9.937, 0.001);
	/* with one run a side, and with equal runs, sampling error alone is left */
	assert_float_equal(between(old, 1, new, 1).high, 10, 1e-5);
	assert_float_equal(between(same, 3, same, 3).low, 0, 1e-5);
	assert_true(between(same, 3, same, 3).low < 0);
}

/* Of 20 values, that is the 6th and the 15th: the chance of 5 or fewer of 20 is 2.07 %. */
TEST(median)
{
	double values[20], middle;
	struct interval interval;
	size_t i;

	for (i = 0; i < 20; i++)
		values[i] = (double)((i * 7) % 20);
	interval = confidence_median(values, 20, &middle);
	assert_float_equal(middle, 9.5, 0);
	assert_float_equal(interval.low, 5, 0);
	assert_float_equal(interval.high, 14, 0);
	/* the fewest for 95 %: outside the lowest and the highest with 2/64 */
	interval = confidence_median(values, 6, &middle);
	assert_float_equal(middle, 2.5, 0);
	assert_float_equal(interval.low, 0, 0);
	assert_float_equal(interval.high, 5, 0);
}
