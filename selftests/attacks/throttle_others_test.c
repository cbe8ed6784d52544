// SPDX-License-Identifier: GPL-2.0-only
/*
 * A user makes their samples expensive, so that the throttle (max_cpu_percent) lowers rates.
 * Only the rate of that user's session may change, not root's. A full queue of pending samples
 * does that; here the limit is 0 percent, so that the first measured sample is too expensive.
 *
 * One sample in 16 of a CPU is measured, and it may be any user's. So root sleeps as long as the
 * limit is 0 percent, and none of its samples is measured.
 */
#include "kselftest_harness.h"
#include "eventually.h"
#include "kernel/tasks.h"
#include "profile/clock_profile.h"

FIXTURE(throttle) {
	struct profile profile;
};

FIXTURE_SETUP(throttle)
{
	SET_UP_CLOCK_PROFILE(&self->profile);
	if (geteuid())
		SKIP(return, "needs root");
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, put_on_cpu(0, 0));
}

FIXTURE_TEARDOWN(throttle)
{
	clean_up_clock_profile(&self->profile);
}

/* The attack, by a user. Returns the rate that is left of 4000 Hz. */
static unsigned int be_expensive(struct profile *profile)
{
	if (become_user(12345, 16) || start_with_clock(profile, PROFIL_CLOCK_TIMER, 4000))
		return 0;
	burn(0.05);
	return stop(profile->fd).rate;
}

/*
 * On another CPU, while the parent sleeps: a child of root lowers the limit, and a user is sampled.
 */
static unsigned int rate_below_limit(struct profile *profile)
{
	unsigned int *left = map_shared(sizeof(*left));
	pid_t pid;

	put_on_cpu(0, 1);
	stop(profile->fd);
	if (!EVENTUALLY(task_state(getppid()) == 'S') ||
	    write_text(PARAMETERS "max_cpu_percent", "0"))
		return 0;
	pid = fork();
	if (!pid) {
		*left = be_expensive(profile);
		_exit(0);
	}
	wait_for(pid);
	set_throttle(false);
	return *left;
}

TEST_F(throttle, lowers_only_the_expensive_session)
{
	struct profile *profile = &self->profile;
	unsigned int rate = profile->hz + 1, *left = map_shared(sizeof(*left));
	struct profil_status status;
	pid_t pid;

	ASSERT_EQ(0, start_with_clock(profile, PROFIL_CLOCK_TIMER, rate));
	pid = fork();
	if (!pid) {
		*left = rate_below_limit(profile);
		_exit(0);
	}
	EXPECT_EQ(0, wait_for(pid));
	status = get_status(profile->fd);
	ksft_print_msg("rates: the user %u of 4000 Hz, root %u of %u Hz\n", *left,
		       status.rate, rate);
	EXPECT_EQ(profile->hz, *left);
	EXPECT_EQ(rate, status.rate);
}

/* The samples of the next profile may be cheap: its rate starts anew. */
TEST_F(throttle, next_profile_starts_at_its_rate)
{
	struct profile *profile = &self->profile;
	struct profil_status status;

	ASSERT_EQ(0, write_text(PARAMETERS "max_cpu_percent", "0"));
	ASSERT_EQ(0, start_with_clock(profile, PROFIL_CLOCK_TIMER, 20000));
	burn(0.02);
	EXPECT_EQ(profile->hz, get_status(profile->fd).rate);
	ASSERT_EQ(0, start_with_clock(profile, PROFIL_CLOCK_TIMER, profile->hz + 1));
	status = get_status(profile->fd);
	ksft_print_msg("the next profile starts at %u of %u Hz\n", status.rate, profile->hz + 1);
	EXPECT_EQ(profile->hz + 1, status.rate);
}

/* A child has its parent's regions and memory, so it starts with the parent's rate. */
TEST_F(throttle, child_inherits_the_rate)
{
	struct profile *profile = &self->profile;
	pid_t pid;

	ASSERT_EQ(0, write_text(PARAMETERS "max_cpu_percent", "0"));
	ASSERT_EQ(0, start_with_clock(profile, PROFIL_CLOCK_TIMER, 20000));
	burn(0.02);
	EXPECT_EQ(profile->hz, get_status(profile->fd).rate);
	pid = fork();
	if (!pid)
		_exit(get_status(profile->fd).rate != profile->hz);
	EXPECT_EQ(0, wait_for(pid));
}

TEST_HARNESS_MAIN
