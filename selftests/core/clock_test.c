// SPDX-License-Identifier: GPL-2.0-only
/*
 * Clocks: that each gives the rate that was asked for, wherever the thread is and
 * however short it runs, and that a timer runs only where, and as long as, it is
 * needed. How true the profiles are is for scripts/bench/rate.
 */
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "clock_profile.h"
#include "expect_count.h"

/*
 * CPU time around the calls: a profile counts from some time within its start to some
 * time within its stop.
 */
struct span {
	double before, begin, end, after;
	long preempted;
	struct profil_status status;
};

static void begin_span(struct __test_metadata *_metadata, struct profile *profile,
		       struct span *span, unsigned int clock, unsigned int rate)
{
	span->preempted = preemptions();
	span->before = process_seconds();
	ASSERT_EQ(0, start_with_clock(profile, clock, rate));
	span->begin = process_seconds();
}

/*
 * In one stretch there are the points of all periods that it has in whole. An even clock
 * has one point more or less in the two parts of periods at its ends; a random one has
 * two.
 */
static void end_span(struct __test_metadata *_metadata, struct profile *profile,
		     struct span *span, int stretches)
{
	double rate = profile->start.rate;
	int ends;

	span->end = process_seconds();
	span->status = stop(profile->fd);
	span->after = process_seconds();
	span->preempted = preemptions() - span->preempted;
	ends = span->status.clock == PROFIL_CLOCK_RANDOM ? 2 : 1;
	EXPECT_EQ(rate, span->status.rate);
	EXPECT_COUNT_IN(span->status.samples, rate * (span->end - span->begin),
			rate * (span->after - span->before),
			ends * stretches + preemption_allowance(span->preempted));
}

struct burner {
	pthread_t thread;
	int cpu;
	double seconds;
};

static void *burn_on_cpu(void *data)
{
	struct burner *burner = data;

	put_on_cpu(0, burner->cpu);
	burn(burner->seconds);
	return NULL;
}

/*
 * Threads that are busy for so long, on all CPUs or on one. They take a CPU over from
 * each other: each CPU has one stretch, and this thread has two.
 */
static void see_delivered(struct __test_metadata *_metadata, struct profile *profile,
			  unsigned int clock, unsigned int rate, int nr_threads,
			  double seconds)
{
	int i, cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	struct burner burners[4];
	struct span span;

	begin_span(_metadata, profile, &span, clock, rate);
	for (i = 0; i < nr_threads; i++) {
		burners[i] = (struct burner) { .cpu = i % cpus, .seconds = seconds };
		ASSERT_EQ(0, pthread_create(&burners[i].thread, NULL, burn_on_cpu,
					    &burners[i]));
	}
	for (i = 0; i < nr_threads; i++)
		pthread_join(burners[i].thread, NULL);
	end_span(_metadata, profile, &span, (nr_threads < cpus ? nr_threads : cpus) + 2);
}

FIXTURE(clock) {
	struct profile profile;
};

FIXTURE_VARIANT(clock) {
	unsigned int clock;
};

FIXTURE_SETUP(clock)
{
	SET_UP_CLOCK_PROFILE(&self->profile);
}

FIXTURE_TEARDOWN(clock)
{
	clean_up_clock_profile(&self->profile);
}

FIXTURE_VARIANT_ADD(clock, timer) { PROFIL_CLOCK_TIMER };
FIXTURE_VARIANT_ADD(clock, random) { PROFIL_CLOCK_RANDOM };

TEST_F(clock, rates)
{
	struct profile *profile = &self->profile;
	unsigned int clock = variant->clock;

	/* the first start attaches the clock, which takes many ticks */
	ASSERT_EQ(0, start_with_clock(profile, clock, 10));
	see_delivered(_metadata, profile, clock, 10, 1, 1);
	see_delivered(_metadata, profile, clock, 97, 2, 0.25);
	see_delivered(_metadata, profile, clock, 1000, 4, 0.1);
	see_delivered(_metadata, profile, clock, 4000, 2, 0.1);
}

