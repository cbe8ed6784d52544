// SPDX-License-Identifier: GPL-2.0-only
/*
 * Intervals of the samples that the module's clocks take of simulated programs: of 100 intervals,
 * 95 contain the true change. Profiles of a process itself and of another one have the same points,
 * and thin ticks by the same arithmetic.
 */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include <module/clock/grid.h>
#include <module/clock/tick_math.h>
#include <profile/confidence.h>

#include "support/random.h"
#include "support/test.h"

#define HZ		250
#define PERIODS		200	/* of CPU time that a program takes */
#define SHARE		0.6	/* of the first function */
#define ROUNDS		1000

enum clock { RANDOM, TIMER, TICK, NR_CLOCKS };

static const u32 rates[NR_CLOCKS] = { [RANDOM] = 1000, [TIMER] = 1000, [TICK] = 100 };

/*
 * struct program - what is simulated; lengths are means, in intervals of the clock
 * @stay: time in a function before the other one is called
 * @run:  time until the program sleeps; 0: it never does
 * @sleep: for how long
 */
struct program {
	const char *about;
	double stay;
	double run;
	double sleep;
};

static const struct program programs[] = {
	{ "functions shorter than an interval", 0.1, 0, 0 },
	{ "functions of many intervals", 15, 0, 0 },
	{ "short bursts between sleeps", 0.05, 0.2, 0.8 },
	{ "it waits now and then", 2, 5, 1 },
};

/* What a clock knows between two samples */
struct sampler {
	enum clock clock;
	struct profil_grid grid;
	u32 phase;
};

/* A run of the program: CPU time and samples of the first function, and of both */
struct run {
	double ns[2];
	uint64_t samples[2];
};

static double uniform(void)
{
	return ((double)(random_u64() >> 11) + 0.5) / 9007199254740992.0;
}

static struct sampler new_sampler(enum clock clock)
{
	return (struct sampler){
		.clock = clock,
		.grid = {
			.rate = clock == TICK ? HZ : rates[clock], .random = clock == RANDOM,
			.key = { { random_u64(), random_u64() } },
			.shift = random_u64() % PROFIL_NS,
		},
		.phase = (u32)(random_u64() % HZ),
	};
}

static u64 sample(struct sampler *sampler, u64 from, u64 to)
{
	const u64 points = profil_grid_passed(&sampler->grid, from, to);

	return sampler->clock == TICK ?
	       profil_accumulate(&sampler->phase, points, rates[TICK], HZ) : points;
}

static struct run run_program(const struct program *program, enum clock clock)
{
	const double period = 1e9 / rates[clock];
	struct sampler sampler = new_sampler(clock);
	double now = 1e9, run = -log(uniform()) * program->run;
	struct run sums = { 0 };
	int in_first = 0;

	while (sums.ns[1] < PERIODS * period) {
		const double stay = -log(uniform()) * 2 * program->stay *
				    (in_first ? SHARE : 1 - SHARE);
		const double part = program->run > 0 ? fmin(run, stay) : stay;
		const u64 from = (u64)now, to = (u64)(now + part * period);
		const u64 samples = sample(&sampler, from, to);

		sums.ns[1] += (double)(to - from);
		sums.samples[1] += samples;
		if (in_first) {
			sums.ns[0] += (double)(to - from);
			sums.samples[0] += samples;
		}
		now += part * period;
		run -= part;
		if (stay > part) {
			now -= log(uniform()) * program->sleep * period;
			run = -log(uniform()) * program->run;
		} else {
			in_first = !in_first;
		}
	}
	return sums;
}

/* @which: 0: the first function, 1: both; @value: set */
static struct confidence_side side_of(const struct run *run, enum clock clock, int which,
				      double *value)
{
	static char path[] = "prog";
	struct result_process process = {
		.program = path, .has_ended = true, .cpu_ns = (uint64_t)run->ns[1],
		.samples = run->samples[1],
	};
	struct result_object object = { .samples = run->samples[1] };
	const struct result result = {
		.rate = rates[clock], .objects = &object, .nr_objects = 1,
		.processes = &process, .nr_processes = 1,
	};

	*value = (double)run->samples[which] / rates[clock];
	return (struct confidence_side){
		.samples = run->samples[which], .all = run->samples[1],
		.variance = confidence_variance(&result), .unit = 1.0 / rates[clock],
		.values = value, .nr = 1,
	};
}

/* Intervals of ROUNDS pairs of runs: how many contain the truth, and their mean width in samples */
struct coverage {
	int nr;
	double width;
};

