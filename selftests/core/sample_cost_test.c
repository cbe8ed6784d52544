// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a sample costs: how many instructions more an interrupt takes that samples. A change of the
 * module that makes samples dearer fails here, and so does one that makes them cheaper, until its
 * figures are written down below.
 *
 * A thread looks at the clock in a loop, and notes how long each interruption of the loop takes. In
 * a sealed guest, the clock counts instructions. They are compared with interrupts that do not sample:
 * the tick before the module's hook is attached, and a timer that does nothing, of selftests/late.
 *
 * The kernel's work in an interrupt takes one of a few paths: on Linux 6.12, most ticks take 3,346,
 * 3,364 or 3,370 instructions, in proportions that differ from second to second. So there must be two
 * frequent numbers, without and with a sample, that differ as they should. And the means must not
 * differ by much more or less, as they would if the cost had changed by as much as the paths differ.
 *
 *	scripts/check/run sample_cost
 */
#include <sys/mman.h>

#include "kselftest_harness.h"
#include "attach/target.h"
#include "common.h"
#include "files.h"
#include "kernel/late.h"
#include "kernel/version.h"

#define TICKS		160	/* interruptions to measure */
#define TIMERS		1000
#define TIMER_HZ	4000
#define TEXT_BYTES	((size_t)1 << 16)	/* that is profiled, from the page of measure() on */
#define FREQUENT(nr)	((nr) / 25)
/* in instructions: */
#define SHORTEST	200	/* interruption */
#define SPREAD		50	/* of the paths of the kernel around the median */
#define MEAN_TOLERANCE	15	/* the proportion of paths makes up to 10; they differ by 18 */
#define TOLERANCE	10	/* the tree of timers takes up to 7 more or fewer */
#define HASH		140	/* one in four random samples computes the next points */

/* What measure() finds. In shared memory: a target measures itself. */
struct gaps {
	double unit;		/* duration of an instruction in ns */
	unsigned int nr;
	unsigned int cost[TIMERS];	/* in instructions */
};

FIXTURE(cost) {
	int device;
	struct gaps *gaps;
	struct target target;
};

FIXTURE_VARIANT(cost) {
	bool attached;
	unsigned int clock;
	unsigned int rate;
	unsigned int figures[2];	/* on Linux 6.1 and 6.12 */
};

#define COST(name, attached_, clock_, rate_, ...)			\
	FIXTURE_VARIANT_ADD(cost, name) {				\
		.attached = (attached_), .clock = (clock_),		\
		.rate = (rate_), .figures = { __VA_ARGS__ },		\
	}

/* The ticks first: for the timer, the kprobe of selftests/late is loaded, which makes ticks dearer. */
COST(tick, false, PROFIL_CLOCK_TICK, 250, 126, 138);
/* 2 Hz: nearly all ticks take no sample, and one in 125 does */
COST(thinned_tick, false, PROFIL_CLOCK_TICK, 2, 106, 99);
COST(attached_tick, true, PROFIL_CLOCK_TICK, 250, 191, 195);
COST(timer, false, PROFIL_CLOCK_TIMER, TIMER_HZ, 83, 80);
COST(random, false, PROFIL_CLOCK_RANDOM, TIMER_HZ, 98, 95);
COST(attached_timer, true, PROFIL_CLOCK_TIMER, TIMER_HZ, 166, 162);
COST(attached_random, true, PROFIL_CLOCK_RANDOM, TIMER_HZ, 184, 177);

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Returns the time since *@last in ns, at least that of an empty loop of 1000 turns. */
static uint64_t next_gap(uint64_t *last)
{
	unsigned int turns = 1000;
	uint64_t now, gap;

	while (turns--)
		__asm__ volatile("" : "+r" (turns));
	now = now_ns();
	gap = now - *last;
	*last = now;
	return gap;
}

/* Measures as many interruptions as @gaps wants. */
static void measure(void *gaps_)
{
	struct gaps *gaps = gaps_;
	uint64_t last = now_ns(), least = UINT64_MAX, gap;
	unsigned int i;

	for (i = 0; i < 1000; i++) {
		gap = next_gap(&last);
		if (gap < least)
			least = gap;
	}
	for (i = 0; i < gaps->nr;) {
		gap = next_gap(&last) - least;
		if ((double)gap > SHORTEST * gaps->unit)
			gaps->cost[i++] = (unsigned int)((double)gap / gaps->unit + 0.5);
	}
}

