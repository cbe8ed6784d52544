// SPDX-License-Identifier: GPL-2.0-only
/*
 * How much is counted: counts against the CPU time that the process used, as
 * the kernel's own accounting has it.
 */
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include "common.h"
#include "kselftest_harness.h"

#define THREADS	4

FIXTURE(count) {
	int fd;
	uint64_t counter;
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

#define EXPECT_SHARE(low, high, share)					\
	do {								\
		double value = (share);					\
									\
		ksft_print_msg("counted / expected = %.4f\n", value);	\
		EXPECT_TRUE(value >= (low) && value <= (high));		\
	} while (0)

TEST_F_TIMEOUT(count, four_threads_100_hz, 120)
{
	EXPECT_SHARE(0.98, 1.02, share_counted(self, 100, THREADS));
}

TEST_F_TIMEOUT(count, four_threads_every_tick, 120)
{
	EXPECT_SHARE(0.98, 1.02,
		     share_counted(self, get_info(self->fd).tick_hz, THREADS));
}

/* Rates that do not divide the tick's, and the lowest: exact on average. */
TEST_F_TIMEOUT(count, uneven_rates, 120)
{
	EXPECT_SHARE(0.97, 1.03, share_counted(self, 97, THREADS));
	EXPECT_SHARE(0.8, 1.2, share_counted(self, 7, THREADS));
	/* 8 samples, one more or less for each CPU */
	EXPECT_SHARE(0.5, 1.5, share_counted(self, 1, THREADS));
}

/*
 * Many short profiles: each is too short for a sample of its own at this rate,
 * together they get what is due to their time.
 */
TEST_F_TIMEOUT(count, short_profiles, 120)
{
	double used = 0, begin;
	int i;

	self->start.rate = 50;
	for (i = 0; i < 300; i++) {
		/*
		 * A stop waits for RCU, which moves on at ticks: do not begin
		 * each profile right behind one.
		 */
		usleep((useconds_t)(i * 1237 % 4000));
		ASSERT_EQ(0, call(self->fd, PROFIL_IOC_START, &self->start));
		begin = process_seconds();
		burn(0.01);
		used += process_seconds() - begin;
		stop(self->fd);
	}
	/* about 150 samples, were it by chance with a standard deviation of 9 */
	EXPECT_SHARE(0.8, 1.2, (double)self->counter / (50 * used));
}

/*
 * What is due while the process sleeps, and its CPU has no tick, is not charged
 * to it when it comes back.
 */
TEST_F(count, bursts)
{
	double used;
	int i;

	self->start.rate = get_info(self->fd).tick_hz;
	ASSERT_EQ(0, call(self->fd, PROFIL_IOC_START, &self->start));
	used = process_seconds();
	for (i = 0; i < 100; i++) {
		burn(0.01);
		usleep(30000);
	}
	used = process_seconds() - used;
	stop(self->fd);
	EXPECT_SHARE(0.85, 1.1,
		     (double)self->counter / (self->start.rate * used));
}

/* Nor is what another process ran meanwhile on the same CPU. */
TEST_F(count, shared_cpu)
{
	cpu_set_t cpu;
	double used;
	pid_t pid;

	CPU_ZERO(&cpu);
	CPU_SET(sched_getcpu(), &cpu);
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(cpu), &cpu));
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		burn(100);
		_exit(0);
	}
	self->start.rate = get_info(self->fd).tick_hz;
	ASSERT_EQ(0, call(self->fd, PROFIL_IOC_START, &self->start));
	used = process_seconds();
	burn(2);
	used = process_seconds() - used;
	stop(self->fd);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	EXPECT_SHARE(0.95, 1.05,
		     (double)self->counter / (self->start.rate * used));
}

/* Threads that started before the call are covered, and the caller may end. */
static void *start_and_leave(void *data)
{
	struct _test_data_count *self = data;

	return (void *)(intptr_t)call(self->fd, PROFIL_IOC_START, &self->start);
}

