// SPDX-License-Identifier: GPL-2.0-only
/*
 * From tick interrupts to samples (module/clock/tick_math.h): each rate tick by tick, long runs,
 * late interrupts, and clocks that step or differ.
 */
#include "module/clock/tick_math.h"
#include "support/random.h"
#include "support/test.h"

#define PERIOD	4000000ULL
#define YEAR_NS	(365ULL * 24 * 3600 * 1000000000)

/* Common tick rates, and the highest that profil_accumulate() supports */
static const u32 clocks[] = { 24, 60, 100, 250, 300, 1000, 1024, 1000000000 };

TEST(thinned_samples_are_exact)
{
	static const u32 hz[] = { 100, 250, 300, 1000, 1024 };
	size_t h;
	u32 rate;

	for (h = 0; h < 5; h++) {
		for (rate = 1; rate <= hz[h]; rate++) {
			u32 begin = (u32)(random_u64() % hz[h]);
			u32 phase = begin;
			u64 ticks = 0, samples = 0;
			int i;

			for (i = 0; i < 500; i++) {
				/* one in 50 interrupts stands for several ticks */
				u64 n = i % 50 ? 1 : 1 + random_u64() % 9;

				ticks += n;
				samples += profil_accumulate(&phase, n, rate, hz[h]);
				assert_int_equal((begin + ticks * rate) / hz[h], samples);
				assert_in_range(phase, 0, hz[h] - 1);
			}
		}
	}
}

/*
 * n ticks earn n * rate / hz samples, whether they come one by one or billions at once. n * rate
 * stays below 2^64, so that the test can compute the expected number.
 */
TEST(exact_over_long_runs)
{
	static const u32 strides[] = { 1, 2, 3, 250, 1000003, 0x7fffffff, U32_MAX };
	size_t c, r, i;

	for (c = 0; c < ARRAY_SIZE(clocks); c++) {
		u32 hz = clocks[c];
		u32 rates[] = { 1, 7, hz / 3, hz / 2 + 1, hz - 1, hz };

		for (r = 0; r < ARRAY_SIZE(rates); r++) {
			u64 ticks = 0, samples = 0;
			u32 phase = 0;

			for (i = 0; i < 5000; i++) {
				u32 stride = strides[i % ARRAY_SIZE(strides)];

				if (ticks + stride > U64_MAX / hz)
					break;
				ticks += stride;
				samples += profil_accumulate(&phase, stride, rates[r], hz);
				assert_int_equal(ticks * rates[r] / hz, samples);
				assert_int_equal(ticks * rates[r] % hz, phase);
			}
			assert_true(ticks > 1ULL << 32);
		}
	}
}

/* One tick that stands for n earns the same samples as n ticks; none keeps the remainder. */
TEST(late_tick_equals_its_ticks)
{
	int i;

	for (i = 0; i < 20000; i++) {
		u32 hz = clocks[random_u64() % ARRAY_SIZE(clocks)];
		u32 rate = 1 + (u32)(random_u64() % hz);
		u32 phase = (u32)(random_u64() % hz), together = phase, ticks, k;
		u64 samples = 0;

		ticks = (u32)(random_u64() % 21);
		for (k = 0; k < ticks; k++)
			samples += profil_accumulate(&phase, 1, rate, hz);
		assert_int_equal(samples, profil_accumulate(&together, ticks, rate, hz));
		assert_int_equal(phase, together);
	}
}

/* The periods that a tick stands for, by the time since the last one. */
TEST(late_tick_stands_for_its_periods)
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
		{ 3 * PERIOD - 1, 2, 2 * PERIOD },
		{ 10 * PERIOD, 10, 10 * PERIOD },
		/* after the machine was stopped for a year */
		{ YEAR_NS + 5, YEAR_NS / PERIOD, YEAR_NS },
		/* after a step back: it counts once, and the grid follows */
		{ -1ULL, 1, -1ULL },
		{ -PERIOD, 1, -PERIOD },
		{ -YEAR_NS, 1, -YEAR_NS },
	};
	static const u64 times[] = { 0, 1, 1ULL << 32, 1ULL << 62 };
	size_t i, t;

	for (t = 0; t < ARRAY_SIZE(times); t++)
		for (i = 0; i < ARRAY_SIZE(rows); i++) {
			u64 grid = times[t];

			assert_int_equal(rows[i].periods,
					 profil_tick_advance(&grid, grid + rows[i].gap, PERIOD));
			assert_int_equal(rows[i].moves, grid - times[t]);
		}
}

