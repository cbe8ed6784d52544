// SPDX-License-Identifier: GPL-2.0-only
/*
 * From tick interrupts to samples (tick_math.h): long runs, and late interrupts.
 * selftests/unit tests each rate tick by tick.
 */
#include <linux/kernel.h>
#include <linux/sched.h>

#include "pseudo.h"
#include "suites.h"
#include "tick_math.h"

#define PERIOD	4000000ULL
#define YEAR_NS	(365ULL * 24 * 3600 * 1000000000)

/* Common tick rates, and the highest that profil_accumulate() supports */
static const u32 clocks[] = { 24, 60, 100, 250, 300, 1000, 1024, 1000000000 };

/* One tick that stands for n earns the same samples as n ticks. */
static void late_tick_equals_its_ticks(struct kunit *test)
{
	struct rnd_state rnd;
	unsigned int i;

	prandom_seed_state(&rnd, 2);
	for (i = 0; i < 20000; i++) {
		u32 hz = clocks[prandom_u32_state(&rnd) % ARRAY_SIZE(clocks)];
		u32 rate = 1 + prandom_u32_state(&rnd) % hz;
		u32 phase = prandom_u32_state(&rnd) % hz, together = phase;
		u32 ticks = 1 + prandom_u32_state(&rnd) % 20, k;
		u64 samples = 0;

		for (k = 0; k < ticks; k++)
			samples += profil_accumulate(&phase, 1, rate, hz);
		KUNIT_ASSERT_EQ_MSG(test, samples,
				    profil_accumulate(&together, ticks, rate, hz),
				    "%u ticks at %u of %u Hz", ticks, rate, hz);
		KUNIT_ASSERT_EQ(test, phase, together);
	}
	cond_resched();
}

/*
 * n ticks earn n * rate / hz samples, whether they come one by one or billions at once.
 * n * rate stays below 2^64, so that the test can compute the expected number.
 */
static void exact_over_long_runs(struct kunit *test)
{
	static const u32 strides[] = { 1, 2, 3, 250, 1000003, 0x7fffffff, U32_MAX };
	unsigned int c, s, i, r;

	for (c = 0; c < ARRAY_SIZE(clocks); c++) {
		u32 hz = clocks[c];
		u32 rates[] = { 1, 7, hz / 3, hz / 2 + 1, hz - 1, hz };

		for (r = 0; r < ARRAY_SIZE(rates); r++) {
			u32 phase = 0;
			u64 ticks = 0, samples = 0;

			for (i = 0; i < 5000; i++) {
				u64 rest;

				s = i % ARRAY_SIZE(strides);
				if (ticks + strides[s] > div_u64(U64_MAX, hz))
					break;
				ticks += strides[s];
				samples += profil_accumulate(&phase, strides[s],
							     rates[r], hz);
				rest = ticks * rates[r] - samples * hz;
				KUNIT_ASSERT_EQ_MSG(test, rest, (u64)phase,
						    "%llu ticks at %u of %u Hz",
						    ticks, rates[r], hz);
				KUNIT_ASSERT_LT(test, phase, hz);
			}
			KUNIT_EXPECT_GT(test, ticks, 1ULL << 32);
		}
		cond_resched();
	}
}

/* At the full rate each tick is a sample; at 1 Hz, one tick in a second. */
static void exact_at_highest_and_lowest_rate(struct kunit *test)
{
	u32 phase = 0;
	u64 samples = 0;
	int i;

	for (i = 0; i < 10000; i++)
		KUNIT_ASSERT_EQ(test, profil_accumulate(&phase, 1, 250, 250), 1ULL);
	KUNIT_EXPECT_EQ(test, phase, 0U);
	for (i = 1; i <= 1000; i++) {
		samples = profil_accumulate(&phase, 1, 1, 250);
		KUNIT_ASSERT_EQ(test, samples, i % 250 ? 0ULL : 1ULL);
	}
	/* no ticks: the remainder is kept */
	phase = 249;
	KUNIT_EXPECT_EQ(test, profil_accumulate(&phase, 0, 1, 250), 0ULL);
	KUNIT_EXPECT_EQ(test, phase, 249U);
}

