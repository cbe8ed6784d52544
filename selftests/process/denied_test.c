// SPDX-License-Identifier: GPL-2.0-only
/*
 * RLIMIT_MEMLOCK covers all processes of a user. A child is charged for the pages that its samples
 * hit. It is always profiled, and loses the samples that exceed the limit.
 */
#include "kselftest_harness.h"
#include "profile/process.h"

FIXTURE_OF_PROFILE(children)

/* The child is profiled, but loses its samples until its parent stops. */
static int hit_without_room(const struct profile *profile, int ask, int answer)
{
	uint64_t before = counted(profile);
	struct profil_status status;

	burn(seconds_for(1, profile->hz));
	status = get_status(profile->fd);
	if (counted(profile) != before || status.counted)
		return 100;
	if (!status.lost || status.error != ENOMEM)
		return 101;
	if (send_byte(ask) || receive_byte(answer))
		return 102;
	if (!counts(profile, 5))
		return 103;
	status = stop(profile->fd);
	if (status.state != PROFIL_STATE_RUNNING)
		return 104;
	return counted(profile) == before + status.counted ? 0 : 105;
}

static int limit_of_one_page(struct profile *profile)
{
	struct profil_status status;
	int asks[2], answers[2];

	if (pipe(asks) || pipe(answers) || become_user(61002, 1) || start_profile(profile))
		return 1;
	if (!counts(profile, 5) || get_status(profile->fd).pinned_bytes != PAGE)
		return 2;
	if (!fork())
		_exit(hit_without_room(profile, asks[1], answers[0]));
	close(asks[1]);
	if (receive_byte(asks[0]))
		return wait_for(-1);
	status = stop(profile->fd);
	if (status.forks_followed != 1 || status.fork_failures || status.lost ||
	    status.counted != counted(profile))
		return 3;
	return send_byte(answers[1]) ? 4 : wait_for(-1);
}

TEST_F(children, lose_samples_at_the_memlock_limit)
{
	long long failures = figure("fork_failures");
	pid_t pid;

	if (getuid())
		SKIP(return, "needs root, to be another user");
	ASSERT_LE(0, failures);
	pid = fork();
	if (!pid)
		_exit(limit_of_one_page(&self->profile));
	EXPECT_EQ(0, wait_for(pid));
	EXPECT_EQ(failures, figure("fork_failures"));
}

TEST_HARNESS_MAIN
