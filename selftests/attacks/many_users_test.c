// SPDX-License-Identifier: GPL-2.0-only
/*
 * A user can act as any of its subordinate uids, 65,536 by default. The module must keep
 * little for each uid. In particular it must not make a workqueue: no memory cgroup is charged
 * for it, and on a machine with 128 CPUs it takes 32 to 64 KiB.
 */
#include <signal.h>

#include "kselftest_harness.h"
#include "child.h"
#include "common.h"
#include "kernel/tracer.h"

#define FIRST_USER	7800	/* this and the following uids: no other test charges them */
#define USERS		100

FIXTURE(many_users) {
	int device;
	int go[2], done[2];
};

FIXTURE_SETUP(many_users)
{
	REQUIRE_DEVICE(self->device);
	if (geteuid())
		SKIP(return, "needs root");
	ASSERT_EQ(0, pipe(self->go));
	ASSERT_EQ(0, pipe(self->done));
}

FIXTURE_TEARDOWN(many_users)
{
	close(self->device);
}

static void start_on_request(struct _test_data_many_users *self, uid_t uid)
{
	struct profil_region region;
	struct profil_start start;

	count_all(&start, &region, map_memory(PAGE), 64, 1);
	if (become_user(uid, 8) || send_byte(self->done[1]) || receive_byte(self->go[0]) ||
	    call(self->device, PROFIL_IOC_START, &start) || send_byte(self->done[1]))
		_exit(1);
	pause();
}

TEST_F(many_users, make_no_workqueue)
{
	pid_t pids[USERS];
	int i, made;

	for (i = 0; i < USERS; i++) {
		pids[i] = fork();
		if (!pids[i])
			start_on_request(self, FIRST_USER + (uid_t)i);
	}
	for (i = 0; i < USERS; i++)
		ASSERT_EQ(0, receive_byte(self->done[0]));
	if (!tracer_begin("alloc_workqueue") && !tracer_begin("alloc_workqueue_noprof"))
		SKIP(return, "no function tracer");
	tracer_restart();
	for (i = 0; i < USERS; i++)
		send_byte(self->go[1]);
	for (i = 0; i < USERS; i++)
		ASSERT_EQ(0, receive_byte(self->done[0]));
	made = tracer_calls();
	tracer_end();
	for (i = 0; i < USERS; i++) {
		kill(pids[i], SIGKILL);
		wait_for(pids[i]);
	}
	ksft_print_msg("%d users made %d workqueues\n", USERS, made);
	EXPECT_EQ(0, made);
}

/* Otherwise the tracer would trace all functions, and no test would try a second name. */
TEST(unknown_functions_are_not_traced)
{
	if (geteuid() || !tracer_begin("do_exit"))
		SKIP(return, "no function tracer");
	tracer_end();
	EXPECT_FALSE(tracer_begin("profil_no_such_function"));
	/* no instance of the tracer is left */
	EXPECT_EQ(-1, tracer_calls());
}

TEST_HARNESS_MAIN