/* The periods that a tick stands for, by the time since the last one. */
static void late_tick_stands_for_its_periods(struct kunit *test)
{
	static const struct {
		u64 gap, periods, moves;
	} rows[] = {
		/* early, because the last one was late: less than a period after the grid */
		{ 0, 1, 0 },
		{ 1, 1, 1 },
		{ PERIOD - 1, 1, PERIOD - 1 },
		{ PERIOD, 1, PERIOD },
		{ PERIOD + 1, 1, PERIOD },
		{ 2 * PERIOD - 1, 1, PERIOD },
		{ 2 * PERIOD, 2, 2 * PERIOD },
		{ 2 * PERIOD + 1, 2, 2 * PERIOD },
		{ 3 * PERIOD - 1, 2, 2 * PERIOD },
		{ 10 * PERIOD, 10, 10 * PERIOD },
		/* after the machine was stopped for a year */
		{ YEAR_NS + 5, YEAR_NS / PERIOD, YEAR_NS },
	};
	static const u64 times[] = { 0, 1, 1ULL << 32, 1ULL << 62 };
	unsigned int i, t;

	for (t = 0; t < ARRAY_SIZE(times); t++) {
		for (i = 0; i < ARRAY_SIZE(rows); i++) {
			u64 grid = times[t];

			KUNIT_EXPECT_EQ_MSG(test, rows[i].periods,
					    profil_tick_advance(&grid,
								grid + rows[i].gap,
								PERIOD),
					    "%llu ns after %llu", rows[i].gap,
					    times[t]);
			KUNIT_EXPECT_EQ(test, grid - times[t], rows[i].moves);
		}
	}
}

/* After a step back by any amount, the tick counts once, and the grid follows. */
static void clock_steps_back_counts_one_tick(struct kunit *test)
{
	static const u64 steps[] = { 1, PERIOD - 1, PERIOD, 100 * PERIOD, YEAR_NS };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		u64 grid = 2 * YEAR_NS, now = grid - steps[i];

		KUNIT_EXPECT_EQ_MSG(test, profil_tick_advance(&grid, now, PERIOD),
				    1ULL, "%llu ns back", steps[i]);
		KUNIT_EXPECT_EQ(test, grid, now);
		/* and continues normally */
		KUNIT_EXPECT_EQ(test,
				profil_tick_advance(&grid, now + 3 * PERIOD, PERIOD),
				3ULL);
	}
}

/*
 * Ticks that are late by less than a period or by many: all periods up to the grid have
 * been counted, and the grid is never a period behind.
 */
static void no_period_is_lost(struct kunit *test)
{
	u64 grid = 12345, start = grid, seen = 0, now = grid;
	struct rnd_state rnd;
	unsigned int i;

	prandom_seed_state(&rnd, 3);
	for (i = 0; i < 100000; i++) {
		u32 skip = prandom_u32_state(&rnd) % 16 ?
			   1 : 1 + prandom_u32_state(&rnd) % 1000;
		u64 due = start + (seen + skip) * PERIOD;

		now = due + prandom_u32_state(&rnd) % (u32)PERIOD;
		seen += profil_tick_advance(&grid, now, PERIOD);
		KUNIT_ASSERT_EQ(test, grid, start + seen * PERIOD);
		KUNIT_ASSERT_GE(test, now, grid);
		KUNIT_ASSERT_LT(test, now - grid, PERIOD);
	}
}

