/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests of the counters' memory share: what the kernel says of pins
 * and of the pages behind addresses.
 */
#ifndef SELFTESTS_MEMORY_H
#define SELFTESTS_MEMORY_H

#include <stdbool.h>
#include <stdlib.h>
#include <sys/uio.h>

#include "common.h"
#include "files.h"

/* What this process has pinned, as its status file has it. */
static inline long long pinned_kib(void)
{
	return number_in("/proc/self/status", "VmPin:");
}

/* Pages pinned on the whole machine. Up to date for root only. */
static inline long long pins_of_all(void)
{
	/* fold in what the processors keep for themselves */
	write_text("/proc/sys/vm/stat_refresh", "1");
	return number_in("/proc/vmstat", "nr_foll_pin_acquired ") -
	       number_in("/proc/vmstat", "nr_foll_pin_released ");
}

/*
 * Is nothing more pinned than before? Less may be: what an earlier test left to
 * a worker.
 */
static inline bool pins_went_back_to(long long before)
{
	int i;

	for (i = 0; i < 300 && pins_of_all() > before; i++)
		usleep(10000);
	return geteuid() || pins_of_all() <= before;
}

/*
 * Hold pages themselves, wherever they go, in a pipe of their own, to be looked
 * at once. 0, or an error.
 */
static inline int hold(void *at, size_t pages, int ends[2])
{
	struct iovec all = { at, pages * PAGE };

	return pipe2(ends, O_CLOEXEC) ||
	       vmsplice(ends[1], &all, 1, 0) != (ssize_t)all.iov_len;
}

static inline char *look_at_held(int ends[2], size_t pages)
{
	char *image = calloc(pages, PAGE);
	size_t done = 0;
	ssize_t got;

	while (done < pages * PAGE) {
		got = read(ends[0], image + done, pages * PAGE - done);
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	close(ends[0]);
	close(ends[1]);
	return image;
}

/* The physical page behind an address; 0 if there is none, or for root only. */
static inline uint64_t page_behind(const void *addr)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	off_t at = (off_t)((uintptr_t)addr / PAGE * sizeof(uint64_t));
	uint64_t entry = 0;

	if (fd < 0)
		return 0;
	if (pread(fd, &entry, sizeof(entry), at) != sizeof(entry))
		entry = 0;
	close(fd);
	return entry >> 63 ? entry & ((1ULL << 55) - 1) : 0;
}

/* Use CPU time in which so many more are counted. */
static inline bool counts_on(int fd, unsigned int more)
{
	struct profil_status before = get_status(fd);

	burn(time_of(more, before.rate));
	return get_status(fd).counted >= before.counted + more;
}

/* Sum of 64-bit counters, in memory that holds nothing else. */
static inline uint64_t sum_of(const void *counters, size_t bytes)
{
	const uint64_t *counter = counters;
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < bytes / sizeof(*counter); i++)
		sum += __atomic_load_n(&counter[i], __ATOMIC_RELAXED);
	return sum;
}

/* One that nobody misses a page of, and whose log nobody reads. */
static inline bool is_virtual(void)
{
	return !system("grep -qw hypervisor /proc/cpuinfo");
}

#endif /* SELFTESTS_MEMORY_H */