/*
 * Ticks that are late by less than a period or by many: all periods up to the grid have been
 * counted, and the grid is never a period behind.
 */
TEST(no_period_is_lost)
{
	u64 start = 12345, grid = start, seen = 0, now;
	int i;

	for (i = 0; i < 100000; i++) {
		u64 skip = random_u64() % 16 ? 1 : 1 + random_u64() % 1000;

		now = start + (seen + skip) * PERIOD + random_u64() % PERIOD;
		seen += profil_tick_advance(&grid, now, PERIOD);
		assert_int_equal(start + seen * PERIOD, grid);
		assert_in_range(now - grid, 0, PERIOD - 1);
	}
}

/* Ticks are due on an exact grid, and each interrupt is late by some time. */
TEST(late_ticks_are_counted_once)
{
	const u64 period = 4000000;
	int round;

	for (round = 0; round < 2000; round++) {
		u64 due = random_u64() % period, late = 0, grid, now;
		u64 seen = 0, passed = 0;
		int i;

		/* the first interrupt is late too, so the grid is known only later */
		grid = now = due + random_u64() % period;
		for (i = 0; i < 200; i++) {
			/* hrtimer_forward() skips periods that are over */
			u64 skip = 1 + late / period;

			due += skip * period;
			passed += skip;
			late = random_u64() % 10 ? random_u64() % 50000 :
			       random_u64() % (5 * period);
			/* if the next is already due, it comes at once */
			now = due + late > now ? due + late : now;
			seen += profil_tick_advance(&grid, now, period);
		}
		/*
		 * One may be missed before the grid is known. Ticks that were due while the
		 * last interrupt was late may or may not be counted.
		 */
		assert_in_range(seen, passed - 1, passed + late / period + 1);
	}
}

TEST(ticks_since_a_time)
{
	/* points at 70, 80, 90, 100 */
	assert_int_equal(1, profil_tick_since(100, 200, 10));
	assert_int_equal(1, profil_tick_since(100, 101, 10));
	assert_int_equal(1, profil_tick_since(100, 100, 10));
	assert_int_equal(1, profil_tick_since(100, 91, 10));
	assert_int_equal(2, profil_tick_since(100, 90, 10));
	assert_int_equal(2, profil_tick_since(100, 81, 10));
	assert_int_equal(4, profil_tick_since(100, 70, 10));
	assert_int_equal(1, profil_tick_since(100, U64_MAX, 10));
}

/* The expected number is counted tick by tick, backwards from the last. */
TEST(counts_ticks_since_the_thread_arrived)
{
	static const u64 grids[] = { 1000 * PERIOD, 1ULL << 63, U64_MAX - 1 };
	size_t g;
	int i;

	for (g = 0; g < ARRAY_SIZE(grids); g++)
		for (i = 0; i < 2000; i++) {
			u64 since = grids[g] - random_u64() % (100 * PERIOD);
			u64 point = grids[g], met = 1;

			for (; point - PERIOD >= since; point -= PERIOD)
				met++;
			assert_int_equal(met, profil_tick_since(grids[g], since, PERIOD));
		}
}

/* From a clock that may be ahead, behind, or wrapped. */
TEST(converts_times_between_clocks)
{
	static const u64 times[] = { 1ULL << 32, 1ULL << 63, U64_MAX - 5 };
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(times); i++)
		for (k = 0; k < ARRAY_SIZE(times); k++) {
			u64 now = times[i], here = times[k];

			assert_int_equal(now, profil_tick_convert(now, here, here));
			assert_int_equal(now - 1, profil_tick_convert(now, here, here - 1));
			assert_int_equal(now - PERIOD,
					 profil_tick_convert(now, here, here - PERIOD));
			assert_int_equal(now, profil_tick_convert(now, here, here + 7));
		}
}

