// SPDX-License-Identifier: GPL-2.0-only
/*
 * On a machine with many possible CPUs, each short-lived child of a profiled process could
 * cost much time and memory, and so could each record that the reader of a log merges with samples.
 *
 * The bounds do not depend on the number of possible CPUs, except for one pointer each in
 * memory. `scripts/check/run many_cpus' runs it with 240, the other steps with 1 or 2.
 *
 * Costs are in instructions. The test first measures the duration of an instruction in a
 * loop. It subtracts the cost of a fork without a profile, which also grows with the number
 * of possible CPUs.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "attach/target.h"
#include "common.h"
#include "files.h"
#include "kernel/version.h"

#define ROUNDS		5
#define FORKS		60
#define STARTS		60
#define SLEEPERS	1000

/*
 * In instructions. Measured with 1 possible CPU: 44,000 and 19,200; with two CPUs and a tick
 * every 500,000 instructions: 67,000 and 14,800. From Linux 6.7 on, a start locks each mapping:
 * 26,100; more on arm64, where an atomic operation is several instructions, and on PREEMPT_RT,
 * where locks sleep: 29,400. With a lock, a phase and figures for each CPU from the start, it was
 * 62,800 and 37,000 with 64 CPUs, and 127,000 and 110,800 with 256.
 */
#define MOST_FORK	80000
#ifdef __x86_64__
#define MOST_START	(kernel_is_realtime() ? 34000 : 28000)
#else
#define MOST_START	34000
#endif
/*
 * In instructions: the records and samples between two turns from records to samples, and the turn.
 * Measured on Linux 6.1 with one CPU online: 932 with 1 possible CPU, 949 to 960 with 240. When the
 * reader looked at all of them for each turn, it was 35,900. The bound for many CPUs is 5 % above
 * that for 1. With two online on Linux 6.12, which both have samples, it was 1,466: the bound is
 * twice that for all other machines.
 */
#define MOST_TURN(cpus)	((cpus) > 2 ? 979 : 2932)
#define LEAST_TURNS	300
#define RATE		4000
/*
 * In bytes, without the pointer for each possible CPU: a session of 2 KiB, and unused slab
 * memory. With figures for each CPU from the start, it was 16,300 with 256 CPUs.
 */
#define MOST_MEMORY	4096

static double now(void)
{
	return clock_seconds(CLOCK_MONOTONIC_RAW);
}

static void fork_and_wait(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
}

/*
 * The mean, including the work that the module leaves to workers. Of some rounds, the least: with
 * two CPUs, the emulator runs one after the other, and in some rounds the parent or the child waits
 * for its CPU's turn.
 */
static double fork_seconds(void)
{
	double begin, mean, least = 0;
	int round, i;

	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < 10; i++)
			fork_and_wait();
		begin = now();
		for (i = 0; i < FORKS; i++)
			fork_and_wait();
		mean = (now() - begin) / FORKS;
		if (!round || mean < least)
			least = mean;
	}
	return least;
}

static double start_seconds(int fd, struct profil_start *start)
{
	double begin;
	int i;

	for (i = 0; i < 10; i++) {
		call(fd, PROFIL_IOC_START, start);
		stop(fd);
	}
	begin = now();
	for (i = 0; i < STARTS; i++) {
		call(fd, PROFIL_IOC_START, start);
		stop(fd);
	}
	return (now() - begin) / STARTS;
}

static double kernel_bytes(void)
{
	return 1024.0 * ((double)read_number("/proc/meminfo", "Slab:") +
			 (double)read_number("/proc/meminfo", "Percpu:"));
}

/* Slab and per-CPU memory of the kernel for a child that only sleeps. */
static double child_bytes(void)
{
	static pid_t children[SLEEPERS];
	double before, after;
	int i;

	usleep(500000);
	before = kernel_bytes();
	for (i = 0; i < SLEEPERS; i++) {
		children[i] = fork();
		if (!children[i]) {
			pause();
			_exit(0);
		}
	}
	usleep(500000);
	after = kernel_bytes();
	for (i = 0; i < SLEEPERS; i++) {
		if (children[i] > 0) {
			kill(children[i], SIGKILL);
			waitpid(children[i], NULL, 0);
		}
	}
	return (after - before) / SLEEPERS;
}

FIXTURE(cost) {
	int fd;
	double unit;
	long cpus;
	struct profil_region region;
	struct profil_start start;
};