TEST_F(count, started_by_another_thread)
{
	pthread_t threads[2];
	double used;
	void *error;

	self->start.rate = get_info(self->fd).tick_hz;
	pthread_create(&threads[0], NULL, burn_two_seconds, NULL);
	pthread_create(&threads[1], NULL, start_and_leave, self);
	pthread_join(threads[1], &error);
	ASSERT_EQ(NULL, error);
	used = process_seconds();
	pthread_join(threads[0], NULL);
	used = process_seconds() - used;
	stop(self->fd);
	EXPECT_SHARE(0.97, 1.04,
		     (double)self->counter / (self->start.rate * used));
}

/*
 * Time in the kernel is charged to the pc at which its system call returns: a
 * program that reads zeroes is in the two bytes behind its system call.
 */
#ifdef __x86_64__
static void __attribute__((noinline)) read_zeroes(int zero, char *buf,
						  size_t bytes)
{
	long result;

	asm volatile(".globl read_zeroes_return\n\t"
		     "syscall\n"
		     "read_zeroes_return:"
		     : "=a" (result)
		     : "0" (0L), "D" (zero), "S" (buf), "d" (bytes)
		     : "rcx", "r11", "memory");
}

extern char read_zeroes_return[];

TEST_F(count, system_time)
{
	int zero = open("/dev/zero", O_RDONLY);
	size_t bytes = 8 << 20;
	char *buf = map_memory(bytes);
	struct profil_status status;
	double used;

	ASSERT_GE(zero, 0);
	memset(buf, 1, bytes);
	self->region.start = (uintptr_t)read_zeroes_return;
	self->region.offset = self->region.start;
	self->region.end = self->region.start + 1;
	self->start.rate = get_info(self->fd).tick_hz;
	ASSERT_EQ(0, call(self->fd, PROFIL_IOC_START, &self->start));
	used = process_seconds();
	while (process_seconds() - used < 1)
		read_zeroes(zero, buf, bytes);
	used = process_seconds() - used;
	status = stop(self->fd);
	EXPECT_EQ(self->counter, status.counted);
	EXPECT_SHARE(0.95, 1.02, (double)self->counter /
				 (self->start.rate * used));

	/* asked for user mode only, next to nothing is left */
	self->counter = 0;
	self->start.flags = PROFIL_USER_ONLY;
	ASSERT_EQ(0, call(self->fd, PROFIL_IOC_START, &self->start));
	used = process_seconds();
	while (process_seconds() - used < 1)
		read_zeroes(zero, buf, bytes);
	used = process_seconds() - used;
	status = stop(self->fd);
	EXPECT_EQ(PROFIL_USER_ONLY, status.flags);
	EXPECT_SHARE(0, 0.05, (double)status.ticks /
			      (self->start.rate * used));
	close(zero);
}
#endif

/* ... and a program that stays in user mode loses nothing by it. */
TEST_F(count, user_only)
{
	double used;

	self->start.flags = PROFIL_USER_ONLY;
	self->start.rate = get_info(self->fd).tick_hz;
	ASSERT_EQ(0, call(self->fd, PROFIL_IOC_START, &self->start));
	used = process_seconds();
	burn(1);
	used = process_seconds() - used;
	stop(self->fd);
	EXPECT_SHARE(0.9, 1.02, (double)self->counter /
				(self->start.rate * used));
}

/* A process that is not profiled is charged to nobody. */
TEST_F(count, sleeping)
{
	struct profil_status status;
	pid_t pid;

	ASSERT_EQ(0, call(self->fd, PROFIL_IOC_START, &self->start));
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		execl("/bin/sh", "sh", "-c",
		      "i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done",
		      NULL);
		_exit(1);
	}
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	status = stop(self->fd);
	EXPECT_GE(2, status.ticks);
}

TEST_HARNESS_MAIN
