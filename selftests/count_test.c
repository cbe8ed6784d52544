// SPDX-License-Identifier: GPL-2.0-only
/*
 * How much is counted: counts against the CPU time that the process used, as
 * the kernel's own accounting has it.
 */
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "common.h"
#include "kselftest_harness.h"
#include "share.h"

#define THREADS	4

FIXTURE(count) {
	int fd;
	uint64_t counter;
	double due;	/* ticks, of the CPU time that was used last */
	struct profil_region region;
	struct profil_start start;
};

FIXTURE_SETUP(count)
{
	REQUIRE_DEVICE(self->fd);
	self->counter = 0;
	count_all(&self->start, &self->region, &self->counter, 64, 100);
}

FIXTURE_TEARDOWN(count)
{
	stop(self->fd);
	close(self->fd);
}

static void *burn_two_seconds(void *unused)
{
	burn(2);
	return unused;
}

/* Return: counts / (rate x CPU seconds), of some threads that spin. */
static double share_counted(struct _test_data_count *self, unsigned int rate,
			    int nr_threads)
{
	pthread_t threads[THREADS];
	struct profil_status status;
	double used;
	int i;

	self->counter = 0;
	self->start.rate = rate;
	if (call(self->fd, PROFIL_IOC_START, &self->start))
		return -1;
	used = process_seconds();
	for (i = 0; i < nr_threads; i++)
		pthread_create(&threads[i], NULL, burn_two_seconds, NULL);
	for (i = 0; i < nr_threads; i++)
		pthread_join(threads[i], NULL);
	used = process_seconds() - used;
	status = stop(self->fd);
	if (status.rate != rate || status.counted != self->counter ||
	    status.ticks != status.counted)
		return -2;
	ksft_print_msg("%u Hz, %d threads, %.3f s of CPU: %llu counts\n", rate,
		       nr_threads, used, (unsigned long long)self->counter);
	return (double)self->counter / (rate * used);
}

/*
 * Of this thread alone, at every tick, at some work of its own: ticks / (rate x CPU
 * seconds), wherever they were.
 */
static double share_met_in(struct _test_data_count *self, void (*work)(void))
{
	struct profil_status status;
	double used;

	self->counter = 0;
	self->start.rate = get_info(self->fd).tick_hz;
	if (call(self->fd, PROFIL_IOC_START, &self->start))
		return -1;
	used = process_seconds();
	work();
	used = process_seconds() - used;
	status = stop(self->fd);
	if (status.counted != self->counter ||
	    status.flags != self->start.flags)
		return -2;
	self->due = self->start.rate * used;
	return (double)status.ticks / self->due;
}

/* The same of those that were counted. */
static double share_counted_in(struct _test_data_count *self, void (*work)(void))
{
	double met = share_met_in(self, work);

	return met < 0 ? met : (double)self->counter / self->due;
}

static void burn_one_second(void)
{
	burn(1);
}

static void burn_two(void)
{
	burn(2);
}

TEST_F(count, four_threads_100_hz)
{
	EXPECT_SHARE(0.98, 1.02, share_counted(self, 100, THREADS));
}

TEST_F(count, four_threads_every_tick)
{
	EXPECT_SHARE(0.98, 1.02,
		     share_counted(self, get_info(self->fd).tick_hz, THREADS));
}

/* Rates that do not divide the tick's, and the lowest: exact on average. */
TEST_F(count, uneven_rates)
{
	EXPECT_SHARE(0.97, 1.03, share_counted(self, 97, THREADS));
	EXPECT_SHARE(0.8, 1.2, share_counted(self, 7, THREADS));
	/* 8 samples, one more or less for each CPU */
	EXPECT_SHARE(0.5, 1.5, share_counted(self, 1, THREADS));
}

static double share_of_short_profiles(struct _test_data_count *self)
{
	double used = 0, begin;
	int i;

	self->counter = 0;
	self->start.rate = 50;
	for (i = 0; i < 300; i++) {
		/*
		 * A stop waits for RCU, which moves on at ticks: do not begin
		 * each profile right behind one.
		 */
		usleep((useconds_t)(i * 1237 % 4000));
		if (call(self->fd, PROFIL_IOC_START, &self->start))
			return -1;
		begin = process_seconds();
		burn(0.01);
		used += process_seconds() - begin;
		stop(self->fd);
	}
	return (double)self->counter / (50 * used);
}

