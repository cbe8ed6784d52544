// SPDX-License-Identifier: GPL-2.0-only
/*
 * Clocks: each delivers the requested rate, wherever a thread runs and however short its turns are,
 * and a timer is armed only where and as long as it is needed. bench/rates.sh measures the
 * accuracy of profiles.
 */
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "profile/clock_profile.h"
#include "profile/expect_count.h"

/*
 * CPU time around the calls: a profile counts from some time during its start to some time during
 * its stop.
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

static void end_span(const struct profile *profile, struct span *span)
{
	span->end = process_seconds();
	span->status = stop(profile->fd);
	span->after = process_seconds();
	span->preempted = preemptions() - span->preempted;
}

/*
 * A stretch contains a sampling point for each whole period. In the parts of periods at its ends,
 * an even clock has up to one point more or less, a random one up to two. Points that come too late
 * are not taken.
 */
static void expect_due(struct __test_metadata *_metadata, const struct profile *profile,
		       const struct span *span, int stretches)
{
	double rate = profile->start.rate, skipped = (double)span->status.skipped;
	int ends = span->status.clock == PROFIL_CLOCK_RANDOM ? 2 : 1;

	EXPECT_EQ(rate, span->status.rate);
	EXPECT_TRUE(ticks_may_be_late() || !skipped);
	EXPECT_COUNT_IN(span->status.samples, rate * (span->end - span->begin) - skipped,
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
 * @nr_threads threads use @seconds of CPU time each, on all CPUs or on one. They hand a CPU over to
 * each other: each CPU has one stretch, and this thread has two.
 */
static void expect_rate(struct __test_metadata *_metadata, struct profile *profile,
			unsigned int clock, unsigned int rate, int nr_threads,
			double seconds)
{
	int i, cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	struct burner burners[4];
	struct span span;

	begin_span(_metadata, profile, &span, clock, rate);
	for (i = 0; i < nr_threads; i++) {
		burners[i] = (struct burner) { .cpu = i % cpus, .seconds = seconds };
		ASSERT_EQ(0, pthread_create(&burners[i].thread, NULL, burn_on_cpu, &burners[i]));
	}
	for (i = 0; i < nr_threads; i++)
		pthread_join(burners[i].thread, NULL);
	end_span(profile, &span);
	expect_due(_metadata, profile, &span, (nr_threads < cpus ? nr_threads : cpus) + 2);
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
	expect_rate(_metadata, profile, clock, 10, 1, 1);
	expect_rate(_metadata, profile, clock, 97, 2, 0.25);
	expect_rate(_metadata, profile, clock, 1000, 4, 0.1);
	expect_rate(_metadata, profile, clock, 4000, 2, 0.1);
}

/* The rate is the same for threads that are already running, also on other CPUs. */
TEST_F(clock, running_threads)
{
	struct burner burners[2];
	struct span span;
	int i;

	for (i = 0; i < 2; i++) {
		burners[i] = (struct burner) {
			.cpu = i % (int)sysconf(_SC_NPROCESSORS_ONLN), .seconds = 0.2,
		};
		ASSERT_EQ(0, pthread_create(&burners[i].thread, NULL, burn_on_cpu, &burners[i]));
	}
	usleep(10000);
	begin_span(_metadata, &self->profile, &span, variant->clock, 1000);
	for (i = 0; i < 2; i++)
		pthread_join(burners[i].thread, NULL);
	end_span(&self->profile, &span);
	expect_due(_metadata, &self->profile, &span, 2 + 2);
}

/* Returns the number of local timer interrupts of a CPU; -1 if it is not available. */
static long timer_interrupts(int cpu)
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
 * A single thread on a CPU that then has no tick (nohz_full=1) is sampled like any other, also with
 * the tick as clock.
 */
TEST_F(clock, processor_without_tick)
{
	struct profile *profile = &self->profile;
	unsigned int hz = get_info(profile->fd).tick_hz;
	long before;

	if (read_number("/sys/devices/system/cpu/nohz_full", "") != 1)
		SKIP(return, "needs the kernel parameters nohz_full=1 isolcpus=1");
	ASSERT_EQ(0, put_on_cpu(0, 1));
	expect_rate(_metadata, profile, PROFIL_CLOCK_TICK, hz, 2, 0.25);
	expect_rate(_metadata, profile, PROFIL_CLOCK_TICK, 97, 2, 0.25);
	expect_rate(_metadata, profile, variant->clock, 10, 2, 0.5);
	expect_rate(_metadata, profile, variant->clock, 1000, 2, 0.25);
	/* the tick is not restarted for it: there would be hz interrupts per second */
	ASSERT_EQ(0, start_with_clock(profile, PROFIL_CLOCK_TICK, 10));
	burn(0.1);
	before = timer_interrupts(1);
	burn(0.5);
	before = timer_interrupts(1) - before;
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
		end_span(profile, span);
		_exit(0);
	}
	EXPECT_EQ(0, wait_for(pid));
	expect_due(_metadata, profile, span, 2);
	EXPECT_EQ(clock, span->status.clock);
	EXPECT_EQ(0, span->status.lost);
	EXPECT_EQ(span->status.samples, span->status.counted);
}

/* Counts the interrupts of both CPUs while this thread uses CPU time, which is returned. */
static double count_interrupts(long nr[2])
{
	long before[2];
	double used;
	int cpu;

	for (cpu = 0; cpu < 2; cpu++)
		before[cpu] = timer_interrupts(cpu);
	used = thread_seconds();
	burn(0.2);
	used = thread_seconds() - used;
	for (cpu = 0; cpu < 2; cpu++)
		nr[cpu] = timer_interrupts(cpu) - before[cpu];
	return used;
}

/*
 * The timer runs on the CPU of the profiled thread, and expires on a CPU that it has left. Each
 * sampling point is an interrupt, possibly that of the tick.
 */
TEST_F(clock, no_interrupt_elsewhere)
{
	unsigned int rate = 8 * self->profile.hz;
	long with[2], without[2];
	double points;

	if (timer_interrupts(1) < 0)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, put_on_cpu(0, 0));
	count_interrupts(without);
	ASSERT_EQ(0, start_with_clock(&self->profile, variant->clock, rate));
	points = rate * count_interrupts(with);
	ksft_print_msg("interrupts without, with: CPU 0 %ld, %ld, CPU 1 %ld, %ld; %.1f points\n",
		       without[0], with[0], without[1], with[1], points);
	/* one interrupt may stand for several late points */
	EXPECT_ON_TIME(points - 2 <= (double)with[0]);
	EXPECT_GT(points / 2, with[1]);
}

