// SPDX-License-Identifier: GPL-2.0-only
/*
 * Clocks: that each gives the rate that was asked for, wherever the thread is and
 * however short it runs; who may ask for what; and that a timer runs only where, and
 * as long as, it is needed. How true the profiles are is for scripts/bench-rate.
 */
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "child.h"
#include "files.h"
#include "kselftest_harness.h"

#define PARAMETERS	"/sys/module/profil/parameters/"

/* A profile of the whole process in one counter. */
struct profile {
	int fd;
	uint64_t *counter;
	struct profil_region region;
	struct profil_start start;
};

/* Without the guard, which emulation would keep busy. */
#define SET_UP(profile)							\
	do {								\
		REQUIRE_DEVICE((profile)->fd);				\
		ASSERT_TRUE(get_info((profile)->fd).features &		\
			    PROFIL_FEATURE_CLOCKS);			\
		(profile)->counter = map_memory(PAGE);			\
		ASSERT_NE(MAP_FAILED, (profile)->counter);		\
		write_text(PARAMETERS "max_cpu_percent", "100");	\
		count_all(&(profile)->start, &(profile)->region,	\
			  (profile)->counter, 64, 100);			\
	} while (0)

static void clean_up(struct profile *profile)
{
	stop(profile->fd);
	write_text(PARAMETERS "max_cpu_percent", "5");
	write_text(PARAMETERS "max_rate", "4000");
	close(profile->fd);
}

static int begin(struct profile *profile, unsigned int clock, unsigned int rate)
{
	profile->start.clock = clock;
	profile->start.rate = rate;
	return call(profile->fd, PROFIL_IOC_START, &profile->start);
}

static void *burn_thread(void *seconds)
{
	burn(*(double *)seconds);
	return NULL;
}

/* Samples, of those that are due while threads are busy for so long. */
static double delivered(struct profile *profile, int nr_threads, double seconds)
{
	pthread_t threads[4];
	double used = process_seconds();
	struct profil_status status;
	int i;

	for (i = 0; i < nr_threads; i++)
		pthread_create(&threads[i], NULL, burn_thread, &seconds);
	for (i = 0; i < nr_threads; i++)
		pthread_join(threads[i], NULL);
	used = process_seconds() - used;
	status = stop(profile->fd);
	return (double)status.ticks / (profile->start.rate * used);
}

FIXTURE(clock) {
	struct profile profile;
};

FIXTURE_VARIANT(clock) {
	unsigned int clock;
};

FIXTURE_SETUP(clock)
{
	SET_UP(&self->profile);
}

FIXTURE_TEARDOWN(clock)
{
	clean_up(&self->profile);
}

FIXTURE_VARIANT_ADD(clock, timer) { PROFIL_CLOCK_TIMER };
FIXTURE_VARIANT_ADD(clock, random) { PROFIL_CLOCK_RANDOM };

#define EXPECT_DELIVERED(rate, threads, seconds, tolerance)		\
	do {								\
		double got;						\
									\
		ASSERT_EQ(0, begin(&self->profile, variant->clock,	\
				   rate));				\
		got = delivered(&self->profile, threads, seconds);		\
		ksft_print_msg("%d Hz, %d threads: %.4f\n", rate,	\
			       threads, got);				\
		EXPECT_LT(1 - (tolerance), got);			\
		EXPECT_GT(1 + (tolerance), got);			\
	} while (0)

TEST_F_TIMEOUT(clock, rates, 120)
{
	/*
	 * One more or less of few, at random points; and where a busy host holds
	 * up the exit of a thread, what was due then.
	 */
	EXPECT_DELIVERED(10, 1, 2, 0.16);
	EXPECT_DELIVERED(97, 2, 1, 0.06);
	EXPECT_DELIVERED(250, 4, 0.5, 0.06);
	EXPECT_DELIVERED(1000, 1, 1, 0.06);
	EXPECT_DELIVERED(1000, 4, 0.5, 0.06);
	EXPECT_DELIVERED(4000, 2, 0.5, 0.15);
}

/* The same after a start that finds threads at work on other processors. */
TEST_F(clock, threads_that_run_already)
{
	double seconds = 0.6, used;
	pthread_t threads[2];
	int i;

	for (i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, burn_thread, &seconds);
	usleep(100000);
	used = process_seconds();
	ASSERT_EQ(0, begin(&self->profile, variant->clock, 1000));
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	used = process_seconds() - used;
	used = (double)stop(self->profile.fd).ticks / (1000 * used);
	/* what a thread uses after its last switch, to exit, is not sampled */
	EXPECT_LT(0.85, used);
	EXPECT_GT(1.1, used);
}

/* Bursts of a tenth of the period and less get their share, if they never sleep. */
static void *yield_often(void *data)
{
	double end = thread_seconds() + 0.7;

	(void)data;
	while (thread_seconds() < end)
		sched_yield();
	return NULL;
}

