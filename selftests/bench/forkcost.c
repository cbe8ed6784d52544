// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures the cost of fork and of starting a profile, for scripts/bench/fork, in a guest whose
 * clock counts instructions (scripts/vm/run --icount): one nanosecond is one instruction.
 *
 *	forkcost profiled [FORKS]	forks of a profiled process; for comparison, of the same
 *					process without a profile, and with its pages pinned by
 *					io_uring: fork copies pinned pages even without the module
 *	forkcost unprofiled [FORKS]	forks of an unprofiled process, while another is profiled
 *	forkcost start			start of a profile of 64 MiB
 *
 * Each line of output is a name and numbers. They are medians, because timer interrupts disturb
 * some measurements.
 */
#include <linux/io_uring.h>
#include <sched.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "common.h"
#include "files.h"

#define STUB_BYTES	16

static int device;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_RAW, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

static uint64_t median(uint64_t *values, size_t nr)
{
	qsort(values, nr, sizeof(*values), compare);
	return values[nr / 2];
}

struct cost {
	uint64_t fork;	/* in the parent, until fork() returns */
	uint64_t all;	/* total, with workers, the child's exit, and wait() */
};

/* The child exits at once. */
static void fork_and_wait(uint64_t *cost)
{
	uint64_t begin = now();
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	*cost = now() - begin;
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		fail("forkcost: fork");
}

/*
 * The cost in the parent. Real-time priority keeps the child and workers off the CPU during fork();
 * they run in the pauses.
 */
static uint64_t cost_of_fork(size_t nr)
{
	struct sched_param one = { .sched_priority = 1 }, none = { 0 };
	uint64_t *costs = calloc(nr, sizeof(*costs)), result;
	size_t i;

	if (!costs || sched_setscheduler(0, SCHED_FIFO, &one))
		fail("forkcost: sched_setscheduler");
	for (i = 0; i < nr; i++) {
		fork_and_wait(&costs[i]);
		usleep(1000);
	}
	if (sched_setscheduler(0, SCHED_OTHER, &none))
		fail("forkcost: sched_setscheduler");
	result = median(costs, nr);
	free(costs);
	return result;
}

/* The mean, not the median, so that deferred work in a worker is included. */
static uint64_t cost_of_all(size_t nr)
{
	uint64_t begin = 0, unused;
	size_t i, warm = 4;

	for (i = 0; i < nr + warm; i++) {
		if (i == warm)
			begin = now();
		fork_and_wait(&unused);
	}
	return (now() - begin) / nr;
}

static struct cost measure_forks(size_t nr)
{
	struct cost cost = {
		.fork = cost_of_fork(nr),
		.all = cost_of_all(nr),
	};

	return cost;
}

static char *touched_memory(size_t bytes)
{
	char *memory = map_memory(bytes);

	if (memory == MAP_FAILED)
		fail("forkcost: mmap");
	/* the same number of pages each time */
	madvise(memory, bytes, MADV_NOHUGEPAGE);
	memset(memory, 0, bytes);
	return memory;
}

static void start_or_fail(struct profil_start *start)
{
	int error = call(device, PROFIL_IOC_START, start);

	if (error) {
		errno = error;
		fail("forkcost: start");
	}
}

static void start_eager(char *counters, size_t bytes)
{
	struct profil_region region;
	struct profil_start start;

	count_all(&start, &region, counters, 64, get_info(device).tick_hz);
	region.bytes = bytes;
	start_or_fail(&start);
}

/*
 * Starts a profile that pins pages on hit, and hits the first @hits pages: each has a piece of code
 * that loops until its counter is hit.
 */
