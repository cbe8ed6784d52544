// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hypervisor stops a virtual CPU for a while. The next tick replaces those that were due
 * meanwhile, but the process did not run then: the module must not count them.
 *
 * selftests/late disables interrupts for ten ticks and makes the kernel account that time as
 * stolen. Only the rest is CPU time of the process. Each round may round by one tick: ten ticks
 * that are a little too short may have nine points of the grid. And the late tick itself counts.
 */
#include "kselftest_harness.h"
#include "profile/clock_profile.h"
#include "kernel/late.h"

#define ROUNDS	10
#define LATE_TICKS	10	/* ticks */

FIXTURE(stolen_time) {
	struct profile profile;
};

FIXTURE_SETUP(stolen_time)
{
	SET_UP_CLOCK_PROFILE(&self->profile);
	REQUIRE_LATE();
	/* the first start after boot takes a second, to attach the clock */
	ASSERT_EQ(0, start_with_clock(&self->profile, PROFIL_CLOCK_TICK, self->profile.hz));
	stop(self->profile.fd);
	*self->profile.counter = 0;
}

FIXTURE_TEARDOWN(stolen_time)
{
	clean_up_clock_profile(&self->profile);
}

/* Returns the samples counted. Sets *@due to the ticks due, including stolen ones. */
static uint64_t count_late_ticks(struct __test_metadata *_metadata, struct profile *profile,
				 const char *how, double *due)
{
	double used = thread_seconds();
	int i;

	EXPECT_EQ(0, start_with_clock(profile, PROFIL_CLOCK_TICK, profile->hz));
	for (i = 0; i < ROUNDS; i++) {
		burn(2.5 / profile->hz);
		EXPECT_EQ(0, keep_interrupts_off(how, (double)LATE_TICKS / profile->hz));
	}
	burn(2.5 / profile->hz);
	stop(profile->fd);
	*due = (thread_seconds() - used) * profile->hz;
	return *profile->counter;
}

TEST_F(stolen_time, is_not_counted)
{
	double due;
	uint64_t nr = count_late_ticks(_metadata, &self->profile, "steal", &due);

	ksft_print_msg("%llu counted, %.1f due, %d of them stolen\n",
		       (unsigned long long)nr, due, ROUNDS * LATE_TICKS);
	EXPECT_LE(due - ROUNDS * LATE_TICKS - ROUNDS - 1, nr);
	EXPECT_GE(due - ROUNDS * LATE_TICKS + 2 * ROUNDS + 1, nr);
}

/* Ticks that the process itself delays are counted, also after stolen time. */
TEST_F(stolen_time, other_late_ticks_are_counted)
{
	double due;
	uint64_t nr;

	ASSERT_EQ(0, keep_interrupts_off("steal", (double)LATE_TICKS / self->profile.hz));
	nr = count_late_ticks(_metadata, &self->profile, "off", &due);
	ksft_print_msg("%llu counted, %.1f due\n", (unsigned long long)nr, due);
	EXPECT_LE(due - 2, nr);
	EXPECT_GE(due + 2, nr);
}

TEST_HARNESS_MAIN
