// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads counts of pinned pages, and keeps references to pages in a pipe.
 */
#include "kernel/pinned_pages.h"
#include "eventually.h"

long long pinned_kib(void)
{
	return read_number("/proc/self/status", "VmPin:");
}

long long pins_of_all(void)
{
	/* add the per-CPU counts */
	write_text("/proc/sys/vm/stat_refresh", "1");
	return read_number("/proc/vmstat", "nr_foll_pin_acquired ") -
	       read_number("/proc/vmstat", "nr_foll_pin_released ");
}

bool pins_return_to(long long before)
{
	int i;

	for (i = 0; i < 300 && pins_of_all() > before; i++)
		usleep(10000);
	return geteuid() || pins_of_all() <= before;
}

int splice_pages(void *at, size_t pages, int ends[2])
{
	struct iovec all = { at, pages * PAGE };

	return pipe2(ends, O_CLOEXEC) ||
	       vmsplice(ends[1], &all, 1, 0) != (ssize_t)all.iov_len;
}

char *read_spliced_pages(int ends[2], size_t pages)
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

uint64_t physical_page(const void *addr)
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

bool still_counts(int fd, unsigned int more)
{
	struct profil_status before = get_status(fd);

	return WORK_UNTIL(burn(seconds_for(more, before.rate)),
			  get_status(fd).counted >= before.counted + more);
}

uint64_t sum_counters(const void *counters, size_t bytes)
{
	const uint64_t *counter = counters;
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < bytes / sizeof(*counter); i++)
		sum += __atomic_load_n(&counter[i], __ATOMIC_RELAXED);
	return sum;
}

bool in_virtual_machine(void)
{
	return !system("grep -qw hypervisor /proc/cpuinfo");
}
