// SPDX-License-Identifier: GPL-2.0-only
/*
 * Clocks: that each gives the rate that was asked for, wherever the thread is and
 * however short it runs, and that a timer runs only where, and as long as, it is
 * needed. How true the profiles are is for scripts/bench-rate.
 */
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "clocked.h"

static void *burn_thread(void *seconds)
{
	burn(*(double *)seconds);
	return NULL;
}

/* Samples, of those that are due while threads are busy for so long. */
static double share_delivered(struct profile *profile, unsigned int clock,
			      unsigned int rate, int nr_threads, double seconds)
{
	pthread_t threads[4];
	double used;
	int i;

	if (begin_by(profile, clock, rate))
		return -1;
	used = process_seconds();
	for (i = 0; i < nr_threads; i++)
		pthread_create(&threads[i], NULL, burn_thread, &seconds);
	for (i = 0; i < nr_threads; i++)
		pthread_join(threads[i], NULL);
	used = process_seconds() - used;
	ksft_print_msg("%u Hz, %d threads\n", rate, nr_threads);
	return (double)stop(profile->fd).ticks / (rate * used);
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

TEST_F(clock, rates)
{
	struct profile *profile = &self->profile;
	unsigned int clock = variant->clock;

	/*
	 * One more or less of few, at random points; and where a busy host holds
	 * up the exit of a thread, what was due then.
	 */
	EXPECT_SHARE(0.84, 1.16, share_delivered(profile, clock, 10, 1, 2));
	EXPECT_SHARE(0.94, 1.06, share_delivered(profile, clock, 97, 2, 1));
	EXPECT_SHARE(0.94, 1.06, share_delivered(profile, clock, 250, 4, 0.5));
	EXPECT_SHARE(0.94, 1.06, share_delivered(profile, clock, 1000, 1, 1));
	EXPECT_SHARE(0.94, 1.06, share_delivered(profile, clock, 1000, 4, 0.5));
	EXPECT_SHARE(0.9, 1.1, share_delivered(profile, clock, 4000, 2, 0.5));
}

/* The same after a start that finds threads at work on other processors. */
static double share_of_running_threads(struct profile *profile,
				       unsigned int clock)
{
	double seconds = 0.6, used;
	pthread_t threads[2];
	int i, error;

	for (i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, burn_thread, &seconds);
	usleep(100000);
	/* not before: to attach the clock may take long, and is not profiled */
	error = begin_by(profile, clock, 1000);
	used = process_seconds();
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	used = process_seconds() - used;
	return error ? -1 : (double)stop(profile->fd).ticks / (1000 * used);
}

TEST_F(clock, threads_that_run_already)
{
	EXPECT_SHARE(0.9, 1.1, share_of_running_threads(&self->profile,
							variant->clock));
}

/* Turns of a tenth of the period and less get their share, if they never sleep. */
static void *yield_often(void *data)
{
	double begin = thread_seconds();

	while (thread_seconds() < begin + 0.7)
		sched_yield();
	if (data)
		*(double *)data = thread_seconds() - begin;
	return NULL;
}

/* ... and those that they take turns with, of another process, get none. */
static double share_beside_a_process(struct profile *profile, unsigned int clock)
{
	pthread_t thread;
	double used;
	pid_t other;
	int error;

	/* not profiled: it is forked before */
	other = fork();
	if (!other) {
		yield_often(NULL);
		yield_often(NULL);
		_exit(0);
	}
	error = begin_by(profile, clock, 1000);
	used = process_seconds();
	pthread_create(&thread, NULL, yield_often, NULL);
	pthread_join(thread, NULL);
	used = process_seconds() - used;
	kill(other, SIGKILL);
	wait_for(other);
	return error ? -1 : (double)stop(profile->fd).ticks / (1000 * used);
}

/* ... or another thread of the same process, where one alone is profiled. */
static double share_beside_a_thread(struct profile *profile, unsigned int clock)
{
	pthread_t thread;
	double used;
	int error;

	profile->start.flags = PROFIL_THREAD_ONLY;
	error = begin_by(profile, clock, 1000);
	pthread_create(&thread, NULL, yield_often, NULL);
	yield_often(&used);
	pthread_join(thread, NULL);
	return error ? -1 : (double)stop(profile->fd).ticks / (1000 * used);
}

TEST_F(clock, turns_shorter_than_the_period)
{
	ASSERT_EQ(0, put_on_cpu(0, 0));
	EXPECT_SHARE(0.9, 1.1, share_beside_a_process(&self->profile,
						      variant->clock));
	EXPECT_SHARE(0.9, 1.1, share_beside_a_thread(&self->profile,
						     variant->clock));
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

/*
 * A thread alone on a processor that has no tick then (nohz_full=1): sampled like any
 * other, by the tick's clock too.
 */
TEST_F(clock, processor_without_tick)
{
	struct profile *profile = &self->profile;
	unsigned int hz = get_info(profile->fd).tick_hz;
	long before;

	if (number_in("/sys/devices/system/cpu/nohz_full", "") != 1)
		SKIP(return, "wants the kernel parameters nohz_full=1 isolcpus=1");
	ASSERT_EQ(0, put_on_cpu(0, 1));
	EXPECT_SHARE(0.9, 1.1, share_delivered(profile, PROFIL_CLOCK_TICK, hz,
					       1, 1));
	EXPECT_SHARE(0.9, 1.1, share_delivered(profile, PROFIL_CLOCK_TICK, 97,
					       1, 2));
	EXPECT_SHARE(0.9, 1.1, share_delivered(profile, variant->clock, 10,
					       1, 4));
	EXPECT_SHARE(0.9, 1.1, share_delivered(profile, variant->clock, 1000,
					       1, 1));
	/* the tick is not brought back for it: it would come hz times */
	ASSERT_EQ(0, begin_by(profile, PROFIL_CLOCK_TICK, 10));
	burn(0.5);
	before = interrupts(1);
	burn(2);
	before = interrupts(1) - before;
	ksft_print_msg("%ld interrupts in 2 s\n", before);
	EXPECT_GT(hz, before);
}

static double share_of_forked(struct __test_metadata *_metadata,
			      struct profile *profile, __u32 clock)
{
	struct profil_status *status = map_shared(sizeof(*status));
	pid_t pid;

	ASSERT_EQ(0, begin_by(profile, clock, 1000));
	pid = fork();
	if (!pid) {
		burn(0.3);
		*status = get_status(profile->fd);
		_exit(0);
	}
	EXPECT_EQ(0, wait_for(pid));
	EXPECT_EQ(clock, status->clock);
	EXPECT_EQ(0, status->lost);
	return (double)status->counted / 300;
}

TEST_F(clock, forked_child)
{
	EXPECT_SHARE(0.75, 1.25, share_of_forked(_metadata, &self->profile,
						 variant->clock));
}

/* Interrupts of the two CPUs while this thread runs. */
static void count_interrupts(long nr[2])
{
	long before[2];
	int cpu;

	for (cpu = 0; cpu < 2; cpu++)
		before[cpu] = interrupts(cpu);
	burn(0.5);
	for (cpu = 0; cpu < 2; cpu++)
		nr[cpu] = interrupts(cpu) - before[cpu];
}

/* It runs where the profiled thread is, and lapses where that is no longer. */
TEST_F(clock, no_interrupt_elsewhere)
{
	long with[2], without[2];

	if (interrupts(1) < 0)
		SKIP(return, "wants two processors");
	ASSERT_EQ(0, put_on_cpu(0, 0));
	count_interrupts(without);
	ASSERT_EQ(0, begin_by(&self->profile, variant->clock,
			      8 * self->profile.hz));
	count_interrupts(with);
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
		nr += strstr(line, "profil_timer_fire") != NULL;
	if (file)
		fclose(file);
	return nr;
}

/* The same, once those have lapsed that come to their next points. */
static int armed_at_last(void)
{
	int i;

	for (i = 0; i < 600 && armed(); i++)
		usleep(50000);
	return armed();
}

/*
 * That there is one, by the profiled thread itself. While it looks it may be carried from
 * one processor to another, past the list that it is just in.
 */
static bool is_armed(void)
{
	int i;

	for (i = 0; i < 100; i++)
		if (armed())
			return true;
	return false;
}

/* Looked at by one who is not profiled, while those who are sleep. */
TEST_F(clock, no_timer_while_asleep)
{
	int *nr = map_shared(sizeof(*nr));
	int pipes[2];
	bool found;
	pid_t pid;

	if (geteuid())
		SKIP(return, "timers are shown to root only");
	ASSERT_EQ(0, pipe(pipes));
	pid = fork();
	if (!pid) {
		if (await_pass(pipes[0]))
			_exit(1);
		*nr = armed_at_last();
		_exit(0);
	}
	ASSERT_EQ(0, begin_by(&self->profile, variant->clock, 1000));
	burn(0.1);
	found = is_armed();
	EXPECT_TRUE(found);
	ASSERT_EQ(0, pass(pipes[1]));
	EXPECT_EQ(0, wait_for(pid));
	EXPECT_EQ(0, *nr);
	EXPECT_EQ(PROFIL_STATE_RUNNING, stop(self->profile.fd).state);
}

#define CPU1_ONLINE	"/sys/devices/system/cpu/cpu1/online"

/* Of threads that are moved away from a processor that goes, and back, at times. */
static double share_on_changing_processors(struct profile *profile,
					   unsigned int clock)
{
	double seconds = 1, used;
	pthread_t threads[2];
	int i, error;

	error = begin_by(profile, clock, 250);
	used = process_seconds();
	for (i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, burn_thread, &seconds);
	for (i = 0; i < 6; i++) {
		usleep(100000);
		write_text(CPU1_ONLINE, i % 2 ? "1" : "0");
	}
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	used = process_seconds() - used;
	return error ? -1 : (double)stop(profile->fd).ticks / (250 * used);
}

TEST_F(clock, processor_that_goes_and_comes)
{
	struct profile *profile = &self->profile;

	if (write_text(CPU1_ONLINE, "1"))
		SKIP(return, "wants a second processor, and to be root");
	EXPECT_SHARE(0.9, 1.1, share_on_changing_processors(profile,
							    variant->clock));
	if (get_info(profile->fd).tick_hz >= 250)
		EXPECT_SHARE(0.9, 1.1,
			     share_on_changing_processors(profile,
							  PROFIL_CLOCK_TICK));
	EXPECT_EQ(0, armed_at_last());
}

/*
 * How many timers are armed, a while after processor 1 has gone with one whose next point
 * was still to come. On the other, profiled threads are there all the time.
 */
static int armed_after_a_processor_went(struct profile *profile,
					unsigned int clock, void *code)
{
	struct one_pc one;
	cpu_set_t cpu_0;
	int nr, i;

	if (begin_by(profile, clock, 2))
		return -1;
	/* a thread begins where its maker is */
	if (put_on_cpu(0, 1) || enter_pc(&one, code))
		return -1;
	put_on_cpu(0, 0);
	burn(0.01);
	write_text(CPU1_ONLINE, "0");
	CPU_ZERO(&cpu_0);
	CPU_SET(0, &cpu_0);
	pthread_setaffinity_np(one.thread, sizeof(cpu_0), &cpu_0);
	/* points are up to two periods apart; the two take turns */
	burn(0.6);
	nr = armed();
	for (i = 0; i < 5 && nr > 1; i++) {
		burn(0.1);
		nr = armed();
	}
	leave_pc(&one);
	write_text(CPU1_ONLINE, "1");
	stop(profile->fd);
	return nr;
}

/* A timer that was set when its processor went is no timer of another one's. */
TEST_F(clock, timer_carried_away)
{
	void *code = map_code(PAGE);
	int i, nr;

	ASSERT_NE(MAP_FAILED, code);
	if (write_text(CPU1_ONLINE, "1"))
		SKIP(return, "wants a second processor, and to be root");
	/* some may find nobody at their point, and lapse for that */
	for (i = 0; i < 4; i++) {
		nr = armed_after_a_processor_went(&self->profile,
						  variant->clock, code);
		EXPECT_LE(0, nr);
		EXPECT_GE(1, nr);
	}
}

#define SESSIONS	1000

/* A process with a profile, until it is told to end it. */
static pid_t fork_profiled(struct profile *profile, unsigned int clock,
			   unsigned int rate, const int *ready, const int *go)
{
	pid_t pid = fork();
	char byte;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(go[1]);
	byte = (char)begin_by(profile, clock, rate);
	if (write(ready[1], &byte, 1) != 1 || read(go[0], &byte, 1) != 1)
		_exit(1);
	/* one in two by a call, the others by their end */
	if (rate % 2)
		stop(profile->fd);
	_exit(0);
}

TEST_F(clock, no_timer_is_left)
{
	pid_t pids[SESSIONS];
	int ready[2], go[SESSIONS][2], i, k;
	char byte;

	if (geteuid())
		SKIP(return, "timers are shown to root only");
	ASSERT_EQ(0, pipe(ready));
	for (i = 0; i < SESSIONS; i++) {
		ASSERT_EQ(0, pipe2(go[i], O_CLOEXEC));
		pids[i] = fork_profiled(&self->profile, variant->clock,
					(unsigned int)i + 1, ready, go[i]);
		ASSERT_LT(0, pids[i]);
		close(go[i][0]);
		ASSERT_EQ(1, read(ready[0], &byte, 1));
		ASSERT_EQ(0, byte);
	}
	/* each once, in an order of its own */
	for (i = 0, k = 0; i < SESSIONS; i++, k = (k + 617) % SESSIONS) {
		ASSERT_EQ(1, write(go[k][1], "", 1));
		EXPECT_EQ(0, wait_for(pids[k]));
		close(go[k][1]);
	}
	EXPECT_EQ(0, armed_at_last());
}

/* One at a time, each in place of the last. */
TEST_F(clock, no_timer_is_left_by_replaced_ones)
{
	int i;

	if (geteuid())
		SKIP(return, "timers are shown to root only");
	ASSERT_EQ(0, begin_by(&self->profile, variant->clock, 100));
	EXPECT_TRUE(is_armed());
	for (i = 1; i <= 1000; i++) {
		ASSERT_EQ(0, begin_by(&self->profile, variant->clock,
				   (unsigned int)i));
		if (i % 3 == 0)
			stop(self->profile.fd);
	}
	stop(self->profile.fd);
	EXPECT_EQ(0, armed_at_last());
}

#define READ_BYTES	((size_t)8 << 20)

static void work_in_user_mode(double seconds)
{
	loop(seconds * loops_per_second);
}

static void work_in_the_kernel(double seconds)
{
	double end = thread_seconds() + seconds;
	int zeroes = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	char *to_fill = map_memory(READ_BYTES);

	while (thread_seconds() < end &&
	       read(zeroes, to_fill, READ_BYTES) == (ssize_t)READ_BYTES)
		;
	munmap(to_fill, READ_BYTES);
	close(zeroes);
}

/*
 * All points of some work count, or none. Of 500 points, a stretch on the CPU has two
 * more or less, and ticks and system calls are in the other mode for less than a
 * hundredth of the time.
 */
static void expect_mode(struct __test_metadata *_metadata,
			struct profile *profile, unsigned int clock,
			void (*work)(double), unsigned int flags, bool all)
{
	double used, due;

	profile->start.flags = flags;
	ASSERT_EQ(0, begin_by(profile, clock, 1000));
	used = thread_seconds();
	work(0.5);
	used = thread_seconds() - used;
	due = all ? 1000 * used : 0;
	used = (double)stop(profile->fd).ticks;
	ksft_print_msg("flags %#x: %.0f points, %.1f due\n", flags, used, due);
	EXPECT_LE(due - 5, used);
	EXPECT_GE(due + 5, used);
}

/* In which mode a point finds the thread. */
TEST_F(clock, modes)
{
	struct profile *profile = &self->profile;
	unsigned int clock = variant->clock;

	expect_mode(_metadata, profile, clock, work_in_user_mode,
		    PROFIL_USER_ONLY, true);
	expect_mode(_metadata, profile, clock, work_in_user_mode,
		    PROFIL_KERNEL_ONLY, false);
	expect_mode(_metadata, profile, clock, work_in_the_kernel,
		    PROFIL_USER_ONLY, false);
	expect_mode(_metadata, profile, clock, work_in_the_kernel,
		    PROFIL_KERNEL_ONLY, true);
}

TEST_HARNESS_MAIN
