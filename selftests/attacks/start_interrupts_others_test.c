// SPDX-License-Identifier: GPL-2.0-only
/*
 * M5. A loop of START with a timer clock interrupts every processor, those of real-time
 * tasks and isolated ones too, at each call. Here a process on the first processor calls
 * START 10,000 times, while the last one is idle; its function call interrupts (CAL in
 * /proc/interrupts) are counted.
 *
 * A process that has threads interrupts at most the processors where these are.
 *
 * The kernel itself makes a few, as where a worker frees memory. They are no part of a
 * call: less than one for a hundred calls.
 */
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

static void start_often(struct __test_metadata *_metadata,
			struct _test_data_others *self, const char *what)
{
	long before = calls_of(self->last), calls;
	int i;

	if (before < 0)
		SKIP(return, "this architecture does not count them");
	for (i = 0; i < CALLS; i++)
		ASSERT_EQ(0, begin(&self->profile));
	calls = calls_of(self->last) - before;
	ksft_print_msg("%s: %ld interrupts on an idle processor by %d calls\n",
		       what, calls, CALLS);
	EXPECT_GT(CALLS / 100, calls);
}

TEST_F(others, one_thread)
{
	start_often(_metadata, self, "one thread");
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
	start_often(_metadata, self, "a second thread");
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

/*
 * What must stay: a thread that runs on another processor all the time, which the scheduler
 * does not switch, is sampled from the start on.
 */
TEST_F(others, thread_that_runs_is_found)
{
	struct profil_status status;
	clockid_t clock;
	pthread_t thread;
	double used;

	stop(self->profile.fd);
	spinning = 1;
	ASSERT_EQ(0, pthread_create(&thread, NULL, spin, &self->last));
	ASSERT_EQ(0, pthread_getcpuclockid(thread, &clock));
	usleep(10000);
	ASSERT_EQ(0, begin_by(&self->profile, variant->clock, 4000));
	used = clock_seconds(clock);
	usleep(20000);
	status = get_status(self->profile.fd);
	used = clock_seconds(clock) - used;
	spinning = 0;
	pthread_join(thread, NULL);
	/* what another thread has used is known as of its last tick: 10 ms at most */
	ksft_print_msg("%llu of %.0f points of the thread\n",
		       (unsigned long long)status.ticks, 4000 * used);
	EXPECT_LE(4000 * (used - 0.01), status.ticks + 2);
	EXPECT_LT(20, status.ticks);
}

TEST_HARNESS_MAIN
