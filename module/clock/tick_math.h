/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From ticks to samples: pure arithmetic on time, without kernel state.
 */
#ifndef _PROFIL_TICK_MATH_H
#define _PROFIL_TICK_MATH_H

#include <linux/math64.h>
#include <linux/types.h>

/**
 * profil_tick_advance - how many periods have ended since the last interrupt
 * @grid:   in and out: last point of the period grid, in ns
 * @now:    time of this interrupt, in ns
 * @period: in ns
 *
 * A periodic interrupt that is late by more than a period comes once for all the periods
 * that it missed. It is never early, so the earliest one fixes the grid: an interrupt less
 * than a period after the last point moves the grid, and stands for one period. So does one
 * before the last point, from a clock that has stepped back.
 *
 * Return: number of periods that this interrupt stands for, at least 1.
 */
static inline u64 profil_tick_advance(u64 *grid, u64 now, u64 period)
{
	u64 gap = now - *grid;
	u64 periods = 1;

	/* signed: if the clock steps back, the gap is negative, not huge */
	if ((s64)gap < (s64)period) {
		*grid = now;
		return 1;
	}
	if (gap >= 2 * period)
		periods = div64_u64(gap, period);
	*grid += periods * period;
	return periods;
}

/*
 * How many periods a tick stands for. ktime_get() tells exactly, but takes half as many
 * instructions as all the rest of a sample. So a tick first reads the CPU's cycles (cycles.h),
 * which show that it is on time, as nearly all ticks are. It then moves the grid on by one period.
 *
 * The two clocks do not run at the same rate: one is adjusted, and the other's is known to some
 * hundred millionths. So cycles are not added up over ticks: the last point in cycles moves on by
 * at most @longest, which is more than a period by more than the clocks differ. So a tick that is
 * on time soon becomes the point itself.
 */

/* The parts of a period by which @longest is longer, and a tick may be early and not late. */
#define PROFIL_TICK_DRIFT	1024
#define PROFIL_TICK_EARLY	64
#define PROFIL_TICK_MARGIN	64

/**
 * struct profil_tick_grid - the last point of the tick's period grid on a CPU
 * @ns:      the point (profil_tick_advance())
 * @point:   about the same, in cycles
 * @longest: a bit more than a period, in cycles
 * @early:   a bit less: a tick that comes sooner after @point shows that the grid must be moved
 * @span:    how much later a tick is on time: until a bit before two periods. 0: never
 */
struct profil_tick_grid {
	u64 ns;
	u64 point;
	u64 longest;
	u64 early;
	u64 span;
};

/**
 * profil_tick_is_on_time - whether a tick stands for one period, and does not move the grid
 * @grid:   of its CPU
 * @cycles: now
 * @gap:    out: cycles since @point, for profil_tick_move()
 *
 * Return: false: profil_tick_measure() tells.
 */
static inline bool profil_tick_is_on_time(const struct profil_tick_grid *grid, u64 cycles, u64 *gap)
{
	*gap = cycles - grid->point;
	/* below @early, and before @point, the difference is huge */
	return *gap - grid->early < grid->span;
}

/* Move on by a period, after a tick that is on time. @period: in ns. */
static inline void profil_tick_move(struct profil_tick_grid *grid, u64 gap, u64 period)
{
	grid->ns += period;
	grid->point += gap < grid->longest ? gap : grid->longest;
}

/**
 * profil_tick_measure - find how many periods have ended since the last point, and move on
 * @grid:   of the CPU
 * @now:    in ns
 * @cycles: the same
 * @khz:    cycles in a millisecond; 0: cycles are not to be used
 * @period: in ns
 *
 * Return: number of periods that this tick stands for, at least 1.
 */
static inline u64 profil_tick_measure(struct profil_tick_grid *grid, u64 now, u64 cycles, u32 khz,
				      u64 period)
{
	u64 periods = profil_tick_advance(&grid->ns, now, period);
	u64 length = mul_u64_u32_div(period, khz, 1000000);

	grid->point = cycles - mul_u64_u32_div(now - grid->ns, khz, 1000000);
	grid->longest = length + length / PROFIL_TICK_DRIFT;
	grid->early = length - length / PROFIL_TICK_EARLY;
	grid->span = 2 * length - length / PROFIL_TICK_MARGIN - grid->early;
	return periods;
}

/**
 * profil_tick_since - how many points of the period grid a thread has met
 * @grid:   last point, in ns
 * @since:  when the thread came to its CPU, in ns
 * @period: in ns
 *
 * Return: number of points from @since to @grid; at least 1, the point at which the thread
 * was found.
 */
static inline u64 profil_tick_since(u64 grid, u64 since, u64 period)
{
	return since < grid ? 1 + div64_u64(grid - since, period) : 1;
}

/**
 * profil_tick_convert - convert a time from one clock to another
 * @now:   current time on the target clock
 * @here:  current time on the source clock
 * @since: time on the source clock
 *
 * Return: @since on the target clock. @now if @since is in the future, which happens if two
 * CPUs' clocks differ.
 */
static inline u64 profil_tick_convert(u64 now, u64 here, u64 since)
{
	s64 ago = here - since;

	return ago > 0 ? now - ago : now;
}

/**
 * profil_tick_unstolen - subtract the time that a hypervisor took from late ticks
 * @ticks:  number of late ticks
 * @stolen: CPU time that the hypervisor took in that time, in ns
 * @period: in ns
 *
 * Return: number of ticks that remain.
 */
static inline u64 profil_tick_unstolen(u64 ticks, u64 stolen, u64 period)
{
	u64 taken = div64_u64(stolen + period / 2, period);

	return taken < ticks ? ticks - taken : 0;
}

/**
 * profil_accumulate - thin ticks to a lower rate, exact on average
 * @phase: in and out: ticks x rate that have not become samples yet, 0 to @hz - 1
 * @ticks: number of ticks that passed
 * @rate:  samples per second, 1 to @hz
 * @hz:    ticks per second
 *
 * Return: number of samples due. After n ticks from phase p it has returned exactly
 * (p + n x rate) / hz samples in all, rounded down.
 */
static inline u64 profil_accumulate(u32 *phase, u64 ticks, u32 rate, u32 hz)
{
	u64 sum = *phase + ticks * rate;
	u64 samples = 0;
	u32 rest = sum;

	/* the usual case, without a division */
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
 * Limit for the samples that one interrupt takes of one pc: 100 ms' worth, as a divisor of
 * the rate. A CPU that was away for longer was stopped and did not run the program.
 */
#define PROFIL_MAX_LATE	10

/*
 * Limit for the entries of a pc log that one interrupt stores, at some tens of ns each, with
 * interrupts off. Up to 5120 Hz the other limit is the lower one.
 */
#define PROFIL_MAX_ENTRIES	512

/**
 * profil_max_samples - how many samples one interrupt may take
 * @rate: samples per second
 * @log:  each sample is an entry of a pc log
 *
 * Return: at least 1.
 */
static inline u64 profil_max_samples(u32 rate, bool log)
{
	u32 most = rate / PROFIL_MAX_LATE;

	if (log && most > PROFIL_MAX_ENTRIES)
		return PROFIL_MAX_ENTRIES;
	return most ? most : 1;
}

#endif /* _PROFIL_TICK_MATH_H */