/* The expected number is counted tick by tick, backwards from the last. */
static void counts_ticks_since_the_thread_arrived(struct kunit *test)
{
	static const u64 grids[] = { 1000 * PERIOD, 1ULL << 63, U64_MAX - 1 };
	struct rnd_state rnd;
	unsigned int g, i;

	prandom_seed_state(&rnd, 4);
	for (g = 0; g < ARRAY_SIZE(grids); g++) {
		u64 grid = grids[g];

		for (i = 0; i < 2000; i++) {
			u64 back = prandom_u32_state(&rnd) % (u32)(100 * PERIOD);
			u64 since = grid - back, point = grid, met = 1;

			while (point - PERIOD >= since) {
				point -= PERIOD;
				met++;
			}
			KUNIT_ASSERT_EQ(test, profil_tick_since(grid, since, PERIOD),
					met);
		}
		/* arrived after the tick was due: the tick found it, so it counts */
		KUNIT_EXPECT_EQ(test, profil_tick_since(grid, grid, PERIOD), 1ULL);
		KUNIT_EXPECT_EQ(test, profil_tick_since(grid, grid + 1, PERIOD), 1ULL);
		KUNIT_EXPECT_EQ(test, profil_tick_since(grid, grid - PERIOD, PERIOD),
				2ULL);
	}
	/* the kernel does not record the arrival (compat.h) */
	KUNIT_EXPECT_EQ(test, profil_tick_since(PERIOD, U64_MAX, PERIOD), 1ULL);
}

/* From a clock that may be ahead, behind, or wrapped. */
static void converts_times_between_clocks(struct kunit *test)
{
	static const u64 clocks_at[] = { 1ULL << 32, 1ULL << 63, U64_MAX - 5 };
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(clocks_at); i++) {
		for (k = 0; k < ARRAY_SIZE(clocks_at); k++) {
			u64 now = clocks_at[i], here = clocks_at[k];

			KUNIT_EXPECT_EQ(test, profil_tick_convert(now, here, here), now);
			KUNIT_EXPECT_EQ(test, profil_tick_convert(now, here, here - 1), now - 1);
			KUNIT_EXPECT_EQ(test, profil_tick_convert(now, here, here - PERIOD),
					now - PERIOD);
			KUNIT_EXPECT_EQ(test, profil_tick_convert(now, here, here + 7), now);
		}
	}
}

static void leaves_out_stolen_time(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, profil_tick_unstolen(9, 0, PERIOD), 9ULL);
	/* rounded to the nearest tick */
	KUNIT_EXPECT_EQ(test, profil_tick_unstolen(9, PERIOD / 2 - 1, PERIOD), 9ULL);
	KUNIT_EXPECT_EQ(test, profil_tick_unstolen(9, PERIOD / 2, PERIOD), 8ULL);
	KUNIT_EXPECT_EQ(test, profil_tick_unstolen(9, 8 * PERIOD, PERIOD), 1ULL);
	/* all or more than the late ticks: the current tick may be stolen, too */
	KUNIT_EXPECT_EQ(test, profil_tick_unstolen(9, 9 * PERIOD, PERIOD), 0ULL);
	KUNIT_EXPECT_EQ(test, profil_tick_unstolen(9, 10 * PERIOD, PERIOD), 0ULL);
	KUNIT_EXPECT_EQ(test, profil_tick_unstolen(1, YEAR_NS, PERIOD), 0ULL);
}

/* At most 100 ms' worth, for a log also at most 512; at least one. */
static void limits_samples_at_once(struct kunit *test)
{
	static const struct {
		u32 rate;
		u64 most, entries;
	} rows[] = {
		{ 1, 1, 1 },
		{ 19, 1, 1 },
		{ 20, 2, 2 },
		{ 250, 25, 25 },
		{ 5120, 512, 512 },
		{ 5130, 513, 512 },
		{ 20000, 2000, 512 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		KUNIT_EXPECT_EQ(test, rows[i].most,
				profil_max_samples(rows[i].rate, false));
		KUNIT_EXPECT_EQ(test, rows[i].entries,
				profil_max_samples(rows[i].rate, true));
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(late_tick_equals_its_ticks),
	KUNIT_CASE(exact_over_long_runs),
	KUNIT_CASE(exact_at_highest_and_lowest_rate),
	KUNIT_CASE(late_tick_stands_for_its_periods),
	KUNIT_CASE(clock_steps_back_counts_one_tick),
	KUNIT_CASE(no_period_is_lost),
	KUNIT_CASE(counts_ticks_since_the_thread_arrived),
	KUNIT_CASE(converts_times_between_clocks),
	KUNIT_CASE(leaves_out_stolen_time),
	KUNIT_CASE(limits_samples_at_once),
	{}
};

struct kunit_suite profil_tick_math_suite = {
	.name = "profil_tick_math",
	.test_cases = cases,
};
