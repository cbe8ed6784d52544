// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a sample costs: how many instructions more an interrupt takes that samples. A change of the
 * module that makes samples dearer fails here, and so does one that makes them cheaper, until its
 * figures are written down below.
 *
 * Interruptions of a loop (load/gaps.h) are compared with interrupts that do not sample: the tick
 * before the module's hook is attached, and a timer that does nothing, of selftests/late.
 *
 * The kernel's paths in an interrupt differ by 18 instructions, and their proportions change from
 * second to second. So the difference counts by which most of the costs occur with a sample, too;
 * the means only find what has become very different.
 *
 *	scripts/check/run sample_cost
 *
 * bench/sample.sh makes figures of what it prints.
 */
#include "kselftest_harness.h"
#include "attach/target.h"
#include "common.h"
#include "files.h"
#include "kernel/late.h"
#include "kernel/version.h"
#include "load/gaps.h"

#define TICKS		160	/* interruptions to measure */
#define TIMERS		MAX_GAPS
#define TIMER_HZ	4000
#define TEXT_BYTES	((size_t)1 << 16)	/* profiled, from the page of gaps_loop() on */
#define APART_BYTES	((size_t)1 << 12)	/* the same, with a scale: from gaps_loop() on */
/* in instructions: */
#define SPREAD		50	/* of the paths of the kernel around the median */
#define TOLERANCE	10	/* the tree of timers takes up to 7 more or fewer */
#define MEAN_TOLERANCE	25	/* the same, and at most the 18 by which the paths differ */
/* of what earlier calls left on the stack, four words may be kept or not: 16 each */
#define STACK_TOLERANCE	64
#define HASH		140	/* one in four random samples computes the next points */

FIXTURE(cost) {
	int device;
	int other;
	struct gaps *gaps;
	struct target target;
};

FIXTURE_VARIANT(cost) {
	bool attached;
	bool twice;		/* by two open files */
	bool beside_target;	/* another process is attached */
	bool outside;		/* the loop is in no region */
	uint32_t scale;		/* of the region; 0: a byte of counters for each byte of text */
	unsigned int clock;
	unsigned int rate;
	unsigned int frames;	/* attached with stacks; the loop is called by so many functions */
	unsigned int figures[2];	/* on Linux 6.1 and 6.12 */
};

#define COST(name, attached_, clock_, rate_, ...)			\
	FIXTURE_VARIANT_ADD(cost, name) {				\
		.attached = (attached_), .clock = (clock_),		\
		.rate = (rate_), .figures = { __VA_ARGS__ },		\
	}

/*
 * The ticks first: for the timer, the kprobe of selftests/late is loaded, which makes ticks dearer.
 */
COST(tick, false, PROFIL_CLOCK_TICK, 250, 133, 136);
/* 2 Hz: nearly all ticks take no sample, and one in 125 does */
COST(thinned_tick, false, PROFIL_CLOCK_TICK, 2, 98, 101);
FIXTURE_VARIANT_ADD(cost, tick_beside_target) {
	.beside_target = true, .clock = PROFIL_CLOCK_TICK, .rate = 250, .figures = { 156, 156 },
};

/* for those who profile their own text, all samples in libraries */
FIXTURE_VARIANT_ADD(cost, tick_outside) {
	.outside = true, .clock = PROFIL_CLOCK_TICK, .rate = 250, .figures = { 111, 113 },
};

/* two hot pages of counters: 32 KiB for each byte of text, so they are a multiple of 2 MiB apart */
FIXTURE_VARIANT_ADD(cost, tick_apart) {
	.scale = 0x80000000, .clock = PROFIL_CLOCK_TICK, .rate = 250, .figures = { 132, 134 },
};