static struct coverage cover(const struct program *program, enum clock clock, int which)
{
	struct coverage coverage = { 0 };
	int i;

	for (i = 0; i < ROUNDS; i++) {
		const struct run old = run_program(program, clock);
		const struct run new = run_program(program, clock);
		const double truth = (new.ns[which] - old.ns[which]) / 1e9;
		double values[2];
		const struct confidence_side from = side_of(&old, clock, which, &values[0]);
		const struct confidence_side to = side_of(&new, clock, which, &values[1]);
		const struct interval interval = confidence_change(&from, &to);

		coverage.nr += interval.low <= truth && truth <= interval.high;
		coverage.width += (interval.high - interval.low) * rates[clock] / ROUNDS;
	}
	return coverage;
}

/*
 * The standard error of a coverage of 95 % is sqrt(0.95 * 0.05 / 1000) = 0.69 %: four of them are
 * 2.8 %. Only functions that are shorter than an interval have the variance of the derivation, so
 * only their intervals may not be wider. Poisson's would contain 1.96 * sqrt(1 / 0.4) = 3.1
 * standard deviations, which is 99.8 %.
 */
TEST_EACH(intervals_contain_the_change, programs, NULL, NULL)
{
	const struct program *program = *state;
	enum clock clock;
	int which;

	for (clock = RANDOM; clock < NR_CLOCKS; clock++) {
		for (which = 0; which < 2; which++) {
			const struct coverage coverage = cover(program, clock, which);

			print_message("# clock %d, %s: %d of %d, %.1f samples wide\n", clock,
				      which ? "all" : "function", coverage.nr, ROUNDS,
				      coverage.width);
			assert_in_range(coverage.nr, 922, ROUNDS);
			if (program == &programs[0] && !which)
				assert_in_range(coverage.nr, 922, 978);
		}
	}
}

/*
 * The total of a busy program is known to a sample or two. The score interval of N samples of at
 * most N + 2 reaches 1.96 * 1.96 = 3.8 samples and half a variance below, so that of a difference
 * has at most 5 samples a side. Poisson's has 2 * 1.96 * sqrt(400) = 78 in all.
 */
TEST(totals_of_busy_programs_are_known)
{
	enum clock clock;

	for (clock = RANDOM; clock < NR_CLOCKS; clock++)
		assert_true(cover(&programs[0], clock, 1).width < 10);
}

/* Without the CPU time, or with one that disagrees by far, the variance is Poisson's. */
TEST(unknown_cpu_time)
{
	struct result_process processes[2] = {
		{ .has_ended = true, .cpu_ns = 2000000000, .samples = 203 }, { .samples = 50 },
	};
	struct result_object object = { .samples = 300 };
	const struct result result = {
		.rate = 100, .objects = &object, .nr_objects = 1,
		.processes = processes, .nr_processes = 2,
	};

	/* 3 off; 50 of a process that goes on, and 47 of no listed one */
	assert_float_equal(confidence_variance(&result), 9.5 + 50 + 47, 1e-9);
	processes[0].cpu_ns = 5000000000;
	assert_float_equal(confidence_variance(&result), 300, 1e-9);
}

/*
 * A program that is in step with an even clock: its first function runs in the first 60 % of each
 * interval, so it has all samples or none. No interval can know, so profil diff says so.
 */
TEST(a_program_in_step_has_no_interval)
{
	const double period = 1e9 / rates[TIMER];
	int covered = 0, i;

	for (i = 0; i < ROUNDS; i++) {
		struct run runs[2];
		double values[2];
		int j, k;

		for (j = 0; j < 2; j++) {
			struct sampler sampler = new_sampler(TIMER);
			struct run *run = &runs[j];

			*run = (struct run){ { SHARE * PERIODS * period, PERIODS * period } };
			for (k = 0; k < PERIODS; k++) {
				const u64 from = PROFIL_NS + (u64)(k * period);
				const u64 middle = from + (u64)(SHARE * period);
				const u64 samples = sample(&sampler, from, middle);

				run->samples[0] += samples;
				run->samples[1] += samples + sample(&sampler, middle,
								    from + (u64)period);
			}
		}
		const struct confidence_side from = side_of(&runs[0], TIMER, 0, &values[0]);
		const struct confidence_side to = side_of(&runs[1], TIMER, 0, &values[1]);
		const struct interval interval = confidence_change(&from, &to);

		covered += interval.low <= 0 && interval.high >= 0;
	}
	/* both runs have all or none with 0.36 + 0.16 = 52 %; 4 standard errors are 6 % */
	assert_in_range(covered, 460, 580);
}
