/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From interrupts to samples: pure arithmetic on time, as bins.h is on pcs.
 */
#ifndef _PROFIL_TICKS_H
#define _PROFIL_TICKS_H

#include <linux/math64.h>
#include <linux/types.h>

/**
 * profil_tick_advance - how many periods ended since the last interrupt
 * @grid:   in and out: the point of the period grid that was last reached, in ns
 * @now:    time of this interrupt, in ns
 * @period: in ns
 *
 * A periodic interrupt that comes late by more than a period comes once for all
 * the periods that it missed. It never comes early, so the earliest arrival
 * shows where the grid lies: one that comes less than a period after the
 * grid's last point moves the grid, and stands for one period. So does one before the
 * grid's last point, of a clock that has stepped back.
 *
 * Return: number of periods that this interrupt stands for, at least 1.
 */
static inline u64 profil_tick_advance(u64 *grid, u64 now, u64 period)
{
	u64 gap = now - *grid;
	u64 periods = 1;

	/* signed: a clock may step back, and its whole age is no gap */
	if ((s64)gap < (s64)period) {
		*grid = now;
		return 1;
	}
	if (gap >= 2 * period)
		periods = div64_u64(gap, period);
	*grid += periods * period;
	return periods;
}

/**
 * profil_tick_since - how many points of the period grid a thread has met
 * @grid:   point that was last reached, in ns
 * @since:  when the thread came to its CPU, in ns
 * @period: in ns
 *
 * Return: number of points from @since to @grid; at least 1, the one at which
 * the thread was found.
 */
static inline u64 profil_tick_since(u64 grid, u64 since, u64 period)
{
	return since < grid ? 1 + div64_u64(grid - since, period) : 1;
}

/**
 * profil_tick_convert - carry a time over from one clock to another
 * @now:   of the other clock
 * @here:  of the one, at the same moment
 * @since: time of the one
 *
 * Return: the same time of the other. One that is still to come, as clocks of two CPUs may
 * have it, is @now.
 */
static inline u64 profil_tick_convert(u64 now, u64 here, u64 since)
{
	s64 ago = here - since;

	return ago > 0 ? now - ago : now;
}

/**
 * profil_tick_unstolen - how many of several late ticks a hypervisor has not taken
 * @ticks:  how many are late
 * @stolen: CPU time that it took meanwhile, in ns
 * @period: in ns
 */
static inline u64 profil_tick_unstolen(u64 ticks, u64 stolen, u64 period)
{
	u64 taken = div64_u64(stolen + period / 2, period);

	return taken < ticks ? ticks - taken : 0;
}

/**
 * profil_accumulate - thin ticks to a lower rate, exactly on average
 * @phase: in and out: ticks x rate not yet made a sample, 0 to @hz - 1
 * @ticks: number of ticks that passed
 * @rate:  samples wanted per second, 1 to @hz
 * @hz:    ticks per second
 *
 * Return: number of samples due. After n ticks from phase p it has returned
 * (p + n x rate) / hz samples in all, rounded down: never one off.
 */
static inline u64 profil_accumulate(u32 *phase, u64 ticks, u32 rate, u32 hz)
{
	u64 sum = *phase + ticks * rate;
	u64 samples = 0;
	u32 rest = sum;

	/* nearly always, and without a division */
	if (ticks == 1) {
		samples = sum >= hz;
		*phase = samples ? sum - hz : sum;
		return samples;
	}
	if (sum >= hz)
		samples = div_u64_rem(sum, hz, &rest);
	*phase = rest;
	return samples;
}

/*
 * What one interrupt takes at most for the pc that it finds, in parts of a second: 100 ms'
 * worth. A CPU that was away for longer did not run the program meanwhile, but was stopped.
 */
#define PROFIL_MOST_LATE	10

/*
 * And in entries of a pc log, which it stores one by one with interrupts off, in some tens of
 * ns each. At rates up to 5120 Hz, as users may have, the other bound is the lower one.
 */
#define PROFIL_MOST_ENTRIES	512

/**
 * profil_most_samples - how many samples one interrupt may take
 * @rate: samples per second
 * @log:  each is an entry of a pc log
 *
 * Return: at least 1.
 */
static inline u64 profil_most_samples(u32 rate, bool log)
{
	u32 most = rate / PROFIL_MOST_LATE;

	if (log && most > PROFIL_MOST_ENTRIES)
		return PROFIL_MOST_ENTRIES;
	return most ? most : 1;
}

#endif /* _PROFIL_TICKS_H */
