/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sampling points of the timer clock: pure arithmetic on time.
 *
 * Time is cut into periods, rate of them a second. Each has one point: at its
 * beginning; or anywhere in it, at random (McCanne and Torek, 1993), so that no
 * program can keep in step with it. Where the points are follows from their number,
 * the rate and a secret of the CPU: nothing is kept between two, so that a thread that
 * comes to a CPU finds the grid as if it had been there all the time. It follows by a
 * keyed hash: points that a program has seen say nothing of those to come, at this or
 * another rate, on this or another CPU.
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
 * @random: not at the beginning of their periods
 * @key:    secret that random points follow from, the CPU's own
 * @shift:  how much earlier than on other CPUs periods begin, in ns. No secret: points
 *          that are not random show it
 */
struct profil_grid {
	u32 rate;
	bool random;
	siphash_key_t key;
	u64 shift;
};

/* The period that holds a time. */
static inline u64 profil_grid_period(u32 rate, u64 ns)
{
	u32 rest;
	u64 seconds = div_u64_rem(ns, PROFIL_NS, &rest);

	return seconds * rate + div_u64((u64)(rest + 1) * rate - 1, PROFIL_NS);
}

/* When a period begins; exact over seconds, so that nothing adds up. */
static inline u64 profil_grid_begin(u32 rate, u64 period)
{
	u32 rest;
	u64 seconds = div_u64_rem(period, rate, &rest);

	return seconds * PROFIL_NS + div_u64((u64)rest * PROFIL_NS, rate);
}

/*
 * Periods are of PROFIL_NS / rate ns, rounded up or down: here down. Rates have 15 bits, and
 * in 292 years, of which ktime_get() knows, the highest has 2^47.4 periods: hashed together,
 * no two are the same.
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
 * profil_grid_next - the first point behind a time
 * @grid:   grid
 * @ns:     time
 * @period: out: the period that the point is in
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
 * profil_grid_passed - how many points there are in a span of time
 * @grid: grid
 * @from: its beginning, a point at which does not count,
 * @to:   and end, a point at which does; not before @from
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
