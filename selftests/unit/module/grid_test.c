// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sampling points of the timer clock (module/grid.h), compiled as they are.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "module/grid.h"

#define YEAR	(365ULL * 24 * 3600 * PROFIL_NS)

static const u32 rates[] = { 1, 2, 3, 7, 10, 97, 100, 250, 997, 1000, 4000, 19997,
			     20000 };

static u64 random_u64(void)
{
	static const siphash_key_t key = { { 1, 2 } };
	static u64 state;

	return siphash_1u64(state++, &key);
}

static struct profil_grid make_grid(u32 rate, bool random)
{
	return (struct profil_grid){
		.rate = rate,
		.random = random,
		.key = { { random_u64(), random_u64() } },
		.shift = random_u64() % PROFIL_NS,
	};
}

#define FOR_EACH_GRID(grid)						\
	for (size_t k_ = 0; k_ < 2 * sizeof(rates) / sizeof(*rates); k_++)	\
		for (struct profil_grid grid = make_grid(rates[k_ / 2], k_ & 1), \
		     *once_ = &grid; once_; once_ = NULL)

/* A period begins at the first ns at which it is due, and holds all up to the next. */
static void test_periods(void **state)
{
	(void)state;
	FOR_EACH_GRID(grid) {
		int i;

		for (i = 0; i < 20000; i++) {
			u64 ns = random_u64() % YEAR;
			u64 period = profil_grid_period(grid.rate, ns);

			assert_true(profil_grid_begin(grid.rate, period) <= ns);
			assert_true(profil_grid_begin(grid.rate, period + 1) > ns);
			ns = profil_grid_begin(grid.rate, period);
			assert_int_equal(profil_grid_period(grid.rate, ns), period);
		}
	}
}

/* From any time on, one point after the other, as many as are said to have passed. */
static void test_next_and_passed_agree(void **state)
{
	(void)state;
	FOR_EACH_GRID(grid) {
		u64 from = random_u64() % YEAR, at = from;
		int i;

		for (i = 0; i < 20000; i++) {
			u64 period, next = profil_grid_next(&grid, at, &period);

			assert_true(next > at);
			assert_int_equal(profil_grid_point(&grid, period),
					 next + grid.shift);
			assert_int_equal(profil_grid_passed(&grid, at, next - 1), 0);
			assert_int_equal(profil_grid_passed(&grid, at, next), 1);
			assert_int_equal(profil_grid_passed(&grid, from, next),
					 i + 1);
			at = next;
		}
	}
}

/* As many points a second as the rate says, exactly, but for the first and last. */
static void test_rate_is_exact(void **state)
{
	(void)state;
	FOR_EACH_GRID(grid) {
		u64 from = random_u64() % YEAR;
		u64 seconds = 1000000;
		int64_t off = (int64_t)(profil_grid_passed(&grid, from,
						   from + seconds * PROFIL_NS) -
				seconds * grid.rate);

		assert_true(off >= -1 && off <= 1);
		if (!grid.random)
			assert_int_equal(off, 0);
	}
}

/* Spans that follow each other, of any length, have no point twice and lose none. */
static void test_spans_add_up(void **state)
{
	(void)state;
	FOR_EACH_GRID(grid) {
		u64 from = random_u64() % YEAR, at = from, sum = 0;
		int i;

		for (i = 0; i < 20000; i++) {
			u64 to = at + random_u64() % (3 * PROFIL_NS / grid.rate);

			sum += profil_grid_passed(&grid, at, to);
			at = to;
		}
		assert_int_equal(sum, profil_grid_passed(&grid, from, at));
	}
}

/* Anywhere in the period alike, and one's place says nothing of the next one's. */
static void test_random_points_are_even(void **state)
{
	enum { BINS = 50, POINTS = 1000000 };
	struct profil_grid grid = make_grid(1000, true);
	double bins[BINS] = { 0 }, chi = 0, correlation = 0, last = 0;
	u64 period;
	int i;

	(void)state;
	for (period = 0; period < POINTS; period++) {
		u64 begin = profil_grid_begin(grid.rate, period);
		double at = (double)(profil_grid_point(&grid, period) - begin) /
			    1e6;

		assert_true(at >= 0 && at < 1);
		bins[(int)(at * BINS)]++;
		correlation += (at - 0.5) * (last - 0.5) * 12 / POINTS;
		last = at;
	}
	for (i = 0; i < BINS; i++)
		chi += pow(bins[i] - POINTS / BINS, 2) / (POINTS / BINS);
	/* 49 degrees of freedom: 49 on average, 85 or more once in 1,000 */
	assert_true(chi > 20 && chi < 85);
	assert_true(fabs(correlation) < 0.004);
}

/* Another secret has other points. */
static void test_key(void **state)
{
	struct profil_grid one = make_grid(1000, true), other = one;
	u64 period;
	int same = 0;

	(void)state;
	other.key.key[0]++;
	for (period = 0; period < 10000; period++)
		same += profil_grid_point(&one, period) ==
			profil_grid_point(&other, period);
	assert_true(same < 5);
}

/* Where in its period a point lies, in parts of 2^16. */
static unsigned int place(const struct profil_grid *grid, u64 period)
{
	u64 begin = profil_grid_begin(grid->rate, period);
	u64 end = profil_grid_begin(grid->rate, period + 1);

	return (unsigned int)((profil_grid_point(grid, period) - begin) * 65536 /
			      (end - begin));
}

/*
 * R8. Period n of 1001 Hz is over before period n of 1000 Hz begins: were their points at
 * the same place, a helper at the one rate would read off where those at the other will be.
 * By chance 3 of 2^16 places are as near, so that of 10,000 periods half a one is.
 */
static void test_rates_are_apart(void **state)
{
	struct profil_grid one = make_grid(1000, true), other = one;
	u64 period;
	int same = 0;

	(void)state;
	other.rate = 1001;
	for (period = 0; period < 10000; period++)
		same += abs((int)place(&one, period) - (int)place(&other, period)) <= 1;
	print_message("of 10000 points %d are known from another rate's\n", same);
	assert_true(same < 10);
}

/* The authors' own vector: that this is the hash, and no other. */
static void test_hash(void **state)
{
	static const siphash_key_t key = { { 0x0706050403020100ULL,
					     0x0f0e0d0c0b0a0908ULL } };

	(void)state;
	assert_int_equal(0x93f5f5799a932462ULL,
			 siphash_1u64(0x0706050403020100ULL, &key));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_periods),
		cmocka_unit_test(test_next_and_passed_agree),
		cmocka_unit_test(test_rate_is_exact),
		cmocka_unit_test(test_spans_add_up),
		cmocka_unit_test(test_random_points_are_even),
		cmocka_unit_test(test_key),
		cmocka_unit_test(test_rates_are_apart),
		cmocka_unit_test(test_hash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