/*
 * Returns the number of the module's armed timers on all CPUs, as one reading of the list has it.
 */
static int armed_in_list(void)
{
	FILE *file = fopen("/proc/timer_list", "re");
	char line[256];
	int nr = 0;

	while (file && fgets(line, sizeof(line), file))
		nr += !!strstr(line, "profil_timer_fire");
	if (file)
		fclose(file);
	return nr;
}

/*
 * Returns the mean of nine readings, rounded. The kernel unlocks a queue of timers between two
 * lines and finds its position again by number: it skips or repeats a timer if an earlier one is
 * queued or removed at that moment, which makes one or two readings wrong.
 */
static int armed(void)
{
	int i, sum = 0;

	for (i = 0; i < 9; i++)
		sum += armed_in_list();
	return (sum + 4) / 9;
}

/*
 * The same, after unneeded timers have expired at their next sampling point, which is less than two
 * periods away.
 */
static int armed_later(unsigned int lowest_rate)
{
	usleep(2 * 1000000 / lowest_rate + 10000);
	return armed();
}

/* A process that is not profiled counts timers while the profiled one sleeps. */
TEST_F(clock, no_timer_while_asleep)
{
	int *nr = map_shared(sizeof(*nr));
	int pipes[2];
	pid_t pid;

	if (geteuid())
		SKIP(return, "needs root to read /proc/timer_list");
	ASSERT_EQ(0, pipe(pipes));
	pid = fork();
	if (!pid) {
		if (receive_byte(pipes[0]))
			_exit(1);
		*nr = armed_later(1000);
		_exit(0);
	}
	/* if this thread migrated while it reads, it could miss the timer of its CPU */
	ASSERT_EQ(0, put_on_cpu(0, 0));
	ASSERT_EQ(0, start_with_clock(&self->profile, variant->clock, 1000));
	/* that of this CPU; another CPU's may be about to expire */
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
 * The kernel moves threads away from a CPU that goes offline, and sometimes back. Two threads get
 * one more stretch each whenever it goes offline or online.
 */
static void expect_rate_during_hotplug(struct __test_metadata *_metadata,
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
	end_span(profile, &span);
	expect_due(_metadata, profile, &span, 2 * (CHANGES + 1));
}

TEST_F(clock, cpu_hotplug)
{
	struct profile *profile = &self->profile;

	if (write_text(CPU1_ONLINE, "1"))
		SKIP(return, "needs a second CPU and root");
	expect_rate_during_hotplug(_metadata, profile, variant->clock);
	if (get_info(profile->fd).tick_hz >= 250)
		expect_rate_during_hotplug(_metadata, profile, PROFIL_CLOCK_TICK);
	EXPECT_EQ(0, armed_later(250));
}

/* A CPU does not take a profile for one that ended while it was offline. */
TEST_F(clock, profile_that_ended_without_a_cpu)
{
	struct burner burners[] = {
		{ .cpu = 0, .seconds = 0.3 }, { .cpu = 1, .seconds = 0.3 },
	};
	struct profile *profile = &self->profile;
	struct span span;
	int i;

	if (write_text(CPU1_ONLINE, "1"))
		SKIP(return, "needs a second CPU and root");
	ASSERT_EQ(0, start_with_clock(profile, variant->clock, 250));
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&burners[i].thread, NULL, burn_on_cpu, &burners[i]));
	for (i = 0; i < 2; i++)
		pthread_join(burners[i].thread, NULL);
	ASSERT_EQ(0, write_text(CPU1_ONLINE, "0"));
	stop(profile->fd);
	begin_span(_metadata, profile, &span, variant->clock, 250);
	write_text(CPU1_ONLINE, "1");
	ASSERT_EQ(0, pthread_create(&burners[1].thread, NULL, burn_on_cpu, &burners[1]));
	pthread_join(burners[1].thread, NULL);
	end_span(profile, &span);
	expect_due(_metadata, profile, &span, 4);
}

