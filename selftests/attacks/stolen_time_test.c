// SPDX-License-Identifier: GPL-2.0-only
/*
 * T5. A hypervisor takes a virtual processor away. The tick that comes when it is back stands
 * for those that were due, and all of them are charged to the process, which did not run.
 *
 * selftests/late keeps interrupts off for ten ticks, and has the kernel account that time as
 * stolen. The process's own CPU time is what else it has used. Each round rounds to a tick.
 */
#include "kselftest_harness.h"
#include "../clocked.h"
#include "../late.h"

#define ROUNDS	10
#define LATE_TICKS	10	/* ticks */

FIXTURE(stolen) {
	struct profile profile;
};

FIXTURE_SETUP(stolen)
{
	SET_UP(&self->profile);
	REQUIRE_LATE();
	/* the first start after a boot takes a second, to attach the clock */
	ASSERT_EQ(0, begin_by(&self->profile, PROFIL_CLOCK_TICK, self->profile.hz));
	stop(self->profile.fd);
	*self->profile.counter = 0;
}

FIXTURE_TEARDOWN(stolen)
{
	clean_up(&self->profile);
}

/* Return: ticks counted; *due: in all, stolen ones too. */
static uint64_t be_late(struct __test_metadata *_metadata, struct profile *profile,
			const char *how, double *due)
{
	double used = thread_seconds();
	int i;

	EXPECT_EQ(0, begin_by(profile, PROFIL_CLOCK_TICK, profile->hz));
	for (i = 0; i < ROUNDS; i++) {
		burn(2.5 / profile->hz);
		EXPECT_EQ(0, keep_interrupts_off(how, (double)LATE_TICKS / profile->hz));
	}
	burn(2.5 / profile->hz);
	stop(profile->fd);
	*due = (thread_seconds() - used) * profile->hz;
	return *profile->counter;
}

TEST_F(stolen, is_not_charged)
{
	double due;
	uint64_t nr = be_late(_metadata, &self->profile, "steal", &due);

	ksft_print_msg("%llu counted, %.1f due, of which %d were stolen\n",
		       (unsigned long long)nr, due, ROUNDS * LATE_TICKS);
	EXPECT_LE(due - ROUNDS * LATE_TICKS - ROUNDS - 1, nr);
	EXPECT_GE(due - ROUNDS * LATE_TICKS + ROUNDS + 1, nr);
}

/* ... but what the process itself held up is, also after something was stolen. */
TEST_F(stolen, what_was_not_is_charged)
{
	double due;
	uint64_t nr;

	ASSERT_EQ(0, keep_interrupts_off("steal", (double)LATE_TICKS / self->profile.hz));
	nr = be_late(_metadata, &self->profile, "off", &due);
	ksft_print_msg("%llu counted, %.1f due\n", (unsigned long long)nr, due);
	EXPECT_LE(due - 2, nr);
	EXPECT_GE(due + 2, nr);
}

TEST_HARNESS_MAIN