TEST_F(clock, turns_shorter_than_the_period)
{
	cpu_set_t one;
	pthread_t thread;
	pid_t other;
	double used, share;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(one), &one));
	/* not profiled: it is forked before */
	other = fork();
	if (!other) {
		yield_often(NULL);
		yield_often(NULL);
		_exit(0);
	}
	used = process_seconds();
	ASSERT_EQ(0, begin(&self->profile, variant->clock, 1000));
	ASSERT_EQ(0, pthread_create(&thread, NULL, yield_often, NULL));
	pthread_join(thread, NULL);
	used = process_seconds() - used;
	share = (double)stop(self->profile.fd).ticks / (1000 * used);
	kill(other, SIGKILL);
	wait_for(other);
	ksft_print_msg("counted / expected = %.4f\n", share);
	EXPECT_LT(0.8, share);
	EXPECT_GT(1.2, share);
}

TEST_F(clock, forked_child)
{
	struct profil_status *status = map_shared(sizeof(*status));
	pid_t pid;

	ASSERT_EQ(0, begin(&self->profile, variant->clock, 1000));
	pid = fork();
	if (!pid) {
		burn(0.3);
		*status = get_status(self->profile.fd);
		_exit(0);
	}
	EXPECT_EQ(0, wait_for(pid));
	EXPECT_EQ(variant->clock, status->clock);
	EXPECT_LT(220, status->counted);
	EXPECT_GT(380, status->counted);
	EXPECT_EQ(0, status->lost);
}

/* Local timer interrupts of a processor so far; -1 if they are not to be had. */
static long interrupts(int cpu)
{
	FILE *file = fopen("/proc/interrupts", "re");
	long counts[2] = { -1, -1 };
	char line[1024];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, " LOC: %ld %ld", &counts[0], &counts[1]) > 0)
			break;
	if (file)
		fclose(file);
	return counts[cpu];
}

/* It runs where the profiled thread is, and lapses where that is no longer. */
TEST_F(clock, no_interrupt_elsewhere)
{
	long with[2], without[2], before[2];
	cpu_set_t one;
	int cpu;

	if (interrupts(1) < 0)
		SKIP(return, "wants two processors");
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(one), &one));
	for (cpu = 0; cpu < 2; cpu++)
		before[cpu] = interrupts(cpu);
	burn(0.5);
	for (cpu = 0; cpu < 2; cpu++)
		without[cpu] = interrupts(cpu) - before[cpu];
	ASSERT_EQ(0, begin(&self->profile, variant->clock, 2000));
	for (cpu = 0; cpu < 2; cpu++)
		before[cpu] = interrupts(cpu);
	burn(0.5);
	for (cpu = 0; cpu < 2; cpu++)
		with[cpu] = interrupts(cpu) - before[cpu];
	ksft_print_msg("interrupts without, with: %ld, %ld on CPU 0, %ld, %ld on CPU 1\n",
		       without[0], with[0], without[1], with[1]);
	/* late ones come as one */
	EXPECT_LT(without[0] + 20, with[0]);
	EXPECT_GT(without[1] + 100, with[1]);
}

/* Timers of ours that are armed, on the whole machine. */
static int armed(void)
{
	FILE *file = fopen("/proc/timer_list", "re");
	char line[256];
	int nr = 0;

	while (file && fgets(line, sizeof(line), file))
		nr += strstr(line, "[profil]") != NULL;
	if (file)
		fclose(file);
	return nr;
}

TEST_F_TIMEOUT(clock, no_timer_is_left, 120)
{
	int i;

	if (geteuid())
		SKIP(return, "timers are shown to root only");
	ASSERT_EQ(0, begin(&self->profile, variant->clock, 100));
	EXPECT_LT(0, armed());
	for (i = 1; i <= 1000; i++) {
		ASSERT_EQ(0, begin(&self->profile, variant->clock, (unsigned int)i));
		if (i % 3 == 0)
			stop(self->profile.fd);
	}
	stop(self->profile.fd);
	/* lapses at its next point */
	for (i = 0; i < 100 && armed(); i++)
		usleep(50000);
	EXPECT_EQ(0, armed());
}

/* Who may have which rate, and the three views of CPU time. */
FIXTURE(rate) {
	struct profile profile;
};

FIXTURE_SETUP(rate)
{
	SET_UP(&self->profile);
}

FIXTURE_TEARDOWN(rate)
{
	clean_up(&self->profile);
}

TEST_F(rate, clock_of_ones_own)
{
	struct profile *profile = &self->profile;
	unsigned int hz = get_info(profile->fd).tick_hz;

	ASSERT_EQ(0, begin(profile, PROFIL_CLOCK_AUTO, hz));
	EXPECT_EQ(PROFIL_CLOCK_TICK, get_status(profile->fd).clock);
	ASSERT_EQ(0, begin(profile, PROFIL_CLOCK_AUTO, hz + 1));
	EXPECT_EQ(PROFIL_CLOCK_RANDOM, get_status(profile->fd).clock);
	EXPECT_EQ(hz + 1, get_status(profile->fd).rate);
}