/*
 * Takes CPU 1 offline while its timer is armed. Returns how many timers are armed some time later.
 * Profiled threads run on CPU 0 all the time.
 */
static int armed_after_offline(struct profile *profile, unsigned int clock, void *code)
{
	struct one_pc one;
	cpu_set_t cpu_0;
	int nr;

	if (start_with_clock(profile, clock, 5))
		return -1;
	/* a thread starts on the CPU of its creator */
	if (put_on_cpu(0, 1) || enter_pc(&one, code))
		return -1;
	put_on_cpu(0, 0);
	burn(0.01);
	write_text(CPU1_ONLINE, "0");
	CPU_ZERO(&cpu_0);
	CPU_SET(0, &cpu_0);
	pthread_setaffinity_np(one.thread, sizeof(cpu_0), &cpu_0);
	/* sampling points are less than two periods apart, and the two threads share the CPU */
	burn(0.2);
	nr = armed();
	leave_pc(&one);
	write_text(CPU1_ONLINE, "1");
	stop(profile->fd);
	return nr;
}

/* The timer of a CPU that goes offline does not continue on another CPU. */
TEST_F(clock, timer_of_offline_cpu)
{
	void *code = map_code(PAGE);
	int i, nr;

	ASSERT_NE(MAP_FAILED, code);
	if (write_text(CPU1_ONLINE, "1"))
		SKIP(return, "needs a second CPU and root");
	/* some may expire because no profiled thread runs at their sampling point */
	for (i = 0; i < 4; i++) {
		nr = armed_after_offline(&self->profile, variant->clock, code);
		EXPECT_LE(0, nr);
		EXPECT_GE(1, nr);
	}
}

#define SESSIONS	200

/* Forks a process that has a profile until a byte arrives on @go. */
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
	/* every second one stops its profile, the others exit with it */
	if (rate % 2)
		stop(profile->fd);
	_exit(0);
}

