// SPDX-License-Identifier: GPL-2.0-only
/*
 * A CPU takes no interrupt for a long time: a virtual machine is stopped and continued, a debugger
 * halts the CPU, or the kernel disables interrupts. The next interrupt must not charge all sampling
 * points of the gap to the pc that it finds, nor store an entry for each in a pc log, in hard
 * interrupt context.
 *
 * selftests/late disables interrupts for 900 ms. One reading of the clock may charge the sampling
 * points of 100 ms, and at most 512 entries of a pc log. Up to 15 late points may be counted one by
 * one before the timer reads the clock. All other samples come from the CPU time outside the gap.
 */
#include "kselftest_harness.h"
#include "profile/clock_profile.h"
#include "kernel/late.h"

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
	SET_UP_CLOCK_PROFILE(&self->profile);
	REQUIRE_LATE();
	self->rate = variant->rate ?: self->profile.hz;
	/* the first start after boot takes a second, to attach the clock */
	ASSERT_EQ(0, start_with_clock(&self->profile, variant->clock, self->rate));
	stop(self->profile.fd);
	*self->profile.counter = 0;
}

FIXTURE_TEARDOWN(gap)
{
	clean_up_clock_profile(&self->profile);
}

/* Starts, makes the gap, stops. Sets *@due to the samples due outside the gap. */
static struct profil_status sample_a_gap(struct __test_metadata *_metadata,
					 struct _test_data_gap *self, double *due)
{
	double used = process_seconds();
	struct profil_status status;

	EXPECT_EQ(0, call(self->profile.fd, PROFIL_IOC_START, &self->profile.start));
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
	/* each end of the profile can be off by one */
	EXPECT_GE(at_once + 15 + due + 2, status->samples);
	/* each point of the gap is sampled or skipped */
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
	status = sample_a_gap(_metadata, self, &due);
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
	status = sample_a_gap(_metadata, self, &due);
	expect_bound(_metadata, &status, due, self->rate, at_once);
	EXPECT_EQ(PROFIL_STATE_RUNNING, status.state);
	munmap(log, bytes);
}

TEST_HARNESS_MAIN