FIXTURE_SETUP(cost)
{
	void *counter = map_memory(PAGE);

	REQUIRE_DEVICE(self->fd);
	ASSERT_NE(MAP_FAILED, counter);
	memset(counter, 0, PAGE);
	count_all(&self->start, &self->region, counter, 64, get_info(self->fd).tick_hz);
	/*
	 * A while after the last session or target of a test before, the module detaches its hooks.
	 * That takes tens of ms, for which a START waits, and which is no cost of a fork.
	 */
	detach_hooks_early(true);
	sleep(2);
	detach_hooks_early(false);
	self->unit = instruction_seconds();
	self->cpus = sysconf(_SC_NPROCESSORS_CONF);
}

FIXTURE_TEARDOWN(cost)
{
	stop(self->fd);
	close(self->fd);
}

TEST_F(cost, fork_and_exit)
{
	double plain = fork_seconds(), profiled;

	ASSERT_EQ(0, call(self->fd, PROFIL_IOC_START, &self->start));
	profiled = fork_seconds();
	TH_LOG("%ld possible CPUs: fork and exit: %.0f instructions, %.0f more with a profile",
	       self->cpus, plain / self->unit, (profiled - plain) / self->unit);
	EXPECT_EQ(ROUNDS * (FORKS + 10), get_status(self->fd).forks_followed);
	EXPECT_GE(MOST_FORK, (profiled - plain) / self->unit);
}

TEST_F(cost, start_and_stop)
{
	double seconds = start_seconds(self->fd, &self->start);

	TH_LOG("%ld possible CPUs: start and stop: %.0f instructions",
	       self->cpus, seconds / self->unit);
	EXPECT_GE(MOST_START, seconds / self->unit);
}

static void *do_nothing(void *unused)
{
	return unused;
}

/* Each thread has a record at its end, and samples before and after it. */
static void start_threads(void *unused)
{
	pthread_t thread;

	for (;;)
		if (!pthread_create(&thread, NULL, do_nothing, unused))
			pthread_join(thread, NULL);
}

/* How often a sample follows a record of another kind in what was read. */
static unsigned int count_turns(const char *records, ssize_t bytes)
{
	const struct profil_record *record;
	bool sample = true, was_sample;
	unsigned int turns = 0;
	ssize_t at;

	for (at = 0; at < bytes; at += record->bytes) {
		record = (const void *)(records + at);
		was_sample = sample;
		sample = record->type == PROFIL_RECORD_SAMPLE ||
			 record->type == PROFIL_RECORD_KERNEL_SAMPLE;
		turns += sample && !was_sample;
	}
	return turns;
}

/* The time of one read(2) for each turn from records to samples; -1: there were too few. */
static double turn_seconds(int device)
{
	static char records[4 << 20];
	struct target target;
	struct profil_attach attach;
	double begin, seconds = -1;
	unsigned int turns;
	ssize_t bytes;

	if (start_target(&target, device, start_threads, NULL))
		return -1;
	attach = attachment(device, &target);
	attach.clock = PROFIL_CLOCK_TIMER;
	attach.rate = RATE;
	attach.log_bytes = 1 << 20;
	if (!call(device, PROFIL_IOC_ATTACH, &attach)) {
		/* no page fault in the measured read */
		memset(records, 1, sizeof(records));
		release(&target);
		usleep(500000);
		kill(target.pid, SIGSTOP);
		fcntl(device, F_SETFL, O_NONBLOCK);
		begin = now();
		bytes = read(device, records, sizeof(records));
		seconds = now() - begin;
		turns = count_turns(records, bytes);
		seconds = turns < LEAST_TURNS ? -1 : seconds / turns;
	}
	kill_target(&target);
	return seconds;
}

TEST_F(cost, read_of_a_log)
{
	double seconds, least = 1;
	int round, device;

	if (!(get_info(self->fd).features & PROFIL_FEATURE_ATTACH))
		SKIP(return, "the kernel cannot attach");
	for (round = 0; round < ROUNDS; round++) {
		device = open("/dev/profil", O_RDWR);
		seconds = turn_seconds(device);
		close(device);
		ASSERT_LT(0, seconds);
		if (seconds < least)
			least = seconds;
	}
	TH_LOG("%ld possible CPUs: a turn of a read from records to samples: %.0f instructions",
	       self->cpus, least / self->unit);
	EXPECT_GE(MOST_TURN(self->cpus), least / self->unit);
}

TEST_F(cost, memory)
{
	double plain, profiled;

	/* fill the caches first: they keep memory */
	child_bytes();
	plain = child_bytes();
	ASSERT_EQ(0, call(self->fd, PROFIL_IOC_START, &self->start));
	profiled = child_bytes();
	TH_LOG("%ld possible CPUs: %.0f bytes of slab and per-CPU memory for a child's session",
	       self->cpus, profiled - plain);
	EXPECT_GE(MOST_MEMORY + 8.0 * (double)self->cpus, profiled - plain);
}

TEST_HARNESS_MAIN