TEST_F(clock, no_timer_after_exit)
{
	pid_t pids[SESSIONS];
	int ready[2], go[SESSIONS][2], i, k;
	char byte;

	if (geteuid())
		SKIP(return, "needs root to read /proc/timer_list");
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
	/* in another order than they were started */
	for (i = 0, k = 0; i < SESSIONS; i++, k = (k + 617) % SESSIONS) {
		ASSERT_EQ(1, write(go[k][1], "", 1));
		EXPECT_EQ(0, wait_for(pids[k]));
		close(go[k][1]);
	}
	EXPECT_EQ(0, armed_later(1));
}

/* Each start replaces the previous session. */
TEST_F(clock, no_timer_after_replacement)
{
	int i;

	if (geteuid())
		SKIP(return, "needs root to read /proc/timer_list");
	ASSERT_EQ(0, start_with_clock(&self->profile, variant->clock, 100));
	for (i = 1; i <= 200; i++) {
		ASSERT_EQ(0, start_with_clock(&self->profile, variant->clock, (unsigned int)i));
		if (i % 3 == 0)
			stop(self->profile.fd);
	}
	stop(self->profile.fd);
	EXPECT_EQ(0, armed_later(1));
}

/* With the random clock: an even clock would alias with turns of equal length. */
FIXTURE(turns) {
	struct profile profile;
};

/*
 * On one CPU: an emulator switches between CPUs at timers, so that sampling points would fall at
 * the end of a CPU's turn.
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
 * A thread whose turns are at most a tenth of the period gets its share, if it never sleeps. A
 * random point hits one of two alternating threads, with a variance of 1/4; there are twice as many
 * points as samples due.
 */
static void expect_share(struct __test_metadata *_metadata, struct profile *profile)
{
	double seconds = 0.25, due = thread_seconds();
	struct profil_status status;

	yield_often(&seconds);
	due = profile->start.rate * (thread_seconds() - due);
	status = stop(profile->fd);
	EXPECT_COUNT_BY_CHANCE(status.samples, due, 2 * due / 4);
}

/* The turns of another process, forked before the start, get no samples. */
TEST_F(turns, of_another_process)
{
	struct profile *profile = &self->profile;
	double seconds = 100;
	pid_t other = fork();

	if (!other) {
		yield_often(&seconds);
		_exit(0);
	}
	ASSERT_EQ(0, start_with_clock(profile, PROFIL_CLOCK_RANDOM, 1000));
	expect_share(_metadata, profile);
	kill(other, SIGKILL);
	wait_for(other);
}

/* With PROFIL_THREAD_ONLY, the turns of another thread get none. */
TEST_F(turns, of_another_thread)
{
	struct profile *profile = &self->profile;
	double seconds = 0.3;
	pthread_t thread;

	profile->start.flags = PROFIL_THREAD_ONLY;
	ASSERT_EQ(0, start_with_clock(profile, PROFIL_CLOCK_RANDOM, 1000));
	ASSERT_EQ(0, pthread_create(&thread, NULL, yield_often, &seconds));
	expect_share(_metadata, profile);
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

	while (thread_seconds() < end && read(zeroes, to_fill, READ_BYTES) == (ssize_t)READ_BYTES)
		;
	munmap(to_fill, READ_BYTES);
	close(zeroes);
}

/* No even ratio to the tick rate: sampling points fall at all phases of the tick. */
#define ODD_RATE	997

/*
 * All sampling points of @work count, or none. A stretch on the CPU has two more or less. Ticks and
 * system calls are in the other mode for less than a hundredth of the time: the number of points
 * that hit them is random, with five standard errors.
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
	EXPECT_COUNT(stop(profile->fd).samples, due, 2 + others + CHANCE_ALLOWANCE(others));
}

/* Whether a sample is taken in user mode or in the kernel */
TEST_F(clock, modes)
{
	struct profile *profile = &self->profile;
	unsigned int clock = variant->clock;

	expect_mode(_metadata, profile, clock, work_in_user_mode, PROFIL_USER_ONLY, true);
	expect_mode(_metadata, profile, clock, work_in_user_mode, PROFIL_KERNEL_ONLY, false);
	expect_mode(_metadata, profile, clock, work_in_the_kernel, PROFIL_USER_ONLY, false);
	expect_mode(_metadata, profile, clock, work_in_the_kernel, PROFIL_KERNEL_ONLY, true);
}

TEST_HARNESS_MAIN