/*
 * Many short profiles: each is too short for a sample of its own at this rate,
 * together they get what is due to their time.
 */
TEST_F(count, short_profiles)
{
	/* about 150 samples, were it by chance with a standard deviation of 9 */
	EXPECT_SHARE(0.8, 1.2, share_of_short_profiles(self));
}

static void burn_in_bursts(void)
{
	int i;

	for (i = 0; i < 100; i++) {
		burn(0.01);
		usleep(30000);
	}
}

/*
 * What is due while the process sleeps, and its CPU has no tick, is not charged
 * to it when it comes back.
 */
TEST_F(count, bursts)
{
	EXPECT_SHARE(0.85, 1.1, share_counted_in(self, burn_in_bursts));
}

/* Nor is what another process ran meanwhile on the same CPU. */
TEST_F(count, shared_cpu)
{
	pid_t pid;

	ASSERT_EQ(0, put_on_cpu(0, sched_getcpu()));
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		burn(100);
		_exit(0);
	}
	EXPECT_SHARE(0.95, 1.05, share_counted_in(self, burn_two));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Threads that started before the call are covered, and the caller may end. */
static void *start_and_leave(void *data)
{
	struct _test_data_count *self = data;

	return (void *)(intptr_t)call(self->fd, PROFIL_IOC_START, &self->start);
}

static double share_started_by_another_thread(struct _test_data_count *self)
{
	pthread_t threads[2];
	double used;
	void *error;

	self->counter = 0;
	self->start.rate = get_info(self->fd).tick_hz;
	pthread_create(&threads[0], NULL, burn_two_seconds, NULL);
	pthread_create(&threads[1], NULL, start_and_leave, self);
	pthread_join(threads[1], &error);
	if (error)
		return -1;
	used = process_seconds();
	pthread_join(threads[0], NULL);
	used = process_seconds() - used;
	stop(self->fd);
	return (double)self->counter / (self->start.rate * used);
}

TEST_F(count, started_by_another_thread)
{
	EXPECT_SHARE(0.97, 1.04, share_started_by_another_thread(self));
}

/*
 * Time in the kernel is charged to the pc at which its system call returns: a
 * program that reads zeroes is at the instruction behind its system call.
 */
#if defined(__x86_64__) || defined(__aarch64__)
static void __attribute__((noinline)) read_zeroes(int zero, char *buf,
						  size_t bytes)
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
	double end = process_seconds() + 1;

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
	EXPECT_SHARE(0.95, 1.02, share_counted_in(self, fill_with_zeroes));

	/* asked for user mode only, next to nothing is left */
	self->start.flags = PROFIL_USER_ONLY;
	EXPECT_SHARE(0, 0.05, share_met_in(self, fill_with_zeroes));
	/* ... and the rest is asked for */
	self->start.flags = PROFIL_KERNEL_ONLY;
	EXPECT_SHARE(0.95, 1.02, share_counted_in(self, fill_with_zeroes));
	close(zeroes);
}
#endif

/* ... and a program that stays in user mode loses nothing by it. */
TEST_F(count, user_only)
{
	self->start.flags = PROFIL_USER_ONLY;
	EXPECT_SHARE(0.9, 1.02, share_counted_in(self, burn_one_second));
	self->start.flags = PROFIL_KERNEL_ONLY;
	EXPECT_SHARE(0, 0.1, share_counted_in(self, burn_one_second));
}

/* A process that is not profiled is charged to nobody. */
TEST_F(count, sleeping)
{
	struct profil_status status;
	double used;
	pid_t pid;

	ASSERT_EQ(0, call(self->fd, PROFIL_IOC_START, &self->start));
	used = process_seconds();
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		execl("/bin/sh", "sh", "-c",
		      "i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done",
		      NULL);
		_exit(1);
	}
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	used = process_seconds() - used;
	status = stop(self->fd);
	EXPECT_GE(2 + used * self->start.rate, status.ticks);
}

TEST_HARNESS_MAIN
