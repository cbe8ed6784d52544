// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a fork of a profiled process costs more than of the same process without a profile. In a
 * guest whose clock counts instructions: one nanosecond is one instruction.
 *
 *	fork FORKS
 *
 * Part of it is not caused by the module, as the kernel copies each pinned page at fork: "kernel"
 * is what a fork costs more if io_uring has pinned the same pages, "module" is the rest. QEMU
 * counts each iteration of "rep movsq" and "rep stosq" as an instruction, unlike a processor.
 * Debian's kernels clear each page that they allocate and then copy into it, which adds 1,024 to
 * "kernel" for each page.
 *
 * Prints lines for bench/run: medians, because timer interrupts disturb some measurements.
 */
#include <linux/io_uring.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "common.h"

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

/* The child exits at once. */
static void fork_and_wait(uint64_t *cost)
{
	uint64_t begin = now();
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	*cost = now() - begin;
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		fail("fork: fork");
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
		fail("fork: sched_setscheduler");
	for (i = 0; i < nr; i++) {
		fork_and_wait(&costs[i]);
		usleep(1000);
	}
	if (sched_setscheduler(0, SCHED_OTHER, &none))
		fail("fork: sched_setscheduler");
	result = median(costs, nr);
	free(costs);
	return result;
}

static char *touched_memory(size_t bytes)
{
	char *memory = map_memory(bytes);

	if (memory == MAP_FAILED)
		fail("fork: mmap");
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
		fail("fork: start");
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
		fail("fork: memory");
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
		fputs("fork: the pinned pages are not the pages that were hit\n",
		      stderr);
		exit(1);
	}
	munmap(code, hits * STUB_BYTES);
	free(regions);
#else
	(void)counters;
	(void)bytes;
	(void)hits;
	fputs("fork: not for this architecture\n", stderr);
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
		fail("fork: io_uring");
	return ring;
}

/* A difference of two medians can be negative. */
static void print_cost(size_t pages, size_t pinned, const char *of, uint64_t more, size_t nr_forks)
{
	printf("fork,\"%zu pages, %zu pinned\",\"%s\",instructions,%lld,,%zu\n", pages, pinned, of,
	       (long long)more, nr_forks);
	fflush(stdout);
}

static void forks_of(size_t pages, size_t hits, size_t nr_forks)
{
	char *counters = touched_memory(pages * PAGE);
	uint64_t plain, pinned, profiled;
	struct profil_status status;
	int ring;

	/* warms the kernel's caches */
	cost_of_fork(10);
	plain = cost_of_fork(nr_forks);
	ring = pin_with_io_uring(counters, (hits ? hits : pages) * PAGE);
	pinned = cost_of_fork(nr_forks);
	/* a worker of the kernel unpins the pages */
	close(ring);
	sleep(1);

	if (hits)
		start_on_hit(counters, pages * PAGE, hits);
	else
		start_eager(counters, pages * PAGE);
	profiled = cost_of_fork(nr_forks);
	status = stop(device);
	if (status.fork_failures || status.forks_followed < nr_forks) {
		fputs("fork: children were not followed\n", stderr);
		exit(1);
	}
	print_cost(pages, hits ? hits : pages, "kernel", pinned - plain, nr_forks);
	print_cost(pages, hits ? hits : pages, "module", profiled - pinned, nr_forks);
	munmap(counters, pages * PAGE);
}

static void forks_of_all(size_t nr_forks)
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

int main(int argc, char **argv)
{
	size_t nr_forks = 0;

	/* the same page tables in every run */
	if (!(personality(0xffffffff) & ADDR_NO_RANDOMIZE)) {
		personality(ADDR_NO_RANDOMIZE);
		execv("/proc/self/exe", argv);
		fail("fork: execv");
	}
	device = open_device();
	if (argc == 2)
		nr_forks = strtoul(argv[1], NULL, 10);
	if (nr_forks < 1) {
		fputs("usage: fork FORKS\n", stderr);
		return 2;
	}
	if (device < 0)
		fail("fork: /dev/profil");
	forks_of_all(nr_forks);
	return 0;
}
