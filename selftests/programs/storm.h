/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The operations of storm.c on the memory and the profile of its own process. Each returns whether
 * the kernel allowed it.
 */
#ifndef SELFTESTS_STORM_H
#define SELFTESTS_STORM_H

#include <stdbool.h>

#include "common.h"

/*
 * The memory of the counters in every process. Nothing else is mapped there, because mmap() takes
 * the highest free address. So random pages of it may be unmapped and replaced.
 */
#define ARENA		0x100000000000UL
#define ARENA_PAGES	((size_t)1024)
#define ARENA_BYTES	(ARENA_PAGES * PAGE)

#define MAX_OPERATIONS	32
#define STORM_PIDS	16

/* Shared by all processes */
static struct shared {
	double deadline;		/* on CLOCK_MONOTONIC */
	uint64_t seed;
	uint64_t processes;		/* and threads so far: seeds their random numbers */
	uint64_t crashes;
	pid_t pids[STORM_PIDS];		/* of some processes, which may have ended */
	struct {
		uint64_t done;
		uint64_t refused;
	} figures[MAX_OPERATIONS];
} *shared;

/* Of each process */
static int device, memfd, zeroes;
static unsigned int tick_hz;
static int nr_threads = 1;

static __thread uint64_t random_state;

/* Returns a random number below the limit (xorshift64*). */
static uint64_t below(uint64_t limit)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return (random_state * 0x2545f4914f6cdd1dULL >> 32) % limit;
}

/* Runs in each new process and thread. */
static void new_random_state(void)
{
	random_state = (shared->seed << 32) +
		       __atomic_add_fetch(&shared->processes, 1, __ATOMIC_RELAXED);
	random_state *= 0x9e3779b97f4a7c15ULL;
	shared->pids[below(STORM_PIDS)] = getpid();
}

static bool time_is_up(void)
{
	return clock_seconds(CLOCK_MONOTONIC) >= shared->deadline;
}

/* --- memory ---------------------------------------------------------------- */

static char *random_pages(size_t *bytes)
{
	size_t first = below(ARENA_PAGES), pages = 1 + below(64);

	/* sometimes all of them */
	if (!below(20))
		pages = ARENA_PAGES;
	if (pages > ARENA_PAGES - first)
		pages = ARENA_PAGES - first;
	*bytes = pages * PAGE;
	return (char *)ARENA + first * PAGE;
}

static bool map_at(char *addr, size_t bytes)
{
	static const int kinds[] = {
		MAP_PRIVATE | MAP_ANONYMOUS, MAP_SHARED | MAP_ANONYMOUS,
		MAP_SHARED, MAP_PRIVATE,
	};
	int kind = kinds[below(4)];

	return mmap(addr, bytes, PROT_READ | PROT_WRITE, kind | MAP_FIXED,
		    kind & MAP_ANONYMOUS ? -1 : memfd, addr - (char *)ARENA) != MAP_FAILED;
}

static bool do_map(void)
{
	size_t bytes;
	char *addr = random_pages(&bytes);

	return map_at(addr, bytes);
}

static bool do_munmap(void)
{
	size_t bytes;
	char *addr = random_pages(&bytes);

	return !munmap(addr, bytes);
}

static bool do_mprotect(void)
{
	static const int protections[] = {
		PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE,
	};
	size_t bytes;
	char *addr = random_pages(&bytes);

	return !mprotect(addr, bytes, protections[below(3)]);
}

static bool do_madvise(void)
{
	static const int advices[] = {
		MADV_DONTNEED, MADV_FREE, MADV_REMOVE, MADV_PAGEOUT, MADV_COLD,
		MADV_HUGEPAGE, MADV_NOHUGEPAGE, MADV_MERGEABLE,
		MADV_UNMERGEABLE, MADV_DONTFORK, MADV_DOFORK, MADV_WIPEONFORK,
		MADV_KEEPONFORK, 22 /* POPULATE_READ */,
		23 /* POPULATE_WRITE */, 25 /* COLLAPSE */,
	};
	size_t bytes;
	char *addr = random_pages(&bytes);

	return !madvise(addr, bytes, advices[below(sizeof(advices) / sizeof(*advices))]);
}