/* The same after a start that finds threads at work, also on other processors. */
TEST_F(clock, threads_that_run_already)
{
	struct burner burners[2];
	struct span span;
	int i;

	for (i = 0; i < 2; i++) {
		burners[i] = (struct burner) {
			.cpu = i % (int)sysconf(_SC_NPROCESSORS_ONLN), .seconds = 0.2,
		};
		ASSERT_EQ(0, pthread_create(&burners[i].thread, NULL, burn_on_cpu,
					    &burners[i]));
	}
	usleep(10000);
	begin_span(_metadata, &self->profile, &span, variant->clock, 1000);
	for (i = 0; i < 2; i++)
		pthread_join(burners[i].thread, NULL);
	end_span(_metadata, &self->profile, &span, 2 + 2);
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

	if (read_number("/sys/devices/system/cpu/nohz_full", "") != 1)
		SKIP(return, "wants the kernel parameters nohz_full=1 isolcpus=1");
	ASSERT_EQ(0, put_on_cpu(0, 1));
	see_delivered(_metadata, profile, PROFIL_CLOCK_TICK, hz, 2, 0.25);
	see_delivered(_metadata, profile, PROFIL_CLOCK_TICK, 97, 2, 0.25);
	see_delivered(_metadata, profile, variant->clock, 10, 2, 0.5);
	see_delivered(_metadata, profile, variant->clock, 1000, 2, 0.25);
	/* the tick is not brought back for it: it would come hz times */
	ASSERT_EQ(0, start_with_clock(profile, PROFIL_CLOCK_TICK, 10));
	burn(0.1);
	before = interrupts(1);
	burn(0.5);
	before = interrupts(1) - before;
	ksft_print_msg("%ld interrupts in 0.5 s\n", before);
	EXPECT_GT(hz / 2, before);
}

/* The child may migrate once. */
TEST_F(clock, forked_child)
{
	struct span *span = map_shared(sizeof(*span));
	struct profile *profile = &self->profile;
	unsigned int clock = variant->clock;
	pid_t pid;

	ASSERT_EQ(0, start_with_clock(profile, clock, 1000));
	pid = fork();
	if (!pid) {
		burn(0.1);
		end_span(_metadata, profile, span, 2);
		_exit(!__test_passed(_metadata));
	}
	EXPECT_EQ(0, wait_for(pid));
	EXPECT_EQ(clock, span->status.clock);
	EXPECT_EQ(0, span->status.lost);
	EXPECT_EQ(span->status.samples, span->status.counted);
}

/* Interrupts of the two CPUs while this thread runs. Return: for how long, at least. */
static double count_interrupts(long nr[2])
{
	long before[2];
	double used;
	int cpu;

	for (cpu = 0; cpu < 2; cpu++)
		before[cpu] = interrupts(cpu);
	used = thread_seconds();
	burn(0.2);
	used = thread_seconds() - used;
	for (cpu = 0; cpu < 2; cpu++)
		nr[cpu] = interrupts(cpu) - before[cpu];
	return used;
}

/*
 * It runs where the profiled thread is, and lapses where that is no longer. Each point is
 * an interrupt, which may be the tick's as well.
 */
TEST_F(clock, no_interrupt_elsewhere)
{
	unsigned int rate = 8 * self->profile.hz;
	long with[2], without[2];
	double points;

	if (interrupts(1) < 0)
		SKIP(return, "wants two processors");
	ASSERT_EQ(0, put_on_cpu(0, 0));
	count_interrupts(without);
	ASSERT_EQ(0, start_with_clock(&self->profile, variant->clock, rate));
	points = rate * count_interrupts(with);
	ksft_print_msg("interrupts without, with: %ld, %ld on CPU 0, %ld, %ld on CPU 1; %.1f points\n",
		       without[0], with[0], without[1], with[1], points);
	EXPECT_LE(points - 2, with[0]);
	EXPECT_GT(points / 2, with[1]);
}

