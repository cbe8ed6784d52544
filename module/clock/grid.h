/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sampling points of the timer clock: pure arithmetic on time.
 *
 * Time is divided into periods, @rate of them per second. Each period has one point, at its
 * beginning or at a random time in it (McCanne and Torek, 1993). A program cannot stay in
 * step with random points. A point is a function of its period, the rate and a secret of the
 * CPU, and no state is kept: a thread that comes to a CPU finds the grid as if it had always
 * been there. The function is a keyed hash, so points that a program has observed do not
 * predict others, at any rate, on any CPU.
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
 */
struct profil_grid {
	u32 rate;
	bool random;
	siphash_key_t key;
	u64 shift;
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

/*
 * The point of a period. Periods take PROFIL_NS / rate ns, rounded up or down; the hash is
 * scaled to the shorter. The hash input differs for each rate and period: rates have 15
 * bits, and in the 292 years of ktime_get() the highest rate has 2^47.4 periods.
 */
static inline u64 profil_grid_point(const struct profil_grid *grid, u64 period)
{
	u64 begin = profil_grid_begin(grid->rate, period);
	u64 hash;

	if (!grid->random)
		return begin;
	hash = siphash_1u64((u64)grid->rate << 48 ^ period, &grid->key);
	return begin + ((hash >> 32) * (PROFIL_NS / grid->rate) >> 32);
}

/**
 * profil_grid_next - find the first point after a time
 * @grid:   grid
 * @ns:     time
 * @period: out: the point's period
 *
 * Return: the point, in ns.
 */
static inline u64 profil_grid_next(const struct profil_grid *grid, u64 ns,
				   u64 *period)
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
static inline u64 profil_grid_passed(const struct profil_grid *grid, u64 from,
				     u64 to)
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