static void start_on_hit(char *counters, size_t bytes, size_t hits)
{
#ifdef __x86_64__
	/* 1: cmpq $0, (%rdi); je 1b; ret */
	static const unsigned char stub[] = {
		0x48, 0x83, 0x3f, 0x00, 0x74, 0xfa, 0xc3
	};
	struct profil_region *regions = calloc(hits, sizeof(*regions));
	char *code = map_code(hits * STUB_BYTES);
	struct profil_start start;
	size_t i;

	if (!regions || code == MAP_FAILED)
		fail("forkcost: memory");
	for (i = 0; i < hits; i++) {
		char *at = code + i * STUB_BYTES;

		memcpy(at, stub, sizeof(stub));
		count_all(&start, &regions[i], counters + i * PAGE, 64,
			  get_info(device).tick_hz);
		regions[i].start = (uintptr_t)at;
		regions[i].end = (uintptr_t)at + STUB_BYTES;
		regions[i].offset = regions[i].start;
	}
	/* the last region has all pages that are not hit */
	regions[hits - 1].bytes = bytes - (hits - 1) * PAGE;
	start.nr_regions = (uint32_t)hits;
	start.regions = (uintptr_t)regions;
	start.flags = PROFIL_PIN_ON_HIT;
	start_or_fail(&start);
	for (i = 0; i < hits; i++)
		((void (*)(void *))(code + i * STUB_BYTES))(counters +
							    i * PAGE);
	if (get_status(device).pinned_bytes != hits * PAGE) {
		fputs("forkcost: the pinned pages are not the pages that were hit\n",
		      stderr);
		exit(1);
	}
	munmap(code, hits * STUB_BYTES);
	free(regions);
#else
	(void)counters;
	(void)bytes;
	(void)hits;
	fputs("forkcost: not for this architecture\n", stderr);
	exit(1);
#endif
}

/* Pins pages with io_uring, as the module does. Return: a descriptor that holds the pins. */
static int pin_with_io_uring(char *memory, size_t bytes)
{
	struct iovec buffer = { memory, bytes };
	struct io_uring_params params = { 0 };
	int ring = (int)syscall(SYS_io_uring_setup, 1, &params);

	if (ring < 0 || syscall(SYS_io_uring_register, ring,
				IORING_REGISTER_BUFFERS, &buffer, 1))
		fail("forkcost: io_uring");
	return ring;
}

static void forks_of(size_t pages, size_t hits, size_t nr_forks)
{
	char *counters = touched_memory(pages * PAGE);
	struct cost plain, pinned, profiled;
	struct profil_status status;
	int ring;

	/* warms the kernel's caches */
	measure_forks(10);
	plain = measure_forks(nr_forks);
	ring = pin_with_io_uring(counters, (hits ? hits : pages) * PAGE);
	pinned = measure_forks(nr_forks);
	/* a worker of the kernel unpins the pages */
	close(ring);
	sleep(1);

	if (hits)
		start_on_hit(counters, pages * PAGE, hits);
	else
		start_eager(counters, pages * PAGE);
	profiled = measure_forks(nr_forks);
	status = stop(device);
	if (status.fork_failures || status.forks_followed < nr_forks) {
		fputs("forkcost: children were not followed\n", stderr);
		exit(1);
	}
	printf("forks %zu %zu %llu %llu %llu %llu %llu %llu\n", pages,
	       hits ? hits : pages, (unsigned long long)plain.fork,
	       (unsigned long long)pinned.fork,
	       (unsigned long long)profiled.fork,
	       (unsigned long long)plain.all, (unsigned long long)pinned.all,
	       (unsigned long long)profiled.all);
	fflush(stdout);
	munmap(counters, pages * PAGE);
}

static void profiled(size_t nr_forks)
{
	static const size_t pages[] = { 1, 16, 256, 2048 };
	size_t i;

	/*
	 * In ascending order: the allocator behaves differently for a while after thousands of
	 * pages have been freed.
	 */
	for (i = 0; i < sizeof(pages) / sizeof(*pages); i++)
		forks_of(pages[i], 1, nr_forks);
	forks_of(2048, 16, nr_forks);
	forks_of(2048, 256, nr_forks);
	for (i = 0; i < sizeof(pages) / sizeof(*pages); i++)
		forks_of(pages[i], 0, nr_forks);
}

/*
 * Runs in another process, which starts or stops its profile at each byte that it reads, and sleeps
 * otherwise. It was executed, not only forked, because shared pages would add to the cost of forks.
 */
static void sleep_and_toggle(void)
{
	char *counters = touched_memory(PAGE), byte;
	bool profiled = false;

	while (read(0, &byte, 1) == 1) {
		profiled = !profiled;
		if (device >= 0 && profiled)
			start_eager(counters, PAGE);
		else
			stop(device);
		if (write(1, &byte, 1) != 1)
			break;
	}
}

