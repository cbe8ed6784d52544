// SPDX-License-Identifier: GPL-2.0-only
/*
 * T6, M10. A user makes his samples dear, so that the guard (max_cpu_percent) lowers rates:
 * and not only his own, but root's too. A full waiting log does that; here the limit is 0
 * percent, so that the first sample that is measured is too dear.
 *
 * Root's profile is so slow, and root on its own processor sleeps so much, that no sample of
 * that is measured: one in 16 is.
 */
#include "kselftest_harness.h"
#include "../clocked.h"

FIXTURE(guard) {
	struct profile profile;
};

FIXTURE_SETUP(guard)
{
	SET_UP(&self->profile);
	if (geteuid())
		SKIP(return, "wants to be root");
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "wants two processors");
	ASSERT_EQ(0, put_on_cpu(0, 0));
}

FIXTURE_TEARDOWN(guard)
{
	clean_up(&self->profile);
}

/* The attack: of a user, on a processor of his own. Return: the rate that is left of 4000. */
static unsigned int be_dear(struct profile *profile)
{
	put_on_cpu(0, 1);
	stop(profile->fd);
	if (write_text(PARAMETERS "max_cpu_percent", "0") ||
	    become_user(12345, 16) ||
	    begin_by(profile, PROFIL_CLOCK_TIMER, 4000))
		return 0;
	burn(0.05);
	return stop(profile->fd).rate;
}

TEST_F(guard, lowers_who_costs)
{
	struct profile *profile = &self->profile;
	unsigned int rate = profile->hz + 1, *left = map_shared(sizeof(*left));
	struct profil_status status;
	pid_t pid;

	ASSERT_EQ(0, begin_by(profile, PROFIL_CLOCK_TIMER, rate));
	pid = fork();
	if (!pid) {
		*left = be_dear(profile);
		_exit(0);
	}
	EXPECT_EQ(0, wait_for(pid));
	status = get_status(profile->fd);
	ksft_print_msg("the user has %u of 4000 Hz, root %u of %u\n", *left,
		       status.rate, rate);
	EXPECT_EQ(profile->hz, *left);
	EXPECT_EQ(rate, status.rate);
}

/* One profile of a process says nothing of the next, whose samples may be cheap. */
TEST_F(guard, next_profile_is_measured_anew)
{
	struct profile *profile = &self->profile;
	struct profil_status status;

	ASSERT_EQ(0, write_text(PARAMETERS "max_cpu_percent", "0"));
	ASSERT_EQ(0, begin_by(profile, PROFIL_CLOCK_TIMER, 20000));
	burn(0.02);
	EXPECT_EQ(profile->hz, get_status(profile->fd).rate);
	ASSERT_EQ(0, begin_by(profile, PROFIL_CLOCK_TIMER, profile->hz + 1));
	status = get_status(profile->fd);
	ksft_print_msg("%u of %u Hz at once\n", status.rate, profile->hz + 1);
	EXPECT_EQ(profile->hz + 1, status.rate);
}

/* A child has its parent's regions and memory, and so its rate. */
TEST_F(guard, child_keeps_the_rate)
{
	struct profile *profile = &self->profile;
	pid_t pid;

	ASSERT_EQ(0, write_text(PARAMETERS "max_cpu_percent", "0"));
	ASSERT_EQ(0, begin_by(profile, PROFIL_CLOCK_TIMER, 20000));
	burn(0.02);
	EXPECT_EQ(profile->hz, get_status(profile->fd).rate);
	pid = fork();
	if (!pid)
		_exit(get_status(profile->fd).rate != profile->hz);
	EXPECT_EQ(0, wait_for(pid));
}

TEST_HARNESS_MAIN