COST(attached_tick, true, PROFIL_CLOCK_TICK, 250, 160, 162);
COST(timer, false, PROFIL_CLOCK_TIMER, TIMER_HZ, 74, 78);
COST(random, false, PROFIL_CLOCK_RANDOM, TIMER_HZ, 91, 86);
COST(attached_timer, true, PROFIL_CLOCK_TIMER, TIMER_HZ, 104, 101);
COST(attached_random, true, PROFIL_CLOCK_RANDOM, TIMER_HZ, 121, 119);
FIXTURE_VARIANT_ADD(cost, attached_twice) {
	.attached = true, .twice = true, .clock = PROFIL_CLOCK_RANDOM, .rate = TIMER_HZ,
	.figures = { 493, 498 },
};

#define STACK_COST(name, nr, ...)					\
	FIXTURE_VARIANT_ADD(cost, name) {				\
		.attached = true, .clock = PROFIL_CLOCK_TIMER, .rate = TIMER_HZ,	\
		.frames = (nr), .figures = { __VA_ARGS__ },		\
	}

STACK_COST(stack_5, 5, 3233, 2676);
STACK_COST(stack_20, 20, 4139, 3413);
STACK_COST(stack_100, 100, 8682, 6969);

FIXTURE_SETUP(cost)
{
	REQUIRE_ATTACH(self->device);
	self->other = open_device();
	self->target.pid = -1;
	if (!getenv("PROFIL_LATE") || sysconf(_SC_NPROCESSORS_ONLN) > 1)
		SKIP(return, "sealed guests with one CPU only");
	self->gaps = make_gaps(variant->clock == PROFIL_CLOCK_TICK ? TICKS : TIMERS);
	ASSERT_NE(NULL, self->gaps);
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
	close(self->other);
}

/* @outside, @region_scale: as in the variants */
static int start_own(int device, unsigned int clock, unsigned int rate, bool outside,
		     uint32_t region_scale)
{
	uintptr_t loop = (uintptr_t)gaps_loop;
	uintptr_t text = region_scale ? loop : loop & ~(PAGE - 1);
	size_t text_bytes = region_scale ? APART_BYTES : TEXT_BYTES;
	uintptr_t start = outside ? text + text_bytes : text;
	uint32_t scale = region_scale ? region_scale : 0x10000;
	size_t bytes = text_bytes * (scale >> 16);
	void *counters = map_memory(bytes);
	struct profil_region region = {
		.start = start,
		.end = start + text_bytes,
		.offset = start,
		.buf = (uintptr_t)counters,
		.bytes = bytes,
		.scale = scale,
	};
	struct profil_start args = {
		.size = sizeof(args),
		.rate = rate,
		.clock = clock,
		.width = 16,
		.nr_regions = 1,
		.regions = (uintptr_t)&region,
	};

	if (counters == MAP_FAILED)
		return ENOMEM;
	if (!region_scale)
		memset(counters, 0, bytes);
	return call(device, PROFIL_IOC_START, &args);
}

static int attach_with_clock(int device, const struct target *target, unsigned int clock,
			     unsigned int rate, bool stacks)
{
	struct profil_attach attach = attachment(device, target);
	int error;

	attach.clock = clock;
	attach.rate = rate;
	attach.log_bytes = 1 << 20;	/* for all samples */
	if (stacks) {
		attach.log_bytes <<= 3;
		error = ask_for_stacks(&attach, 1024);
		if (error)
			return error;
	}
	return call(device, PROFIL_IOC_ATTACH, &attach);
}

/* What a target does */
struct work {
	struct gaps *gaps;
	unsigned int frames;
};

/* Measures below as many frames of 48 bytes, as gcc builds them. */
static __attribute__((noinline)) void *measure_below(void *data)
{
	volatile unsigned long room[3] = { 0 };
	struct work *work = data;

	if (work->frames) {
		work->frames--;
		measure_below(data);
	} else {
		measure_gaps(work->gaps);
	}
	room[1] = room[0];
	return NULL;
}

