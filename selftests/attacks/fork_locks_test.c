// SPDX-License-Identifier: GPL-2.0-only
/*
 * M6: forks of a profiled process whose children execute another program, or sleep and exit,
 * before any sample. None of them may make the kernel take all locks of an address space
 * (mm_take_all_locks(): one mutex for the whole machine, and the lock of each mapped file,
 * the C library's included, for writing), which is what a registration with the mmu
 * notifier does. Counted by the function tracer, in an instance of its own.
 *
 * The profile has one sample in a second of CPU time. 60 children with a ms each have 0.06
 * on average: more than two, by chance, once in 30,000 runs.
 */
#include "kselftest_harness.h"
#include "../child.h"
#include "../common.h"
#include "../files.h"
#include "tracer.h"

#define CHILDREN	60
#define MOST_HITS	2

FIXTURE(fork_locks) {
	int device;
};

FIXTURE_SETUP(fork_locks)
{
	struct profil_region region;
	struct profil_start start;

	REQUIRE_DEVICE(self->device);
	if (geteuid() || !tracer_begin("mm_take_all_locks"))
		SKIP(return, "no function tracer");
	count_all(&start, &region, map_memory(PAGE), 64, 1);
	ASSERT_EQ(0, call(self->device, PROFIL_IOC_START, &start));
	/* the worker of the start is done */
	usleep(100000);
	tracer_restart();
}

FIXTURE_TEARDOWN(fork_locks)
{
	stop(self->device);
	tracer_end();
	close(self->device);
}

static void be_executed(void)
{
	execl("/bin/true", "true", NULL);
	_exit(1);
}

static void sleep_and_exit(void)
{
	usleep(20000);
	_exit(0);
}

static void fork_many(struct __test_metadata *_metadata, int device,
		      void (*be_child)(void), const char *what)
{
	long long sessions = figure("sessions");
	unsigned long long forks;
	int i, times;

	for (i = 0; i < CHILDREN; i++) {
		pid_t pid = fork();

		if (!pid)
			be_child();
		ASSERT_EQ(0, wait_for(pid));
	}
	forks = get_status(device).forks_followed;
	times = tracer_calls();
	ksft_print_msg("of %llu followed forks that %s, %d have taken all locks\n", forks, what,
		       times);
	EXPECT_EQ((unsigned long long)CHILDREN, forks);
	EXPECT_GE(MOST_HITS, times);
	/* and those that have gone are found, though nobody reports that */
	EXPECT_EQ(sessions, await_figure("sessions", sessions));
}

/* Else nothing is proved. */
TEST_F(fork_locks, are_seen)
{
	pid_t pid = fork();

	if (!pid) {
		struct profil_region region;
		struct profil_start start;

		count_all(&start, &region, map_memory(PAGE), 64, 1);
		_exit(call(self->device, PROFIL_IOC_START, &start));
	}
	EXPECT_EQ(0, wait_for(pid));
	EXPECT_LE(1, tracer_calls());
}

TEST_F(fork_locks, fork_and_execute)
{
	fork_many(_metadata, self->device, be_executed, "execute a program");
}

TEST_F(fork_locks, fork_and_sleep)
{
	fork_many(_metadata, self->device, sleep_and_exit, "sleep and exit");
}

TEST_HARNESS_MAIN
