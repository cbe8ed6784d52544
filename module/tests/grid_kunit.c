// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sampling points of the timer clocks (grid.h), at every rate and over the whole range
 * of ktime_get(). selftests/unit covers years at some rates, and tests the distribution of
 * the points with floating point.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/sched.h>

#include "grid.h"
#include "pseudo.h"
#include "suites.h"

#define MAX_RATE	20000
#define YEAR_NS		(365ULL * 24 * 3600 * PROFIL_NS)

/* Times around which something could overflow, or a second begins */
static const u64 times[] = {
	1, PROFIL_NS, 1ULL << 32, YEAR_NS, 9223372036ULL * PROFIL_NS, 1ULL << 63,
};

static const u32 rates[] = { 1, 2, 3, 7, 97, 250, 997, 1000, 4096, 9999, 19997,
			     MAX_RATE };

static struct profil_grid make_grid(struct rnd_state *rnd, u32 rate, bool random)
{
	return (struct profil_grid){
		.rate = rate,
		.random = random,
		.key = { { pseudo_u64(rnd), pseudo_u64(rnd) } },
		.shift = prandom_u32_state(rnd) % PROFIL_NS,
	};
}

/* The period begins at or before the time, and the next one after it. */
static void check_period(struct kunit *test, u32 rate, u64 ns)
{
	u64 period = profil_grid_period(rate, ns);

	KUNIT_ASSERT_LE_MSG(test, profil_grid_begin(rate, period), ns,
			    "%u Hz, %llu ns", rate, ns);
	KUNIT_ASSERT_GT_MSG(test, profil_grid_begin(rate, period + 1), ns,
			    "%u Hz, %llu ns", rate, ns);
}

static void periods_are_exact_at_every_rate(struct kunit *test)
{
	u32 rate, t;

	for (rate = 1; rate <= MAX_RATE; rate++) {
		for (t = 0; t < ARRAY_SIZE(times); t++) {
			u64 period = profil_grid_period(rate, times[t]);
			u64 next = profil_grid_begin(rate, period + 1);

			check_period(test, rate, times[t]);
			check_period(test, rate, times[t] - 1);
			check_period(test, rate, times[t] + 1);
			/* the boundary belongs to the next period */
			KUNIT_ASSERT_EQ(test, profil_grid_period(rate, next),
					period + 1);
			KUNIT_ASSERT_EQ(test, profil_grid_period(rate, next - 1),
					period);
		}
		/* rounding does not accumulate: each second has exactly @rate periods */
		KUNIT_ASSERT_EQ(test, profil_grid_begin(rate, rate), (u64)PROFIL_NS);
		KUNIT_ASSERT_EQ(test,
				profil_grid_period(rate, 9223372035ULL * PROFIL_NS),
				9223372035ULL * rate);
		if (!(rate % 64))
			cond_resched();
	}
}

/* Each point lies in its period. */
static void one_point_per_period(struct kunit *test)
{
	struct rnd_state rnd;
	unsigned int r, t, random, i;

	prandom_seed_state(&rnd, 5);
	for (r = 0; r < ARRAY_SIZE(rates); r++) {
		for (random = 0; random < 2; random++) {
			struct profil_grid grid = make_grid(&rnd, rates[r], random);

			for (t = 0; t < ARRAY_SIZE(times); t++) {
				u64 first = profil_grid_period(rates[r], times[t]);

				for (i = 0; i < 500; i++) {
					u64 point = profil_grid_point(&grid, first + i);

					KUNIT_ASSERT_EQ_MSG(test, first + i,
							    profil_grid_period(rates[r],
									       point),
							    "%u Hz, %llu ns", rates[r],
							    point);
				}
			}
			cond_resched();
		}
	}
}

/* The points passed are those found by stepping from each to the next. */
static void check_steps(struct kunit *test, const struct profil_grid *grid, u64 from,
			unsigned int steps)
{
	u64 at = from, next, period, last_period;
	unsigned int i;

	profil_grid_next(grid, from, &last_period);
	for (i = 1; i <= steps; i++) {
		next = profil_grid_next(grid, at, &period);
		KUNIT_ASSERT_GT(test, next, at);
		/* no period is skipped */
		KUNIT_ASSERT_EQ(test, period, last_period + i - 1);
		KUNIT_ASSERT_EQ_MSG(test, profil_grid_passed(grid, from, next), (u64)i,
				    "%u Hz, from %llu to %llu", grid->rate, from,
				    next);
		KUNIT_ASSERT_EQ(test, profil_grid_passed(grid, from, next - 1),
				(u64)i - 1);
		KUNIT_ASSERT_EQ(test, profil_grid_passed(grid, next, next), 0ULL);
		at = next;
	}
}

