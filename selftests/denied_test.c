// SPDX-License-Identifier: GPL-2.0-only
/*
 * RLIMIT_MEMLOCK is the user's, whose children count against it: one that it
 * has no room for is not profiled, and no worse off.
 */
#include "harness.h"
#include "process.h"

FIXTURE_OF_PROFILE(children)

/* Lower the soft limit to so many pages, or raise it up to the hard one. */
static int limit_pins(size_t pages)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit))
		return -1;
	limit.rlim_cur = pages * PAGE;
	return setrlimit(RLIMIT_MEMLOCK, &limit);
}

/* Pages that are pinned at the start need room at the fork. */
static int room_for_one(struct profile *profile)
{
	struct profil_status status;
	long long sessions;
	int i, running;

	if (become_user(61001, 1) || begin(profile))
		return 100;
	if (state_after_burning(profile) != PROFIL_STATE_OFF)
		return 101;
	status = get_status(profile->fd);
	if (status.state != PROFIL_STATE_RUNNING || status.forks ||
	    status.forks_denied != 1)
		return 102;
	/* a denied child has no room to try itself, until it gets some */
	if (!fork()) {
		profile->counter = map_memory(PAGE);
		if (get_status(profile->fd).state != PROFIL_STATE_OFF ||
		    begin(profile) != ENOMEM)
			_exit(1);
		_exit(limit_pins(2) || begin(profile));
	}
	if (wait_for(-1))
		return 103;
	/* (while it runs, a tick may come between its figures and the counter) */
	status = stop(profile->fd);
	if (status.forks_denied != 2 || status.counted != counted(profile))
		return 104;

	/* a new start with room for one more: in turn, as many as come */
	if (limit_pins(2) || begin(profile))
		return 105;
	sessions = figure("sessions");
	for (i = running = 0; i < 30; i++) {
		running += state_after_burning(profile) == PROFIL_STATE_RUNNING;
		/* the worker may be the last to use a child's memory */
		await_figure("sessions", sessions);
	}
	status = stop(profile->fd);
	return running == 30 && status.forks == 30 && !status.forks_denied ?
		0 : 106;
}

/*
 * On hit, nothing is charged before that: the child is on, but its samples are
 * lost until its parent makes room.
 */
static int hit_without_room(const struct profile *profile, int ask, int answer)
{
	uint64_t before = counted(profile);
	struct profil_status status;

	burn(time_of(1, profile->hz));
	status = get_status(profile->fd);
	if (counted(profile) != before || status.counted)
		return 100;
	if (!status.lost || status.error != ENOMEM)
		return 101;
	if (pass(ask) || await_pass(answer))
		return 102;
	if (!counts(profile, 5))
		return 103;
	status = stop(profile->fd);
	if (status.state != PROFIL_STATE_RUNNING)
		return 104;
	return counted(profile) == before + status.counted ? 0 : 105;
}

static int room_for_hits_of_one(struct profile *profile)
{
	struct profil_status status;
	int asks[2], answers[2];

	if (pipe(asks) || pipe(answers) || become_user(61002, 1) ||
	    begin(profile))
		return 1;
	if (!counts(profile, 5) || get_status(profile->fd).pinned_bytes != PAGE)
		return 2;
	if (!fork())
		_exit(hit_without_room(profile, asks[1], answers[0]));
	close(asks[1]);
	if (await_pass(asks[0]))
		return wait_for(-1);
	status = stop(profile->fd);
	if (status.forks != 1 || status.forks_denied || status.lost ||
	    status.counted != counted(profile))
		return 3;
	return pass(answers[1]) ? 4 : wait_for(-1);
}

TEST_F(children, memlock_limit)
{
	long long denied = figure("forks_denied");
	pid_t pid;

	if (getuid())
		SKIP(return, "needs root, to be another user");
	ASSERT_LE(0, denied);
	pid = fork();
	if (!pid)
		_exit(variant->flags & PROFIL_PIN_ON_HIT ?
		      room_for_hits_of_one(&self->profile) :
		      room_for_one(&self->profile));
	EXPECT_EQ(0, wait_for(pid));
	EXPECT_EQ(denied + (variant->flags & PROFIL_PIN_ON_HIT ? 0 : 2),
		  figure("forks_denied"));
}

TEST_HARNESS_MAIN