static bool do_mremap(void)
{
	size_t bytes, room;
	char *from = random_pages(&bytes), *to = random_pages(&room);

	switch (below(3)) {
	case 0:	/* shrink */
		return mremap(from, bytes, bytes / PAGE / 2 * PAGE, 0) !=
		       MAP_FAILED;
	case 1:
		return mremap(from, room, room, MREMAP_MAYMOVE | MREMAP_FIXED |
			      4 /* DONTUNMAP */, to) != MAP_FAILED;
	default:
		return mremap(from, room, room, MREMAP_MAYMOVE | MREMAP_FIXED, to) != MAP_FAILED;
	}
}

static bool do_truncate(void)
{
	return !ftruncate(memfd, below(2) ? (off_t)ARENA_BYTES : (off_t)below(ARENA_BYTES));
}

/* Writes the pages by a system call, which only fails if they are missing. */
static bool do_touch(void)
{
	size_t bytes;
	char *addr = random_pages(&bytes);

	return read(zeroes, addr, bytes) > 0;
}

static bool do_clear_refs(void)
{
	int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, below(2) ? "4" : "1", 1) == 1;

	close(fd);
	return done;
}

/* --- profiles -------------------------------------------------------------- */

extern char __executable_start[], etext[];

/* The program's text is counted in many pages, all other pcs in the last region. */
static bool start(unsigned int flags)
{
	static const unsigned int widths[] = { 16, 32, 64 };
	struct profil_region regions[8];
	struct profil_start arg;
	uintptr_t text = (uintptr_t)__executable_start;
	size_t length = (size_t)(etext - __executable_start), bytes;
	unsigned int width = widths[below(3)], i;
	char *addr = random_pages(&bytes);

	/* mostly valid memory */
	if (below(4))
		map_at(addr, bytes);
	count_all(&arg, &regions[0], addr, width, below(2) ? tick_hz : 100);
	if (below(2)) {
		arg.clock = PROFIL_CLOCK_TIMER + below(2);
		arg.rate = 1 + below(4000);
	}
	arg.flags = flags | (below(4) ? 0 : PROFIL_USER_ONLY);
	arg.overflow = (unsigned int)below(3);
	arg.nr_regions = 1 + (unsigned int)below(8);
	length /= arg.nr_regions;
	bytes /= arg.nr_regions;
	for (i = 0; i < arg.nr_regions; i++)
		regions[i] = (struct profil_region) {
			.start = text + i * length,
			.end = text + (i + 1) * length,
			.offset = text + i * length,
			.buf = (uintptr_t)addr + i * bytes / 8 * 8,
			.bytes = bytes,
			.scale = (uint32_t)(bytes * 65536 / length),
		};
	regions[i - 1].end = 0;
	regions[i - 1].scale = 0;
	regions[i - 1].rounding = PROFIL_ROUND_FIRST;
	if (!below(8) && width > 16) {
		arg.flags |= PROFIL_PC_LOG;
		arg.nr_regions = 0;
		arg.regions = 0;
		arg.overflow = 0;
		arg.log = (uintptr_t)addr;
		arg.log_bytes = bytes;
	} else if (below(2)) {
		arg.catch_all = (uintptr_t)addr;
	}
	return !call(device, PROFIL_IOC_START, &arg);
}

static bool do_start(void)
{
	return start(0);
}

static bool do_start_on_hit(void)
{
	return start(PROFIL_PIN_ON_HIT);
}

static bool do_stop(void)
{
	return stop(device).state <= PROFIL_STATE_FAULT;
}

static bool do_status(void)
{
	return get_status(device).state <= PROFIL_STATE_FAULT;
}

static bool do_burn(void)
{
	volatile uint64_t i = 10000 + below(400000);

	while (i)
		i--;
	return true;
}

/*
 * A counter on the stack, while the function runs. Not with several threads: another thread may
 * fork, and the child would reuse the stack while its profile runs.
 */
static bool do_stack(void)
{
	struct profil_region region;
	struct profil_start arg;
	uint64_t counter = 0;
	bool done;

	if (__atomic_load_n(&nr_threads, __ATOMIC_SEQ_CST) > 1)
		return false;
	count_all(&arg, &region, &counter, 64, tick_hz);
	done = !call(device, PROFIL_IOC_START, &arg);
	do_burn();
	stop(device);
	return done;
}

#endif /* SELFTESTS_STORM_H */