/* Timers of ours that are armed on the whole machine, as one look shows them. */
static int armed_in_a_look(void)
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

/*
 * The mean of nine looks, rounded. The kernel unlocks a queue of timers between two
 * lines, and finds its place again by number: it skips or repeats a timer if an earlier
 * one leaves the queue or comes to it just then, which spoils one look or two.
 */
static int armed(void)
{
	int i, sum = 0;

	for (i = 0; i < 9; i++)
		sum += armed_in_a_look();
	return (sum + 4) / 9;
}

/*
 * The same, once those have lapsed that come to their next points: a random one is less
 * than two periods away.
 */
static int armed_later(unsigned int lowest_rate)
{
	usleep(2 * 1000000 / lowest_rate + 10000);
	return armed();
}

/* A process that is not profiled looks, while the one that is profiled sleeps. */
TEST_F(clock, no_timer_while_asleep)
{
	int *nr = map_shared(sizeof(*nr));
	int pipes[2];
	pid_t pid;

	if (geteuid())
		SKIP(return, "timers are shown to root only");
	ASSERT_EQ(0, pipe(pipes));
	pid = fork();
	if (!pid) {
		if (receive_byte(pipes[0]))
			_exit(1);
		*nr = armed_later(1000);
		_exit(0);
	}
	/* a thread that migrates while it looks may miss the list that it is in */
	ASSERT_EQ(0, put_on_cpu(0, 0));
	ASSERT_EQ(0, start_with_clock(&self->profile, variant->clock, 1000));
	/* this CPU's; another one may be armed for a last time */
	EXPECT_LE(1, armed());
	ASSERT_EQ(0, send_byte(pipes[1]));
	EXPECT_EQ(0, wait_for(pid));
	EXPECT_EQ(0, *nr);
	EXPECT_EQ(PROFIL_STATE_RUNNING, stop(self->profile.fd).state);
}

static void *burn_thread(void *seconds)
{
	burn(*(double *)seconds);
	return NULL;
}

#define CPU1_ONLINE	"/sys/devices/system/cpu/cpu1/online"

/*
 * Threads are moved away from a processor that goes, and back, at times. Two threads have
 * a stretch more each time that it comes or goes.
 */
static void see_changing_processors(struct __test_metadata *_metadata,
				    struct profile *profile, unsigned int clock)
{
	enum { CHANGES = 6 };
	double seconds = 0.4;
	pthread_t threads[2];
	struct span span;
	int i;

	begin_span(_metadata, profile, &span, clock, 250);
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, burn_thread, &seconds));
	for (i = 0; i < CHANGES; i++) {
		usleep(40000);
		write_text(CPU1_ONLINE, i % 2 ? "1" : "0");
	}
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	end_span(_metadata, profile, &span, 2 * (CHANGES + 1));
}

TEST_F(clock, processor_that_goes_and_comes)
{
	struct profile *profile = &self->profile;

	if (write_text(CPU1_ONLINE, "1"))
		SKIP(return, "wants a second processor, and to be root");
	see_changing_processors(_metadata, profile, variant->clock);
	if (get_info(profile->fd).tick_hz >= 250)
		see_changing_processors(_metadata, profile, PROFIL_CLOCK_TICK);
	EXPECT_EQ(0, armed_later(250));
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
	int nr;

	if (start_with_clock(profile, clock, 5))
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
	/* points are less than two periods apart, and the two take turns */
	burn(0.2);
	nr = armed();
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

#define SESSIONS	200

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
	byte = (char)start_with_clock(profile, clock, rate);
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
	EXPECT_EQ(0, armed_later(1));
}

