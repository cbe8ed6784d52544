// SPDX-License-Identifier: GPL-2.0-only
/*
 * M5. A loop of START with a timer clock interrupts every processor, those of real-time
 * tasks and isolated ones too, at each call. Here a process on the first processor calls
 * START 10,000 times, while the last one is idle; its function call interrupts (CAL in
 * /proc/interrupts) are counted.
 *
 * A process that has threads interrupts at most the processors where these are.
 *
 * The kernel itself makes a few, as where it wakes a thread of RCU there, that is to free a
 * session: as many with the tick clock, which interrupts nobody. A timer clock may have more
 * by less than one for ten calls.
 */
#include <sched.h>
#include <signal.h>

#include "kselftest_harness.h"
#include "../clocked.h"

#define CALLS	10000
#define WORKERS	"/sys/devices/virtual/workqueue/cpumask"

FIXTURE(others) {
	struct profile profile;
	char workers[64];	/* where the kernel's workers may run */
	int last;		/* processor */
};

FIXTURE_VARIANT(others) {
	unsigned int clock;
};

FIXTURE_VARIANT_ADD(others, timer) { PROFIL_CLOCK_TIMER };
FIXTURE_VARIANT_ADD(others, random) { PROFIL_CLOCK_RANDOM };

FIXTURE_SETUP(others)
{
	FILE *file;

	SET_UP(&self->profile);
	self->last = (int)sysconf(_SC_NPROCESSORS_ONLN) - 1;
	if (!self->last)
		SKIP(return, "wants two processors");
	if (geteuid())
		SKIP(return, "wants to be root");
	ASSERT_EQ(0, put_on_cpu(0, 0));
	file = fopen(WORKERS, "re");
	if (file && !fgets(self->workers, sizeof(self->workers), file))
		self->workers[0] = '\0';
	if (file)
		fclose(file);
	ASSERT_EQ(0, write_text(WORKERS, "1"));
	/* the first one attaches the clock, which interrupts all */
	ASSERT_EQ(0, begin_by(&self->profile, variant->clock, 1000));
	sleep(1);
}

FIXTURE_TEARDOWN(others)
{
	write_text(WORKERS, self->workers);
	clean_up(&self->profile);
}

/* Function call interrupts that a processor has had; -1 if the kernel does not tell. */
static long calls_of(int cpu)
{
	FILE *file = fopen("/proc/interrupts", "re");
	char line[4096], *at;
	long calls = -1;

	while (file && calls < 0 && fgets(line, sizeof(line), file)) {
		at = strstr(line, "CAL:");
		if (!at)
			continue;
		at += strlen("CAL:");
		for (; cpu >= 0; cpu--)
			calls = strtol(at, &at, 10);
	}
	if (file)
		fclose(file);
	return calls;
}

static long interrupts_by(struct __test_metadata *_metadata,
			  struct profile *profile, unsigned int clock, int cpu)
{
	long before = calls_of(cpu);
	int i;

	for (i = 0; i < CALLS; i++)
		EXPECT_EQ(0, begin_by(profile, clock, 100));
	return calls_of(cpu) - before;
}

static void start_often(struct __test_metadata *_metadata,
			struct _test_data_others *self, unsigned int clock)
{
	struct profile *profile = &self->profile;
	long by_tick, calls;

	if (calls_of(self->last) < 0)
		SKIP(return, "this architecture does not count them");
	by_tick = interrupts_by(_metadata, profile, PROFIL_CLOCK_TICK, self->last);
	calls = interrupts_by(_metadata, profile, clock, self->last);
	ksft_print_msg("%ld interrupts on an idle processor by %d calls, %ld by the tick clock's\n",
		       calls, CALLS, by_tick);
	EXPECT_GT(by_tick + CALLS / 10, calls);
}

TEST_F(others, one_thread)
{
	start_often(_metadata, self, variant->clock);
}

static void *wait_here(void *pipe)
{
	await_pass(*(int *)pipe);
	return NULL;
}

/* A thread that sleeps needs no timer, and one on the caller's processor no interrupt. */
TEST_F(others, threads_elsewhere)
{
	pthread_t sleeps;
	int ends[2];

	ASSERT_EQ(0, pipe(ends));
	ASSERT_EQ(0, pthread_create(&sleeps, NULL, wait_here, ends));
	start_often(_metadata, self, variant->clock);
	ASSERT_EQ(0, pass(ends[1]));
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

/* What must stay: the scheduler does not switch it, and it is sampled from the start on. */
static void find_spinner(struct __test_metadata *_metadata,
			 struct _test_data_others *self, clockid_t clock)
{
	struct profil_status status;
	double used;

	stop(self->profile.fd);
	usleep(10000);
	self->profile.start.rate = 4000;
	ASSERT_EQ(0, begin(&self->profile));
	used = clock_seconds(clock);
	usleep(20000);
	status = get_status(self->profile.fd);
	used = clock_seconds(clock) - used;
	/* what another thread has used is known as of its last tick: 10 ms at most */
	ksft_print_msg("%llu of %.0f points of the thread\n",
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

/* A process that shares the memory is one of no thread of the caller's. */
TEST_F(others, sharer_that_runs_is_found)
{
	static char stack[65536] __attribute__((aligned(16)));
	clockid_t clock;
	pid_t pid;

	spinning = 1;
	pid = clone(spin_as_process, stack + sizeof(stack), CLONE_VM | SIGCHLD,
		    &self->last);
	ASSERT_GT(pid, 0);
	ASSERT_EQ(0, clock_getcpuclockid(pid, &clock));
	find_spinner(_metadata, self, clock);
	EXPECT_EQ(0, wait_for(pid));
}

TEST_HARNESS_MAIN
