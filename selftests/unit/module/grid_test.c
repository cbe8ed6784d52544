// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks the sampling points of the timer clock (module/clock/grid.h): their rate, and that random
 * ones are uniform and not predictable.
 */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "module/clock/grid.h"
#include "support/test.h"

#define YEAR	(365ULL * 24 * 3600 * PROFIL_NS)

static const u32 rates[] = { 1, 2, 3, 7, 10, 97, 100, 250, 997, 1000, 4000, 19997,
			     20000 };

/* Times around which something could overflow, or a second begins */
static const u64 times[] = {
	1, PROFIL_NS, 1ULL << 32, YEAR, 9223372036ULL * PROFIL_NS, 1ULL << 63,
};

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

/* A period lasts from its beginning to the beginning of the next one. */
TEST(period_contains_its_times)
{
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

static void check_period(u32 rate, u64 ns)
{
	u64 period = profil_grid_period(rate, ns);
	u64 next = profil_grid_begin(rate, period + 1);

	assert_true(profil_grid_begin(rate, period) <= ns);
	assert_true(next > ns);
	/* the boundary belongs to the next period */
	assert_int_equal(period + 1, profil_grid_period(rate, next));
	assert_int_equal(period, profil_grid_period(rate, next - 1));
}

/* Rounding does not accumulate: each second has exactly @rate periods. */
TEST(periods_are_exact_at_every_rate)
{
	u32 rate;
	size_t t;

	for (rate = 1; rate <= 20000; rate++) {
		for (t = 0; t < sizeof(times) / sizeof(*times); t++) {
			check_period(rate, times[t] - 1);
			check_period(rate, times[t]);
			check_period(rate, times[t] + 1);
		}
		assert_int_equal(PROFIL_NS, profil_grid_begin(rate, rate));
		assert_int_equal(9223372035ULL * rate,
				 profil_grid_period(rate, 9223372035ULL * PROFIL_NS));
	}
}

/* Each point lies in its period. The points passed are those found by stepping. */
TEST(points_are_exact_over_the_whole_range)
{
	FOR_EACH_GRID(grid) {
		size_t t;
		u64 i;

		for (t = 0; t < sizeof(times) / sizeof(*times); t++) {
			u64 from = times[t] - 1, at, first, next, period;

			if (random_u64() % 2)
				from += random_u64() % PROFIL_NS;
			at = from;
			profil_grid_next(&grid, from, &first);
			for (i = 0; i < 500; i++) {
				next = profil_grid_next(&grid, at, &period);
				assert_true(next > at);
				/* no period is skipped */
				assert_int_equal(first + i, period);
				assert_int_equal(period, profil_grid_period(grid.rate,
									    next + grid.shift));
				assert_int_equal(i + 1, profil_grid_passed(&grid, from, next));
				assert_int_equal(i, profil_grid_passed(&grid, from, next - 1));
				assert_int_equal(0, profil_grid_passed(&grid, next, next));
				at = next;
			}
		}
	}
}

/* From any period on, across seconds: a step finds what divisions find. */
TEST(steps_are_exact)
{
	u32 rate;

	for (rate = 1; rate <= 20000; rate++) {
		struct profil_grid grid = { .rate = rate };
		u64 period = random_u64() % (YEAR / PROFIL_NS * rate), i;

		for (i = 0; i < 2 * rate + 2; i++)
			assert_int_equal(profil_grid_begin(rate, period + i),
					 profil_grid_point(&grid, period + i));
	}
}

/* Another rate, or another period than the next one, is no step. */
TEST(only_the_next_period_is_a_step)
{
	struct profil_grid grid = {};
	int i;

	for (i = 0; i < 1000000; i++) {
		u64 period = grid.stepped + random_u64() % 4;

		grid.rate = rates[3 + random_u64() % 2];
		assert_int_equal(profil_grid_begin(grid.rate, period),
				 profil_grid_point(&grid, period));
	}
}

/* The points of all CPUs are the same, shifted by up to a second. */
TEST(shift_moves_all_points)
{
	FOR_EACH_GRID(grid) {
		struct profil_grid other = grid;
		int i;

		other.shift = 0;
		for (i = 0; i < 1000; i++) {
			u64 at = random_u64() >> 2, period, others;

			assert_int_equal(profil_grid_next(&grid, at, &period) + grid.shift,
					 profil_grid_next(&other, at + grid.shift, &others));
			assert_int_equal(others, period);
		}
	}
}

TEST(next_and_passed_agree)
{
	FOR_EACH_GRID(grid) {
		u64 from = random_u64() % YEAR, at = from;
		int i;

		for (i = 0; i < 20000; i++) {
			u64 period, next = profil_grid_next(&grid, at, &period);

			assert_true(next > at);
			assert_int_equal(profil_grid_point(&grid, period), next + grid.shift);
			assert_int_equal(profil_grid_passed(&grid, at, next - 1), 0);
			assert_int_equal(profil_grid_passed(&grid, at, next), 1);
			assert_int_equal(profil_grid_passed(&grid, from, next), i + 1);
			at = next;
		}
	}
}

/* Random points may be one more or one less, at the ends of the span. */
TEST(rate_is_exact)
{
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

/* Spans that follow each other count each point once. */
TEST(spans_add_up)
{
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

/* Points are distributed evenly in their periods, and successive points are not correlated. */
static void check_spread(struct profil_grid *grid)
{
	/* one hash has four points */
	enum { BINS = 50, POINTS = 1000000, LAGS = 4 };
	double bins[BINS] = { 0 }, chi = 0, correlations[LAGS] = { 0 }, before[LAGS] = { 0 };
	u64 period;
	int i;

	for (period = 0; period < POINTS; period++) {
		u64 begin = profil_grid_begin(grid->rate, period);
		u64 end = profil_grid_begin(grid->rate, period + 1);
		double at = (double)(profil_grid_point(grid, period) - begin) /
			    (double)(end - begin);

		assert_true(at >= 0 && at < 1);
		bins[(int)(at * BINS)]++;
		for (i = 0; i < LAGS; i++)
			correlations[i] += (at - 0.5) * before[i] * 12 / POINTS;
		for (i = LAGS - 1; i > 0; i--)
			before[i] = before[i - 1];
		before[0] = at - 0.5;
	}
	for (i = 0; i < BINS; i++)
		chi += pow(bins[i] - POINTS / BINS, 2) / (POINTS / BINS);
	/* 49 degrees of freedom: 49 on average, 85 or more once in 1,000 */
	assert_true(chi > 20 && chi < 85);
	for (i = 0; i < LAGS; i++)
		assert_true(fabs(correlations[i]) < 0.004);
}

TEST(random_points_are_uniform)
{
	FOR_EACH_GRID(grid)
		if (grid.random)
			check_spread(&grid);
}

/* A point does not depend on which points were looked for before. */
TEST(kept_hash_has_no_effect)
{
	struct profil_grid grid = make_grid(1, true), fresh = grid;
	int i;

	for (i = 0; i < 100000; i++) {
		u64 period = random_u64() % 64;

		fresh.rate = rates[random_u64() % (sizeof(rates) / sizeof(*rates))];
		grid.rate = fresh.rate;
		fresh.hashed = 0;
		assert_int_equal(profil_grid_point(&fresh, period),
				 profil_grid_point(&grid, period));
	}
}

TEST(keys_give_different_points)
{
	struct profil_grid one = make_grid(1000, true), other = one;
	u64 period;
	int same = 0;

	other.key.key[0]++;
	for (period = 0; period < 10000; period++)
		same += profil_grid_point(&one, period) ==
			profil_grid_point(&other, period);
	assert_true(same < 5);
}

/* Position of a point in its period, in units of 2^-16 */
static unsigned int position(struct profil_grid *grid, u64 period)
{
	u64 begin = profil_grid_begin(grid->rate, period);
	u64 end = profil_grid_begin(grid->rate, period + 1);

	return (unsigned int)((profil_grid_point(grid, period) - begin) * 65536 /
			      (end - begin));
}

/*
 * Period n of 1001 Hz ends before period n of 1000 Hz begins. If their points had the same
 * position, a process that is sampled at 1001 Hz could predict the points of 1000 Hz. By chance,
 * 3 of 2^16 positions are as close: 0.5 in 10,000 periods.
 */
TEST(rates_have_unrelated_points)
{
	struct profil_grid one = make_grid(1000, true), other = one;
	u64 period;
	int same = 0;

	other.rate = 1001;
	for (period = 0; period < 10000; period++)
		same += abs((int)position(&one, period) - (int)position(&other, period)) <= 1;
	print_message("%d of 10000 points are predictable from another rate's\n", same);
	assert_true(same < 10);
}

/* The test vector of SipHash's authors */
TEST(hash_is_siphash)
{
	static const siphash_key_t key = { { 0x0706050403020100ULL,
					     0x0f0e0d0c0b0a0908ULL } };

	assert_int_equal(0x93f5f5799a932462ULL, siphash_1u64(0x0706050403020100ULL, &key));
}
