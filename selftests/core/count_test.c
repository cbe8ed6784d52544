// SPDX-License-Identifier: GPL-2.0-only
/*
 * Number of samples, compared with the CPU time that the kernel accounted to the process.
 */
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "common.h"
#include "kselftest_harness.h"
#include "profile/expect_count.h"

#define THREADS	4

FIXTURE(count) {
	int fd;
	uint64_t counter;
	struct profil_status status;	/* at the last stop */
	double due;	/* samples for the CPU time used by the last profile() */
	long preempted;	/* preemptions during that time */
	struct profil_region region;
	struct profil_start start;
};

FIXTURE_SETUP(count)
{
	REQUIRE_DEVICE(self->fd);
	self->counter = 0;
	count_all(&self->start, &self->region, &self->counter, 64, get_info(self->fd).tick_hz);
}

FIXTURE_TEARDOWN(count)
{
	stop(self->fd);
	close(self->fd);
}

/* Runs @work with a profile. */
static void profile(struct __test_metadata *_metadata, struct _test_data_count *self,
		    void (*work)(void))
{
	double used;

	self->counter = 0;
	ASSERT_EQ(0, call(self->fd, PROFIL_IOC_START, &self->start));
	self->preempted = preemptions();
	used = process_seconds();
	work();
	used = process_seconds() - used;
	self->preempted = preemptions() - self->preempted;
	self->status = stop(self->fd);
	self->due = self->start.rate * used;
	EXPECT_EQ(self->start.rate, self->status.rate);
	EXPECT_EQ(self->start.flags, self->status.flags);
	EXPECT_EQ(self->counter, self->status.counted);
}

static void *burn_on_cpu(void *cpu)
{
	put_on_cpu(0, (int)(intptr_t)cpu);
	burn(0.25);
	return NULL;
}

/* Several threads share each CPU. */
static void burn_in_threads(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	pthread_t threads[THREADS];
	intptr_t i;

	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, burn_on_cpu, (void *)(i % cpus));
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

/*
 * The threads of a CPU hand it over to each other, so each CPU has one stretch, and the main thread
 * has one before and one after it sleeps. Rates that do not divide the tick rate are exact on
 * average.
 */
TEST_F(count, threads)
{
	unsigned int hz = self->start.rate, rates[] = { hz, 97 };
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		double ticks = (double)rates[i] / hz;

		self->start.rate = rates[i];
		profile(_metadata, self, burn_in_threads);
		EXPECT_EQ(self->counter, self->status.samples);
		EXPECT_COUNT(self->counter, self->due,
			     (double)(cpus + 2) * ticks + (ticks < 1 ? (double)cpus : 0) +
			     preemption_allowance(self->preempted));
	}
}

static void burn_for_a_while(void)
{
	burn(0.5);
}

/* On one CPU, thinning the ticks is exact to within one sample. */
TEST_F(count, low_rates)
{
	static const unsigned int rates[] = { 50, 7 };
	unsigned int hz = self->start.rate;
	size_t i;

	ASSERT_EQ(0, put_on_cpu(0, 0));
	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		self->start.rate = rates[i];
		profile(_metadata, self, burn_for_a_while);
		EXPECT_COUNT(self->counter, self->due,
			     1 + (double)rates[i] / hz + preemption_allowance(self->preempted));
	}
}

/*
 * Each of many profiles is too short for a sample at this rate. Together they get the samples due
 * for their CPU time. Two things are random: the phase of the ticks, 1/5 of a sample each, and the
 * phase of the thinning.
 */
TEST_F(count, short_profiles)
{
	enum { PROFILES = 100 };
	double rate = 50, ticks = rate / self->start.rate, used = 0, begin;
	int i;

	self->start.rate = (unsigned int)rate;
	for (i = 0; i < PROFILES; i++) {
		/* a stop waits for RCU, which advances at ticks: leave the tick's phase */
		usleep((useconds_t)(i * 1237 % 4000));
		ASSERT_EQ(0, call(self->fd, PROFIL_IOC_START, &self->start));
		begin = process_seconds();
		burn(0.01);
		used += process_seconds() - begin;
		stop(self->fd);
	}
	EXPECT_COUNT_BY_CHANCE(self->counter, rate * used, PROFILES * (1 + ticks * ticks) / 4);
}

#define BURSTS	50

static void burn_in_bursts(void)
{
	int i;

	for (i = 0; i < BURSTS; i++) {
		burn(0.01);
		usleep((useconds_t)(30000 + i * 1237 % 4000));
	}
}

/* A process is not charged for the ticks that its CPU skips while it sleeps. */
TEST_F(count, bursts)
{
	profile(_metadata, self, burn_in_bursts);
	EXPECT_COUNT_BY_CHANCE(self->counter, self->due, BURSTS / 4.0);
}

/*
 * Uses CPU time and reads the clock only a few times, since reading it may be a system call, where
 * the scheduler may preempt: turns of equal length would alias with the tick.
 */
static void stay_in_user_mode(void)
{
	double end = process_seconds() + 0.25;
	volatile unsigned long i;
	unsigned long loops;

	for (loops = 100000; process_seconds() < end; loops *= 2)
		for (i = 0; i < loops; i++)
			;
}

