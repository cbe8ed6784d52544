// SPDX-License-Identifier: GPL-2.0-only
/*
 * Intervals against those that were published: R. G. Newcombe, Statistics in Medicine 17
 * (1998), 857 (table I, method 3) and 873 (table II, method 10), to four digits.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include <confidence.h>

#include "test.h"

static void assert_near(double value, double published)
{
	if (!(fabs(value - published) <= 0.00005 + 1e-9))
		fail_msg("%.6f is not %.4f", value, published);
}

static void shares_are_as_published(void **state)
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

	(void)state;
	for (i = 0; i < ARRAY_SIZE(published); i++) {
		struct interval interval = confidence_share(published[i].hits,
							    published[i].all);

		assert_near(interval.low, published[i].low);
		assert_near(interval.high, published[i].high);
	}
}

static void differences_are_as_published(void **state)
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

	(void)state;
	for (i = 0; i < ARRAY_SIZE(published); i++) {
		struct interval interval =
			confidence_difference(published[i].other_hits,
					      published[i].other_all,
					      published[i].hits, published[i].all);

		assert_near(interval.low, published[i].low);
		assert_near(interval.high, published[i].high);
	}
}

static void ends_are_exact(void **state)
{
	struct interval interval;
	uint64_t all;

	(void)state;
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

/* Sampled at random, 95 of 100 intervals hold the true share; so many that chance is out. */
static void intervals_hold_what_they_say(void **state)
{
	static const double shares[] = { 0.02, 0.1, 0.5, 0.9 };
	unsigned int seed = 11;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(shares); i++) {
		const int rounds = 5000, samples = 400;
		int held = 0, round, j;

		for (round = 0; round < rounds; round++) {
			struct interval interval;
			uint64_t hits = 0;

			for (j = 0; j < samples; j++)
				hits += rand_r(&seed) < shares[i] * RAND_MAX;
			interval = confidence_share(hits, samples);
			held += interval.low <= shares[i] && shares[i] <= interval.high;
		}
		assert_in_range(held, rounds * 93 / 100, rounds * 97 / 100);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_are_as_published),
		cmocka_unit_test(differences_are_as_published),
		cmocka_unit_test(ends_are_exact),
		cmocka_unit_test(intervals_hold_what_they_say),
	};

	return cmocka_run_group_tests_name("confidence", tests, NULL, NULL);
}
