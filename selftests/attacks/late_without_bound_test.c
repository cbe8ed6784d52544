// SPDX-License-Identifier: GPL-2.0-only
/*
 * T1. A processor is away for long: a virtual machine that is stopped and continued, a
 * debugger, interrupts off. When it is back, one interrupt charges all points that were due
 * meanwhile to the pc that it finds, and stores an entry for each in a pc log, in hard
 * interrupt context.
 *
 * selftests/late keeps interrupts off, for 900 ms. What one look at the clock may charge is
 * 100 ms' worth of points; of a pc log, 512 entries. Up to 15 late points may be counted one
 * by one before the timer looks at the clock. All other samples are from the CPU time that
 * is not the gap.
 */
#include "kselftest_harness.h"
#include "../clocked.h"
#include "../late.h"

#define GAP	0.9

FIXTURE(gap) {
	struct profile profile;
	unsigned int rate;
};

FIXTURE_VARIANT(gap) {
	unsigned int clock;
	unsigned int rate;	/* 0: the tick's */
};

FIXTURE_VARIANT_ADD(gap, tick) { PROFIL_CLOCK_TICK, 0 };
FIXTURE_VARIANT_ADD(gap, timer) { PROFIL_CLOCK_TIMER, 20000 };
FIXTURE_VARIANT_ADD(gap, random) { PROFIL_CLOCK_RANDOM, 20000 };

FIXTURE_SETUP(gap)
{
	SET_UP(&self->profile);
	REQUIRE_LATE();
	self->rate = variant->rate ?: self->profile.hz;
	/* the first start after a boot takes a second, to attach the clock */
	ASSERT_EQ(0, begin_by(&self->profile, variant->clock, self->rate));
	stop(self->profile.fd);
	*self->profile.counter = 0;
}

FIXTURE_TEARDOWN(gap)
{
	clean_up(&self->profile);
}

/* Start, stay away, stop. What is due but for the gap is in @*due. */
static struct profil_status be_away(struct __test_metadata *_metadata,
				    struct _test_data_gap *self, double *due)
{
	double used = process_seconds();
	struct profil_status status;

	EXPECT_EQ(0, call(self->profile.fd, PROFIL_IOC_START,
			  &self->profile.start));
	EXPECT_EQ(0, keep_interrupts_off("off", GAP));
	status = stop(self->profile.fd);
	*due = self->rate * (process_seconds() - used - GAP);
	return status;
}

static void expect_bound(struct __test_metadata *_metadata,
			 const struct profil_status *status, double due,
			 unsigned int rate, unsigned int at_once)
{
	ksft_print_msg("%llu sampled, %u at once, %.0f outside the gap, %llu skipped\n",
		       (unsigned long long)status->samples, at_once, due,
		       (unsigned long long)status->skipped);
	/* two ends by chance */
	EXPECT_GE(at_once + 15 + due + 2, status->samples);
	/* and nothing goes unseen */
	EXPECT_LE(rate * GAP - 2, status->samples + status->skipped);
	EXPECT_GE(rate * GAP + due + 2, status->samples + status->skipped);
}

TEST_F(gap, counter)
{
	struct profil_status status;
	double due;

	self->profile.region.buf = (uintptr_t)self->profile.counter;
	self->profile.start.clock = variant->clock;
	self->profile.start.rate = self->rate;
	status = be_away(_metadata, self, &due);
	expect_bound(_metadata, &status, due, self->rate, self->rate / 10);
	EXPECT_EQ(status.samples, *self->profile.counter);
}

TEST_F(gap, log)
{
	const size_t bytes = 1 << 20;
	unsigned int at_once = self->rate / 10 < 512 ? self->rate / 10 : 512;
	struct profil_status status;
	void *log = map_memory(bytes);
	double due;

	self->profile.start = (struct profil_start) {
		.size = sizeof(self->profile.start),
		.flags = PROFIL_PC_LOG,
		.clock = variant->clock,
		.rate = self->rate,
		.width = 64,
		.log = (uintptr_t)log,
		.log_bytes = bytes,
	};
	status = be_away(_metadata, self, &due);
	expect_bound(_metadata, &status, due, self->rate, at_once);
	EXPECT_EQ(PROFIL_STATE_RUNNING, status.state);
	munmap(log, bytes);
}

TEST_HARNESS_MAIN
