// SPDX-License-Identifier: GPL-2.0-only
/*
 * M7: a user has as many others as it has subordinate uids, 65,536 by default. What the
 * module keeps for each of them must be little: no workqueue of its own, which is outside
 * each memory cgroup, and on a machine with 128 processors 32 to 64 KiB.
 */
#include <signal.h>

#include "kselftest_harness.h"
#include "../child.h"
#include "../common.h"
#include "tracer.h"

#define FIRST_USER	7800	/* and those after it, whom no other test charges */
#define USERS		100
#define MOST_BYTES	512	/* for each, with what the allocator rounds up to */

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

static void start_when_told(struct _test_data_many_users *self, uid_t uid)
{
	struct profil_region region;
	struct profil_start start;

	count_all(&start, &region, map_memory(PAGE), 64, 1);
	*(volatile char *)(uintptr_t)region.buf = 0;
	if (become_user(uid, USERS) || pass(self->done[1]) || await_pass(self->go[0]) ||
	    call(self->device, PROFIL_IOC_START, &start) || pass(self->done[1]))
		_exit(1);
	pause();
}

/* What the kernel uses for itself, but for files and page tables. */
static long long kernel_bytes(void)
{
	static const char *const what[] = { "Slab:", "Percpu:", "KernelStack:" };
	long long sum = 0;
	size_t i;

	usleep(200000);
	for (i = 0; i < sizeof(what) / sizeof(what[0]); i++)
		sum += number_in("/proc/meminfo", what[i]) * 1024;
	return sum;
}

/* What USERS sessions take, each of a user of its own, or all of one. Less than 0: error. */
static long long bytes_for(struct _test_data_many_users *self, bool own)
{
	pid_t pids[USERS];
	long long bytes;
	int i;

	for (i = 0; i < USERS; i++) {
		pids[i] = fork();
		if (!pids[i])
			start_when_told(self, FIRST_USER + (own ? 1 + (uid_t)i : 0));
	}
	for (i = 0; i < USERS; i++)
		await_pass(self->done[0]);
	bytes = kernel_bytes();
	for (i = 0; i < USERS; i++)
		pass(self->go[1]);
	for (i = 0; i < USERS; i++)
		await_pass(self->done[0]);
	bytes = kernel_bytes() - bytes;
	for (i = 0; i < USERS; i++) {
		kill(pids[i], SIGKILL);
		wait_for(pids[i]);
	}
	return bytes;
}

TEST_F(many_users, bytes)
{
	long long one, own;

	/* the first time, caches grow that stay */
	bytes_for(self, true);
	one = bytes_for(self, false);
	own = bytes_for(self, true);
	ksft_print_msg("%d sessions take %lld KiB; of as many users, %lld KiB: %lld bytes for each\n",
		       USERS, one >> 10, own >> 10, (own - one) / USERS);
	EXPECT_GE(MOST_BYTES, (own - one) / USERS);
}

TEST_F(many_users, workqueues)
{
	int made;

	if (!tracer_begin("alloc_workqueue") && !tracer_begin("alloc_workqueue_noprof"))
		SKIP(return, "no function tracer");
	tracer_restart();
	bytes_for(self, true);
	made = tracer_calls();
	tracer_end();
	ksft_print_msg("for %d users, %d workqueues were made\n", USERS, made);
	EXPECT_EQ(0, made);
}

TEST_HARNESS_MAIN