/* Nothing is counted twice, nor long after, when another clock takes over. */
TEST_F(rate, one_clock_after_the_other)
{
	static const unsigned int clocks[] = {
		PROFIL_CLOCK_TICK, PROFIL_CLOCK_TIMER, PROFIL_CLOCK_RANDOM,
	};
	struct profile *profile = &self->profile;
	double used = process_seconds(), share;
	int i;

	for (i = 0; i < 30; i++) {
		ASSERT_EQ(0, begin(profile, clocks[i % 3], 200));
		burn(0.03);
	}
	used = process_seconds() - used;
	stop(profile->fd);
	share = (double)*profile->counter / (200 * used);
	ksft_print_msg("counted / expected = %.4f\n", share);
	EXPECT_LT(0.8, share);
	EXPECT_GT(1.2, share);
}

TEST_F(rate, limit_for_users)
{
	struct profile *profile = &self->profile;
	pid_t pid;

	if (geteuid())
		SKIP(return, "wants to be root");
	EXPECT_EQ(20000, get_info(profile->fd).max_rate);
	EXPECT_EQ(0, begin(profile, PROFIL_CLOCK_TIMER, 20000));
	EXPECT_EQ(EINVAL, begin(profile, PROFIL_CLOCK_TIMER, 20001));
	ASSERT_EQ(0, write_text(PARAMETERS "max_rate", "500"));
	pid = fork();
	if (!pid) {
		int fd;

		/* still opened as root: what counts is who calls */
		if (become_user(12345, 16))
			_exit(100);
		fd = profile->fd;
		if (get_info(fd).max_rate != 500)
			_exit(101);
		if (begin(profile, PROFIL_CLOCK_RANDOM, 500))
			_exit(102);
		if (begin(profile, PROFIL_CLOCK_RANDOM, 501) != EPERM)
			_exit(103);
		/* a refused one leaves the earlier one */
		_exit(get_status(fd).rate != 500);
	}
	EXPECT_EQ(0, wait_for(pid));
	/* the tick's own rate costs nothing, so nobody is refused that */
	ASSERT_EQ(0, write_text(PARAMETERS "max_rate", "1"));
	pid = fork();
	if (!pid) {
		unsigned int hz = get_info(profile->fd).tick_hz;

		if (become_user(12345, 16))
			_exit(100);
		_exit(begin(profile, PROFIL_CLOCK_TICK, hz));
	}
	EXPECT_EQ(0, wait_for(pid));
}

/* Under emulation a sample takes far more than the share of a CPU that is let. */
TEST_F(rate, lowered_by_the_guard)
{
	struct profile *profile = &self->profile;
	struct profil_status status;

	if (geteuid())
		SKIP(return, "wants to be root");
	ASSERT_EQ(0, write_text(PARAMETERS "max_cpu_percent", "0"));
	ASSERT_EQ(0, begin(profile, PROFIL_CLOCK_TIMER, 20000));
	burn(0.5);
	status = stop(profile->fd);
	EXPECT_GT(20000, status.rate);
	EXPECT_LE(get_info(profile->fd).tick_hz, status.rate);
	EXPECT_GT(5000, status.ticks);
	/* when the last of them has ended, all are as they were */
	sleep(2);
	ASSERT_EQ(0, write_text(PARAMETERS "max_cpu_percent", "100"));
	ASSERT_EQ(0, begin(profile, PROFIL_CLOCK_TIMER, 20000));
	EXPECT_EQ(20000, get_status(profile->fd).rate);
}

/* User and kernel mode are all there is. */
TEST_F(rate, three_views)
{
	static const uint32_t views[] = {
		0, PROFIL_USER_ONLY, PROFIL_KERNEL_ONLY,
	};
	struct profile *profile = &self->profile;
	double shares[3], used, end;
	int i, k;

	for (i = 0; i < 3; i++) {
		profile->start.flags = views[i];
		ASSERT_EQ(0, begin(profile, PROFIL_CLOCK_RANDOM, 1000));
		used = thread_seconds();
		for (end = used + 0.5; thread_seconds() < end;)
			for (k = 0; k < 1000; k++)
				syscall(SYS_getppid);
		used = thread_seconds() - used;
		shares[i] = (double)stop(profile->fd).ticks / (1000 * used);
	}
	ksft_print_msg("all %.3f, user %.3f, kernel %.3f\n", shares[0],
		       shares[1], shares[2]);
	EXPECT_LT(0.85, shares[0]);
	EXPECT_GT(1.15, shares[0]);
	EXPECT_LT(0.05, shares[1]);
	EXPECT_LT(0.2, shares[2]);
	EXPECT_LT(shares[0] - 0.2, shares[1] + shares[2]);
	EXPECT_GT(shares[0] + 0.2, shares[1] + shares[2]);
}

TEST_HARNESS_MAIN