static int compare(const void *a, const void *b)
{
	const unsigned int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Sorts, and returns the mean of the interruptions that are only an interrupt. */
static double mean_cost(struct gaps *gaps)
{
	unsigned int median, i, nr = 0;
	double sum = 0;

	qsort(gaps->cost, gaps->nr, sizeof(gaps->cost[0]), compare);
	median = gaps->cost[gaps->nr / 2];
	for (i = 0; i < gaps->nr; i++) {
		if (gaps->cost[i] + SPREAD >= median && gaps->cost[i] <= median + SPREAD) {
			sum += gaps->cost[i];
			nr++;
		}
	}
	return sum / nr;
}

/* Returns the next frequent cost from *@from on, which is advanced, or 0. Sorted. */
static unsigned int next_cost(const struct gaps *gaps, unsigned int *from)
{
	unsigned int first = *from, i;

	for (i = first; i < gaps->nr; i++) {
		if (i + 1 < gaps->nr && gaps->cost[i + 1] == gaps->cost[first])
			continue;
		if (i + 1 - first >= FREQUENT(gaps->nr)) {
			*from = i + 1;
			return gaps->cost[i];
		}
		first = i + 1;
	}
	return 0;
}

/* Returns the difference of two frequent costs that is closest to @figure. Both are sorted. */
static unsigned int closest_difference(const struct gaps *bare, const struct gaps *sampling,
				       unsigned int figure)
{
	unsigned int best = 0, i = 0, k, b, s;

	while ((b = next_cost(bare, &i))) {
		k = 0;
		while ((s = next_cost(sampling, &k)))
			if (abs((int)(s - b - figure)) < abs((int)(best - figure)))
				best = s - b;
	}
	return best;
}

FIXTURE_SETUP(cost)
{
	REQUIRE_ATTACH(self->device);
	self->target.pid = -1;
	if (!getenv("PROFIL_LATE") || sysconf(_SC_NPROCESSORS_ONLN) > 1)
		SKIP(return, "sealed guests with one CPU only");
	self->gaps = mmap(NULL, sizeof(*self->gaps), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	ASSERT_NE(MAP_FAILED, self->gaps);
	self->gaps->unit = instruction_seconds() * 1e9;
	self->gaps->nr = variant->clock == PROFIL_CLOCK_TICK ? TICKS : TIMERS;
	set_throttle(false);
	/* the hook of another test */
	detach_hooks_early(true);
	sleep(2);
}

FIXTURE_TEARDOWN(cost)
{
	set_throttle(true);
	detach_hooks_early(false);
	kill_target(&self->target);
	close(self->device);
}

static int start_own(int device, unsigned int clock, unsigned int rate)
{
	uintptr_t text = (uintptr_t)measure & ~(PAGE - 1);
	void *counters = map_memory(TEXT_BYTES);
	struct profil_region region = {
		.start = text,
		.end = text + TEXT_BYTES,
		.offset = text,
		.buf = (uintptr_t)counters,
		.bytes = TEXT_BYTES,
		.scale = 0x10000,
	};
	struct profil_start start = {
		.size = sizeof(start),
		.rate = rate,
		.clock = clock,
		.width = 16,
		.nr_regions = 1,
		.regions = (uintptr_t)&region,
	};

	if (counters == MAP_FAILED)
		return ENOMEM;
	memset(counters, 0, TEXT_BYTES);
	return call(device, PROFIL_IOC_START, &start);
}

static int attach_with_clock(int device, const struct target *target, unsigned int clock,
			     unsigned int rate)
{
	struct profil_attach attach = attachment(device, target);

	attach.clock = clock;
	attach.rate = rate;
	attach.log_bytes = 1 << 20;	/* for all samples */
	return call(device, PROFIL_IOC_ATTACH, &attach);
}

TEST_F(cost, sample)
{
	bool is_tick = variant->clock == PROFIL_CLOCK_TICK;
	unsigned int figure, difference;
	int kernel = figured_kernel();
	struct gaps bare;
	double mean;

	if (!is_tick) {
		ASSERT_EQ(0, load_late());
		ASSERT_EQ(0, write_text(LATE "period", "250"));	/* of TIMER_HZ */
	}
	measure(self->gaps);
	if (!is_tick)
		ASSERT_EQ(0, write_text(LATE "period", "0"));
	mean = mean_cost(self->gaps);
	bare = *self->gaps;

	if (variant->attached) {
		ASSERT_EQ(0, start_target(&self->target, self->device, measure, self->gaps));
		ASSERT_EQ(0, attach_with_clock(self->device, &self->target, variant->clock,
					       variant->rate));
		release(&self->target);
		ASSERT_EQ(0, await_end(&self->target).status);
	} else {
		ASSERT_EQ(0, start_own(self->device, variant->clock, variant->rate));
		measure(self->gaps);
		EXPECT_LT(0, stop(self->device).counted);
	}
	mean = mean_cost(self->gaps) - mean;

	if (kernel < 0)
		SKIP(return, "no figures of this kernel");
	figure = variant->figures[kernel];
	difference = closest_difference(&bare, self->gaps, figure);
	ksft_print_msg("%u instructions for a sample, %.1f in the mean, %u expected\n", difference,
		       mean, figure);
	EXPECT_GE(figure + TOLERANCE, difference);
	EXPECT_LE(figure, difference + TOLERANCE);
	EXPECT_GE(figure + MEAN_TOLERANCE, mean);
	EXPECT_LE(figure - MEAN_TOLERANCE, mean);
	if (variant->clock == PROFIL_CLOCK_RANDOM) {
		difference = closest_difference(&bare, self->gaps, figure + HASH);
		ksft_print_msg("%u if it computes the next points\n", difference);
		EXPECT_GE(figure + HASH + TOLERANCE, difference);
		EXPECT_LE(figure + HASH, difference + TOLERANCE);
	}
}

TEST_HARNESS_MAIN
