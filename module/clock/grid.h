/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sampling points of the timer clock: pure arithmetic on time.
 *
 * Time is divided into periods, @rate of them per second. Each period has one point, at its
 * beginning or at a random time in it (McCanne and Torek, 1993). A program cannot stay in
 * step with random points. A point is a function of its period, the rate and a secret of the
 * CPU: a thread that comes to a CPU finds the grid as if it had always been there. The function
 * is a keyed hash, so points that a program has observed do not predict others, at any rate, on
 * any CPU. A hash takes 150 instructions, and has the points of four periods.
 */
#ifndef _PROFIL_GRID_H
#define _PROFIL_GRID_H

#include <linux/math64.h>
#include <linux/siphash.h>
#include <linux/types.h>

#define PROFIL_NS	1000000000u	/* ns in a second */

/**
 * struct profil_grid - sampling points of one CPU at one rate
 * @rate:   in Hz, 1 to PROFIL_NS
 * @random: points are at random times, not at the beginning of their periods
 * @key:    secret of the CPU that determines random points
 * @shift:  how much earlier than on other CPUs periods begin, in ns. Not a secret: points
 *          that are not random reveal it
 * @hashed: what @hash is the hash of; 0: of nothing. These and all that follows only save time
 * @hash:   the last hash
 * @stepped: period whose beginning is @begin, at @step_rate
 * @step_rate: 0: none
 * @begin:  beginning of that period, in ns
 * @step:   shortest period, in ns
 * @rest:   how much longer periods are on average, in 1 / @step_rate ns
 * @error:  how much @begin was rounded down, in 1 / @step_rate ns
 */
struct profil_grid {
	u32 rate;
	bool random;
	siphash_key_t key;
	u64 shift;
	u64 hashed;
	u64 hash;
	u64 stepped;
	u64 begin;
	u32 step_rate;
	u32 step;
	u32 rest;
	u32 error;
};

/* The period that contains a time. */
static inline u64 profil_grid_period(u32 rate, u64 ns)
{
	u32 rest;
	u64 seconds = div_u64_rem(ns, PROFIL_NS, &rest);

	return seconds * rate + div_u64((u64)(rest + 1) * rate - 1, PROFIL_NS);
}

/* When a period begins. Exact at each second, so that no error accumulates. */
static inline u64 profil_grid_begin(u32 rate, u64 period)
{
	u32 rest;
	u64 seconds = div_u64_rem(period, rate, &rest);

	return seconds * PROFIL_NS + div_u64((u64)rest * PROFIL_NS, rate);
}

static inline void profil_grid_find_begin(struct profil_grid *grid, u64 period)
{
	u32 rate = grid->rate, rest;

	div_u64_rem(period, rate, &rest);
	grid->begin = profil_grid_begin(rate, period);
	div_u64_rem((u64)rest * PROFIL_NS, rate, &grid->error);
	grid->step = PROFIL_NS / rate;
	grid->rest = PROFIL_NS % rate;
	grid->step_rate = rate;
}

/* Set @begin to that of a period: without a division, if it is the one after the last. */
static __always_inline void profil_grid_step_to(struct profil_grid *grid, u64 period)
{
	if (period != grid->stepped + 1 || grid->rate != grid->step_rate) {
		profil_grid_find_begin(grid, period);
	} else {
		grid->begin += grid->step;
		grid->error += grid->rest;
		if (grid->error >= grid->rate) {
			grid->error -= grid->rate;
			grid->begin++;
		}
	}
	grid->stepped = period;
}

/*
 * Where in a period its point is, as a fraction of 65536. The input of the hash differs for each
 * rate and four periods: rates have 15 bits, and in the 292 years of ktime_get() the highest rate
 * has 2^47.4 periods. It is not 0, since the rate is not.
 */
static inline u32 profil_grid_fraction(struct profil_grid *grid, u64 period)
{
	u64 input = (u64)grid->rate << 48 ^ period / 4;

	if (grid->hashed != input) {
		grid->hashed = input;
		grid->hash = siphash_1u64(input, &grid->key);
	}
	return grid->hash >> period % 4 * 16 & U16_MAX;
}

/*
 * The point of a period. Periods take PROFIL_NS / rate ns, rounded up or down; the fraction is of
 * the shorter.
 */
static __always_inline u64 profil_grid_point(struct profil_grid *grid, u64 period)
{
	profil_grid_step_to(grid, period);
	if (!grid->random)
		return grid->begin;
	return grid->begin + ((u64)profil_grid_fraction(grid, period) * grid->step >> 16);
}

/**
 * profil_grid_next - find the first point after a time
 * @grid:   grid
 * @ns:     time
 * @period: out: the point's period
 *
 * Return: the point, in ns.
 */
static inline u64 profil_grid_next(struct profil_grid *grid, u64 ns, u64 *period)
{
	u64 at = ns + grid->shift;
	u64 point;

	*period = profil_grid_period(grid->rate, at);
	point = profil_grid_point(grid, *period);
	if (point <= at)
		point = profil_grid_point(grid, ++*period);
	return point - grid->shift;
}

/**
 * profil_grid_passed - count the points in an interval
 * @grid: grid
 * @from: start; a point at this time does not count
 * @to:   end, not before @from; a point at this time counts
 *
 * Return: number of points.
 */
static inline u64 profil_grid_passed(struct profil_grid *grid, u64 from, u64 to)
{
	u64 first, last;

	from += grid->shift;
	to += grid->shift;
	first = profil_grid_period(grid->rate, from);
	last = profil_grid_period(grid->rate, to);
	return last - first + (profil_grid_point(grid, last) <= to) -
	       (profil_grid_point(grid, first) <= from);
}

#endif /* _PROFIL_GRID_H */