/* A process is not charged for another one on the same CPU. Each turn is a stretch. */
TEST_F(count, shared_cpu)
{
	struct rusage usage;
	long turns;
	pid_t pid;

	ASSERT_EQ(0, put_on_cpu(0, sched_getcpu()));
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid)
		for (;;)
			;
	getrusage(RUSAGE_SELF, &usage);
	turns = 1 - usage.ru_nivcsw;
	profile(_metadata, self, stay_in_user_mode);
	getrusage(RUSAGE_SELF, &usage);
	turns += usage.ru_nivcsw;
	EXPECT_LT(1, turns);
	EXPECT_COUNT_BY_CHANCE(self->counter, self->due, (double)turns / 4);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/*
 * A profile covers threads that exist when it starts, and continues when the thread that started it
 * ends. Counting starts at some time between the beginning and the end of the call.
 */
struct starter {
	struct _test_data_count *self;
	double before, after;
	int error;
};

static void *start_and_leave(void *data)
{
	struct starter *starter = data;

	starter->before = process_seconds();
	starter->error = call(starter->self->fd, PROFIL_IOC_START, &starter->self->start);
	starter->after = process_seconds();
	return NULL;
}

static void *burn_in_thread(void *unused)
{
	burn(0.3);
	return unused;
}

/* Both threads may migrate. */
TEST_F(count, started_by_another_thread)
{
	struct starter starter = { .self = self };
	pthread_t threads[2];
	double hz = self->start.rate, end;

	ASSERT_EQ(0, pthread_create(&threads[0], NULL, burn_in_thread, NULL));
	ASSERT_EQ(0, pthread_create(&threads[1], NULL, start_and_leave, &starter));
	pthread_join(threads[1], NULL);
	ASSERT_EQ(0, starter.error);
	pthread_join(threads[0], NULL);
	end = process_seconds();
	stop(self->fd);
	EXPECT_COUNT_IN(self->counter, hz * (end - starter.after), hz * (end - starter.before), 4);
}

/*
 * A sample in the kernel has the pc to which the system call returns. For a program that reads
 * /dev/zero, it is the instruction after the system call.
 */
#if defined(__x86_64__) || defined(__aarch64__)
static void __attribute__((noinline)) read_zeroes(int zero, char *buf, size_t bytes)
{
#ifdef __x86_64__
	long result;

	asm volatile(".globl read_zeroes_return\n\t"
		     "syscall\n"
		     "read_zeroes_return:"
		     : "=a" (result)
		     : "0" (0L), "D" (zero), "S" (buf), "d" (bytes)
		     : "rcx", "r11", "memory");
#else
	register long number asm("x8") = SYS_read;
	register long result asm("x0") = zero;
	register char *to asm("x1") = buf;
	register size_t how_many asm("x2") = bytes;

	asm volatile(".globl read_zeroes_return\n\t"
		     "svc #0\n\t"
		     "read_zeroes_return:"
		     : "+r" (result)
		     : "r" (number), "r" (to), "r" (how_many)
		     : "memory");
#endif
}

extern char read_zeroes_return[];

static int zeroes;
static char *to_fill;

static void fill_with_zeroes(void)
{
	double end = process_seconds() + 0.25;

	while (process_seconds() < end)
		read_zeroes(zeroes, to_fill, 8 << 20);
}

TEST_F(count, system_time)
{
	zeroes = open("/dev/zero", O_RDONLY);
	ASSERT_GE(zeroes, 0);
	to_fill = map_memory(8 << 20);
	memset(to_fill, 1, 8 << 20);
	self->region.start = (uintptr_t)read_zeroes_return;
	self->region.offset = self->region.start;
	self->region.end = self->region.start + 1;
	ASSERT_EQ(0, put_on_cpu(0, 0));
	/*
	 * The stretch is off by less than one tick. A call takes milliseconds; the time outside of
	 * them is less than another tick in total.
	 */
	profile(_metadata, self, fill_with_zeroes);
	EXPECT_COUNT(self->counter, self->due, 2 + preemption_allowance(self->preempted));

	self->start.flags = PROFIL_USER_ONLY;
	profile(_metadata, self, fill_with_zeroes);
	EXPECT_COUNT(self->status.samples, 0, 1);

	self->start.flags = PROFIL_KERNEL_ONLY;
	profile(_metadata, self, fill_with_zeroes);
	EXPECT_COUNT(self->counter, self->due, 2 + preemption_allowance(self->preempted));
	close(zeroes);
}
#endif

/* A program that stays in user mode loses no samples by PROFIL_USER_ONLY. */
TEST_F(count, user_only)
{
	ASSERT_EQ(0, put_on_cpu(0, 0));
	self->start.flags = PROFIL_USER_ONLY;
	profile(_metadata, self, stay_in_user_mode);
	EXPECT_COUNT(self->counter, self->due, 1 + preemption_allowance(self->preempted));
	self->start.flags = PROFIL_KERNEL_ONLY;
	profile(_metadata, self, stay_in_user_mode);
	EXPECT_COUNT(self->status.samples, 0, 1);
}

static void run_a_shell(void)
{
	pid_t pid = fork();

	if (!pid) {
		execl("/bin/sh", "sh", "-c",
		      "i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); done", NULL);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
}

/* Another process is not charged to its sleeping parent, which has two stretches. */
TEST_F(count, sleeping)
{
	profile(_metadata, self, run_a_shell);
	EXPECT_COUNT(self->status.samples, self->due, 2);
}

TEST_HARNESS_MAIN
