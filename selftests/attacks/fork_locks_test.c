// SPDX-License-Identifier: GPL-2.0-only
/*
 * A profiled process forks children that execute another program, or sleep and exit, before any
 * sample. None of them may register with the mmu notifier. A registration takes all locks of an
 * address space (mm_take_all_locks()): one mutex of the whole machine, and for writing the lock of
 * each mapped file, the C library's included. The function tracer counts the calls.
 *
 * The profile takes one sample per second of CPU time. 60 children of 1 ms get 0.06 samples on
 * average; more than two occur by chance once in 30,000 runs.
 */
#include "kselftest_harness.h"
#include "child.h"
#include "common.h"
#include "files.h"
#include "kernel/tracer.h"

#define CHILDREN	60
#define MOST_HITS	2

FIXTURE(fork_locks) {
	int device;
};

FIXTURE_SETUP(fork_locks)
{
	REQUIRE_DEVICE(self->device);
	if (geteuid() || !tracer_begin("mm_take_all_locks"))
		SKIP(return, "no function tracer");
	ASSERT_EQ(0, start_counting(self->device, map_memory(PAGE), 1, 0));
	/* the worker of the start finishes */
	usleep(100000);
	tracer_restart();
}

FIXTURE_TEARDOWN(fork_locks)
{
	stop(self->device);
	tracer_end();
	close(self->device);
}

static void exec_true(void)
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
	ksft_print_msg("%llu children %s: %d took all locks\n", forks, what, times);
	EXPECT_EQ((unsigned long long)CHILDREN, forks);
	EXPECT_GE(MOST_HITS, times);
	/* the reaper finds the children that have exited */
	EXPECT_EQ(sessions, await_figure("sessions", sessions));
}

/* The control: the tracer sees the registration of a child that starts a profile. */
TEST_F(fork_locks, tracer_sees_a_registration)
{
	pid_t pid = fork();

	if (!pid)
		_exit(start_counting(self->device, map_memory(PAGE), 1, 0));
	EXPECT_EQ(0, wait_for(pid));
	EXPECT_LE(1, tracer_calls());
}

TEST_F(fork_locks, not_taken_by_children_that_exec)
{
	fork_many(_metadata, self->device, exec_true, "execute a program");
}

TEST_F(fork_locks, not_taken_by_children_that_sleep)
{
	fork_many(_metadata, self->device, sleep_and_exit, "sleep and exit");
}

TEST_HARNESS_MAIN