static void passed_and_next_agree(struct kunit *test)
{
	struct rnd_state rnd;
	unsigned int r, t, random;

	prandom_seed_state(&rnd, 6);
	for (r = 0; r < ARRAY_SIZE(rates); r++) {
		for (random = 0; random < 2; random++) {
			for (t = 0; t < ARRAY_SIZE(times); t++) {
				struct profil_grid grid =
					make_grid(&rnd, rates[r], random);

				check_steps(test, &grid, times[t] - 1, 100);
				check_steps(test, &grid,
					    times[t] + prandom_u32_state(&rnd), 100);
			}
			cond_resched();
		}
	}
}

/*
 * Points are uniformly distributed over their periods. x is the position of a point in its
 * period, as a fraction of U = 2^16. For N = 2^14 points with x uniform in [0, U):
 *
 *   mean: U/2, with a standard deviation of U / sqrt(12 N)
 *	    = 65536 / 443.4 = 147.8; five of them are 739
 *   variance: U^2/12. The fourth central moment is U^4/80, so the standard deviation of
 *	    the sample variance is U^2 sqrt((1/80 - 1/144) / N) = U^2 / 1717; five of
 *	    them are U^2 / 343
 *   ends: the probability of no point below U/1024 is (1 - 1/1024)^N = e^-16
 *
 * The seeds are fixed, so the results do not vary between runs.
 */
#define N		16384
#define U		65536

static void check_spread(struct kunit *test, const struct profil_grid *grid)
{
	u32 lowest = U, highest = 0;
	s64 mean, variance = 0;
	u64 period, sum = 0;

	for (period = 0; period < N; period++) {
		u64 begin = profil_grid_begin(grid->rate, period);
		u64 size = profil_grid_begin(grid->rate, period + 1) - begin;
		u64 x = div64_u64((profil_grid_point(grid, period) - begin) * U,
				  size);
		s64 off = (s64)x - U / 2;

		lowest = min_t(u32, lowest, x);
		highest = max_t(u32, highest, x);
		sum += x;
		variance += off * off;
	}
	mean = sum / N;
	variance /= N;
	KUNIT_EXPECT_LT_MSG(test, abs(mean - U / 2), 739LL, "%u Hz: mean %lld",
			    grid->rate, mean);
	KUNIT_EXPECT_LT_MSG(test, abs(variance - (s64)U * U / 12), (s64)U * U / 343,
			    "%u Hz: variance %lld", grid->rate, variance);
	KUNIT_EXPECT_LT(test, lowest, (u32)U / 1024);
	KUNIT_EXPECT_GT(test, highest, (u32)U - U / 1024);
}

static void random_points_are_uniform(struct kunit *test)
{
	struct rnd_state rnd;
	unsigned int r;

	prandom_seed_state(&rnd, 7);
	for (r = 0; r < ARRAY_SIZE(rates); r++) {
		struct profil_grid grid = make_grid(&rnd, rates[r], true);

		check_spread(test, &grid);
		cond_resched();
	}
}

/* The points of all CPUs are the same, shifted by up to a second. */
static void shift_moves_all_points(struct kunit *test)
{
	struct rnd_state rnd;
	unsigned int r, i;

	prandom_seed_state(&rnd, 8);
	for (r = 0; r < ARRAY_SIZE(rates); r++) {
		struct profil_grid grid = make_grid(&rnd, rates[r], true);
		struct profil_grid other = grid;

		other.shift = 0;
		for (i = 0; i < 1000; i++) {
			u64 at = pseudo_u64(&rnd) >> 2, period, others;

			KUNIT_ASSERT_EQ(test,
					profil_grid_next(&grid, at, &period) +
					grid.shift,
					profil_grid_next(&other, at + grid.shift,
							 &others));
			KUNIT_ASSERT_EQ(test, period, others);
		}
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(periods_are_exact_at_every_rate),
	KUNIT_CASE(one_point_per_period),
	KUNIT_CASE(passed_and_next_agree),
	KUNIT_CASE(random_points_are_uniform),
	KUNIT_CASE(shift_moves_all_points),
	{}
};

struct kunit_suite profil_grid_suite = {
	.name = "profil_grid",
	.test_cases = cases,
};