/* With stacks in a thread, whose stack has nothing of this test's, but data of the C library */
static void measure(void *data)
{
	struct work *work = data;
	pthread_t thread;

	if (!work->frames)
		measure_gaps(work->gaps);
	else if (pthread_create(&thread, NULL, measure_below, data) || pthread_join(thread, NULL))
		_exit(1);
}

/* Prints how large the records of the log are. */
static void print_bytes(struct __test_metadata *_metadata, int device)
{
	struct records records = { 0 };
	const struct profil_record *record;

	ASSERT_EQ(0, read_all(&records, device));
	record = find_record(&records, PROFIL_RECORD_STACK, ANY, TIMERS / 2);
	ASSERT_NE(NULL, record);
	ksft_print_msg("%u bytes for a record\n", record->bytes);
	free_records(&records);
}

TEST_F(cost, sample)
{
	bool is_tick = variant->clock == PROFIL_CLOCK_TICK;
	struct profil_status status = { .size = sizeof(status) };
	struct work work = { self->gaps, variant->frames };
	unsigned int figure, difference;
	int kernel = figured_kernel();
	struct gaps bare;
	double mean;

	if (!is_tick) {
		ASSERT_EQ(0, load_late());
		ASSERT_EQ(0, write_text(LATE "period", "250"));	/* of TIMER_HZ */
	}
	measure_gaps(self->gaps);
	if (!is_tick)
		ASSERT_EQ(0, write_text(LATE "period", "0"));
	mean = mean_gap(self->gaps, SPREAD);
	bare = *self->gaps;

	if (variant->attached) {
		ASSERT_EQ(0, start_target(&self->target, self->device, measure, &work));
		ASSERT_EQ(0, attach_with_clock(self->device, &self->target, variant->clock,
					       variant->rate, variant->frames));
		if (variant->twice)
			ASSERT_EQ(0, attach_with_clock(self->other, &self->target, variant->clock,
						       variant->rate, false));
		release(&self->target);
		ASSERT_EQ(0, await_end(&self->target).status);
		if (variant->frames)
			print_bytes(_metadata, self->device);
	} else {
		if (variant->beside_target) {
			ASSERT_EQ(0, start_target(&self->target, self->device, wait_for_ever,
						  NULL));
			ASSERT_EQ(0, attach_target(self->device, &self->target, 0));
			release(&self->target);
		}
		ASSERT_EQ(0, start_own(self->device, variant->clock, variant->rate,
				       variant->outside, variant->scale));
		measure_gaps(self->gaps);
		ASSERT_EQ(0, call(self->device, PROFIL_IOC_STOP, &status));
		EXPECT_LT(0, variant->outside ? status.out_of_range : status.counted);
	}
	mean = mean_gap(self->gaps, SPREAD) - mean;

	if (kernel < 0)
		SKIP(return, "no figures of this kernel");
	figure = variant->figures[kernel];
	difference = likely_difference(&bare, self->gaps, figure);
	if (variant->frames)
		difference = (unsigned int)mean;
	ksft_print_msg("%u instructions for a sample, %.1f in the mean, %u expected; %u times\n",
		       difference, mean, figure, self->gaps->nr);
	if (variant->frames) {
		EXPECT_GE(figure + STACK_TOLERANCE, mean);
		EXPECT_LE(figure - STACK_TOLERANCE, mean);
		return;
	}
	EXPECT_GE(figure + TOLERANCE, difference);
	EXPECT_LE(figure, difference + TOLERANCE);
	EXPECT_GE(figure + MEAN_TOLERANCE, mean);
	EXPECT_LE(figure - MEAN_TOLERANCE, mean);
	if (variant->clock == PROFIL_CLOCK_RANDOM) {
		difference = likely_difference(&bare, self->gaps, figure + HASH);
		ksft_print_msg("%u if it computes the next points\n", difference);
		EXPECT_GE(figure + HASH + TOLERANCE, difference);
		EXPECT_LE(figure + HASH, difference + TOLERANCE);
	}
}

TEST_HARNESS_MAIN