/* One at a time, each in place of the last. */
TEST_F(clock, no_timer_is_left_by_replaced_ones)
{
	int i;

	if (geteuid())
		SKIP(return, "timers are shown to root only");
	ASSERT_EQ(0, start_with_clock(&self->profile, variant->clock, 100));
	for (i = 1; i <= 200; i++) {
		ASSERT_EQ(0, start_with_clock(&self->profile, variant->clock,
				   (unsigned int)i));
		if (i % 3 == 0)
			stop(self->profile.fd);
	}
	stop(self->profile.fd);
	EXPECT_EQ(0, armed_later(1));
}

/* By the random clock: an even one aliases with turns of even length. */
FIXTURE(turns) {
	struct profile profile;
};

/*
 * One processor only: an emulator goes from one to another at timers, so that points come
 * just where a processor has had its part of the time.
 */
FIXTURE_SETUP(turns)
{
	SET_UP_CLOCK_PROFILE(&self->profile);
	write_text(CPU1_ONLINE, "0");
	ASSERT_EQ(0, put_on_cpu(0, 0));
}

FIXTURE_TEARDOWN(turns)
{
	write_text(CPU1_ONLINE, "1");
	clean_up_clock_profile(&self->profile);
}

static void *yield_often(void *seconds)
{
	double end = thread_seconds() + *(double *)seconds;

	while (thread_seconds() < end)
		sched_yield();
	return NULL;
}

/*
 * Turns of a tenth of the period and less get their share, if they never sleep. Of two that
 * take turns, a random point meets either by chance, with a variance of 1/4; there are
 * twice as many points as are due.
 */
static void see_turns(struct __test_metadata *_metadata, struct profile *profile)
{
	double seconds = 0.25, due = thread_seconds();
	struct profil_status status;

	yield_often(&seconds);
	due = profile->start.rate * (thread_seconds() - due);
	status = stop(profile->fd);
	EXPECT_COUNT_BY_CHANCE(status.samples, due, 2 * due / 4);
}

/* Those of another process get none: it is forked before the start. */
TEST_F(turns, shorter_than_the_period)
{
	struct profile *profile = &self->profile;
	double seconds = 100;
	pid_t other = fork();

	if (!other) {
		yield_often(&seconds);
		_exit(0);
	}
	ASSERT_EQ(0, start_with_clock(profile, PROFIL_CLOCK_RANDOM, 1000));
	see_turns(_metadata, profile);
	kill(other, SIGKILL);
	wait_for(other);
}

/* Nor do those of another thread, where one alone is profiled. */
TEST_F(turns, of_another_thread)
{
	struct profile *profile = &self->profile;
	double seconds = 0.3;
	pthread_t thread;

	profile->start.flags = PROFIL_THREAD_ONLY;
	ASSERT_EQ(0, start_with_clock(profile, PROFIL_CLOCK_RANDOM, 1000));
	ASSERT_EQ(0, pthread_create(&thread, NULL, yield_often, &seconds));
	see_turns(_metadata, profile);
	pthread_join(thread, NULL);
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

/* Of no even ratio to the tick's: its points meet ticks at all phases. */
#define ODD_RATE	997

/*
 * All points of some work count, or none. A stretch on the CPU has two more or less. Ticks
 * and system calls are in the other mode for less than a hundredth of the time: the points
 * that meet them are as many by chance, with four standard errors.
 */
static void expect_mode(struct __test_metadata *_metadata,
			struct profile *profile, unsigned int clock,
			void (*work)(double), unsigned int flags, bool all)
{
	double used, points, due, others;

	profile->start.flags = flags;
	ASSERT_EQ(0, start_with_clock(profile, clock, ODD_RATE));
	used = thread_seconds();
	work(0.5);
	points = ODD_RATE * (thread_seconds() - used);
	others = points / 100;
	due = all ? points : 0;
	EXPECT_COUNT(stop(profile->fd).samples, due,
		     2 + others + 4 * square_root(others));
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
