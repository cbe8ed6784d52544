// SPDX-License-Identifier: GPL-2.0-only
/*
 * START with a timer clock must not interrupt other CPUs, which may be isolated or run real-time
 * tasks. A process on the first CPU calls START 10,000 times while the last CPU is idle. The test
 * counts the function call interrupts of the last CPU.
 *
 * A process with threads interrupts at most the CPUs on which they run.
 *
 * The kernel itself causes a few, for example when it wakes an RCU thread there to free a session.
 * It causes as many with the tick clock, which interrupts no CPU. With a timer clock, there may be
 * one more for ten calls.
 */
#include <sched.h>
#include <signal.h>

#include "kselftest_harness.h"
#include "kernel/interrupts.h"
#include "profile/clock_profile.h"

#define CALLS	10000

FIXTURE(others) {
	struct profile profile;
	char workers[MASK_TEXT];	/* CPUs on which the kernel's workers may run */
	int last;		/* the last CPU */
};

FIXTURE_VARIANT(others) {
	unsigned int clock;
};

FIXTURE_VARIANT_ADD(others, timer) { PROFIL_CLOCK_TIMER };
FIXTURE_VARIANT_ADD(others, random) { PROFIL_CLOCK_RANDOM };

FIXTURE_SETUP(others)
{
	SET_UP_CLOCK_PROFILE(&self->profile);
	self->last = (int)sysconf(_SC_NPROCESSORS_ONLN) - 1;
	if (!self->last)
		SKIP(return, "needs two CPUs");
	if (geteuid())
		SKIP(return, "needs root");
	ASSERT_EQ(0, put_on_cpu(0, 0));
	ASSERT_EQ(0, put_workers_on_first_cpu(self->workers));
	/* the first start attaches the clock (hooks_interrupt_others_test.c) */
	ASSERT_EQ(0, start_with_clock(&self->profile, variant->clock, 1000));
	sleep(1);
}

FIXTURE_TEARDOWN(others)
{
	put_workers_back(self->workers);
	clean_up_clock_profile(&self->profile);
}

static long interrupts_by(struct __test_metadata *_metadata,
			  struct profile *profile, unsigned int clock, int cpu)
{
	long before = calls_of_cpu(cpu);
	int i;

	for (i = 0; i < CALLS; i++)
		EXPECT_EQ(0, start_with_clock(profile, clock, 100));
	return calls_of_cpu(cpu) - before;
}

static void start_often(struct __test_metadata *_metadata,
			struct _test_data_others *self, unsigned int clock)
{
	struct profile *profile = &self->profile;
	long by_tick, calls;

	if (calls_of_cpu(self->last) < 0)
		SKIP(return, "this architecture does not count them");
	by_tick = interrupts_by(_metadata, profile, PROFIL_CLOCK_TICK, self->last);
	calls = interrupts_by(_metadata, profile, clock, self->last);
	ksft_print_msg("%ld interrupts of an idle CPU by %d calls, %ld with the tick clock\n",
		       calls, CALLS, by_tick);
	EXPECT_GT(by_tick + CALLS / 10, calls);
}

TEST_F(others, not_interrupted_by_one_thread)
{
	start_often(_metadata, self, variant->clock);
}

static void *wait_here(void *pipe)
{
	receive_byte(*(int *)pipe);
	return NULL;
}

/* A sleeping thread needs no timer, and a thread on the caller's CPU no interrupt. */
TEST_F(others, not_interrupted_with_sleeping_threads)
{
	pthread_t sleeps;
	int ends[2];

	ASSERT_EQ(0, pipe(ends));
	ASSERT_EQ(0, pthread_create(&sleeps, NULL, wait_here, ends));
	start_often(_metadata, self, variant->clock);
	ASSERT_EQ(0, send_byte(ends[1]));
	pthread_join(sleeps, NULL);
}

static volatile int spinning;

static void *spin(void *cpu)
{
	put_on_cpu(0, *(int *)cpu);
	while (spinning)
		;
	return NULL;
}

/* A thread that runs on another CPU without a switch must be sampled from the start on. */
static void find_spinner(struct __test_metadata *_metadata,
			 struct _test_data_others *self, clockid_t clock)
{
	struct profil_status status;
	double used;

	stop(self->profile.fd);
	usleep(10000);
	self->profile.start.rate = 4000;
	ASSERT_EQ(0, start_profile(&self->profile));
	used = clock_seconds(clock);
	usleep(20000);
	status = get_status(self->profile.fd);
	used = clock_seconds(clock) - used;
	/* the CPU time of another thread is known up to its last tick: 10 ms at most */
	ksft_print_msg("%llu of %.0f samples of the thread\n",
		       (unsigned long long)status.samples, 4000 * used);
	EXPECT_LE(4000 * (used - 0.01), status.samples + 2);
	EXPECT_LT(20, status.samples);
	spinning = 0;
}

TEST_F(others, thread_that_runs_is_found)
{
	clockid_t clock;
	pthread_t thread;

	spinning = 1;
	ASSERT_EQ(0, pthread_create(&thread, NULL, spin, &self->last));
	ASSERT_EQ(0, pthread_getcpuclockid(thread, &clock));
	find_spinner(_metadata, self, clock);
	pthread_join(thread, NULL);
}

static int spin_as_process(void *cpu)
{
	spin(cpu);
	return 0;
}

/* A process that shares the memory is not a thread of the caller. */
TEST_F(others, sharer_that_runs_is_found)
{
	static char stack[65536] __attribute__((aligned(16)));
	clockid_t clock;
	pid_t pid;

	spinning = 1;
	pid = clone(spin_as_process, stack + sizeof(stack), CLONE_VM | SIGCHLD, &self->last);
	ASSERT_GT(pid, 0);
	ASSERT_EQ(0, clock_getcpuclockid(pid, &clock));
	find_spinner(_metadata, self, clock);
	EXPECT_EQ(0, wait_for(pid));
}

TEST_HARNESS_MAIN