struct sleeper {
	pid_t pid;
	int in;
	int out;
};

static struct sleeper begin_sleeper(void)
{
	char *argv[] = { "forkcost", "sleep", NULL };
	posix_spawn_file_actions_t actions;
	struct sleeper sleeper;
	int in[2], out[2];

	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		fail("forkcost: pipe");
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in[0], 0);
	posix_spawn_file_actions_adddup2(&actions, out[1], 1);
	if (posix_spawn(&sleeper.pid, "/proc/self/exe", &actions, NULL, argv,
			environ))
		fail("forkcost: posix_spawn");
	posix_spawn_file_actions_destroy(&actions);
	close(in[0]);
	close(out[1]);
	sleeper.in = in[1];
	sleeper.out = out[0];
	return sleeper;
}

static void toggle_sleeper(const struct sleeper *sleeper)
{
	char byte = 'x';

	if (write(sleeper->in, &byte, 1) != 1 ||
	    read(sleeper->out, &byte, 1) != 1)
		fail("forkcost: sleeper");
	/* hooks are detached a second after their last use: detach_hooks_early() */
	sleep(3);
}

/*
 * Measures in turn with the module's hooks detached, and attached because another process is
 * profiled. Without the module, only the profile is missing.
 */
static void unprofiled(size_t nr_forks)
{
	char *memory = touched_memory(16 * PAGE);
	struct sleeper sleeper = begin_sleeper();
	int i;

	detach_hooks_early(true);
	/* warms the kernel's caches */
	cost_of_fork(nr_forks);
	for (i = 0; i < 3; i++) {
		printf("unprofiled idle %llu\n",
		       (unsigned long long)cost_of_fork(nr_forks));
		toggle_sleeper(&sleeper);
		printf("unprofiled hooked %llu\n",
		       (unsigned long long)cost_of_fork(nr_forks));
		toggle_sleeper(&sleeper);
	}
	close(sleeper.in);
	waitpid(sleeper.pid, NULL, 0);
	munmap(memory, 16 * PAGE);
}

/* Return: the cost of starting a profile of 64 MiB, in instructions, without the stop. */
static uint64_t start_cost(bool touched, unsigned int flags)
{
	size_t bytes = 64 << 20, i;
	struct profil_region region;
	struct profil_start start;
	uint64_t costs[5], begin;
	char *counters;

	for (i = 0; i < 5; i++) {
		counters = touched ? touched_memory(bytes) : map_memory(bytes);
		count_all(&start, &region, counters, 64, 100);
		region.bytes = bytes;
		start.flags = flags;
		begin = now();
		start_or_fail(&start);
		costs[i] = now() - begin;
		stop(device);
		munmap(counters, bytes);
	}
	return median(costs, 5);
}

static void start(void)
{
	/* the first start attaches the hooks, which is not measured */
	char *counters = touched_memory(PAGE);

	start_eager(counters, PAGE);
	stop(device);
	printf("start touched %llu %llu\n",
	       (unsigned long long)start_cost(true, 0),
	       (unsigned long long)start_cost(true, PROFIL_PIN_ON_HIT));
	printf("start untouched %llu %llu\n",
	       (unsigned long long)start_cost(false, 0),
	       (unsigned long long)start_cost(false, PROFIL_PIN_ON_HIT));
}

int main(int argc, char **argv)
{
	size_t nr_forks = 200;

	/* the same page tables in every run */
	if (!(personality(0xffffffff) & ADDR_NO_RANDOMIZE)) {
		personality(ADDR_NO_RANDOMIZE);
		execv("/proc/self/exe", argv);
		fail("forkcost: execv");
	}
	device = open_device();
	if (argc > 2)
		nr_forks = strtoul(argv[2], NULL, 10);
	if (argc < 2 || nr_forks < 1) {
		fputs("usage: forkcost profiled|unprofiled|start [FORKS]\n",
		      stderr);
		return 2;
	}
	if (!strcmp(argv[1], "unprofiled"))
		unprofiled(nr_forks);
	else if (!strcmp(argv[1], "sleep"))
		sleep_and_toggle();
	else if (device < 0)
		fail("forkcost: /dev/profil");
	else if (!strcmp(argv[1], "profiled"))
		profiled(nr_forks);
	else
		start();
	return 0;
}