TEST(leaves_out_stolen_time)
{
	assert_int_equal(9, profil_tick_unstolen(9, 0, PERIOD));
	/* rounded to the nearest tick */
	assert_int_equal(9, profil_tick_unstolen(9, PERIOD / 2 - 1, PERIOD));
	assert_int_equal(8, profil_tick_unstolen(9, PERIOD / 2, PERIOD));
	assert_int_equal(1, profil_tick_unstolen(9, 8 * PERIOD, PERIOD));
	/* all or more than the late ticks: the current tick may be stolen, too */
	assert_int_equal(0, profil_tick_unstolen(9, 9 * PERIOD, PERIOD));
	assert_int_equal(0, profil_tick_unstolen(9, 10 * PERIOD, PERIOD));
	assert_int_equal(0, profil_tick_unstolen(1, YEAR_NS, PERIOD));
}

/* At most 100 ms' worth, for a log also at most 512; at least one. */
TEST(limits_samples_at_once)
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
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(rows[i].most, profil_max_samples(rows[i].rate, false));
		assert_int_equal(rows[i].entries, profil_max_samples(rows[i].rate, true));
	}
}

/* A CPU that has two clocks, of which the cycles run at @ppm millionths more than 3 GHz */
struct cpu {
	struct profil_tick_grid grid;
	long ppm;
	unsigned int measured;
};

/* Returns how many periods the tick stands for. */
static u64 tick_at(struct cpu *cpu, u64 now)
{
	u64 rate = (u64)(3000000 + 3 * cpu->ppm), gap;
	u64 cycles = (u64)((unsigned __int128)now * rate / 1000000);

	if (profil_tick_is_on_time(&cpu->grid, cycles, &gap)) {
		profil_tick_move(&cpu->grid, gap, PERIOD);
		return 1;
	}
	cpu->measured++;
	return profil_tick_measure(&cpu->grid, now, cycles, 3000000, PERIOD);
}

/*
 * Ticks come up to 0.1 ms after the points of their grid, the first one just there, and one in 1000
 * misses some points. No point is counted twice or never, however the clocks' rates differ, and 99
 * of 100 ticks read only the cycles.
 */
TEST(cycles_find_late_ticks)
{
	static const long ppm[] = { -700, -100, -1, 0, 1, 100, 700 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ppm); i++) {
		struct cpu cpu = { .ppm = ppm[i] };
		u64 points = 1000, counted, n, late = 0;

		tick_at(&cpu, points * PERIOD);
		counted = points;
		for (n = 0; n < 200000; n++) {
			u64 missed = random_u64() % 1000 ? 0 : 1 + random_u64() % 50;

			late += !!missed;
			points += 1 + missed;
			counted += tick_at(&cpu, points * PERIOD + random_u64() % 100000);
			assert_int_equal(points, counted);
		}
		assert_in_range(cpu.measured, late, late + n / 100);
	}
}

/* If the first tick was late, those that are not move the grid. */
TEST(cycles_find_early_ticks)
{
	struct cpu cpu = { .ppm = 0 };
	u64 n;

	tick_at(&cpu, PERIOD / 2);
	for (n = 1; n < 100; n++)
		assert_int_equal(1, tick_at(&cpu, n * PERIOD));
	assert_int_equal(99 * PERIOD, cpu.grid.ns);
	assert_int_equal(2, tick_at(&cpu, 101 * PERIOD + PERIOD / 4));
	assert_int_equal(1, tick_at(&cpu, 102 * PERIOD));
	assert_int_equal(102 * PERIOD, cpu.grid.ns);
	/* the first one, that which moved the grid, and the late one */
	assert_int_equal(3, cpu.measured);
}

/* After a suspend, they may begin anew. */
TEST(cycles_that_begin_anew)
{
	struct cpu cpu = { .ppm = 0 };
	u64 gap, n;

	for (n = 1; n < 100; n++)
		tick_at(&cpu, n * PERIOD);
	assert_false(profil_tick_is_on_time(&cpu.grid, 1000, &gap));
	assert_int_equal(1, profil_tick_measure(&cpu.grid, 100 * PERIOD, 1000, 3000000, PERIOD));
	assert_true(profil_tick_is_on_time(&cpu.grid, 1000 + 3 * PERIOD, &gap));
}
