/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests of the counters' memory share: what the kernel says of pins
 * and of the pages behind addresses.
 */
#ifndef SELFTESTS_MEMORY_H
#define SELFTESTS_MEMORY_H

#include <grp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "common.h"

#define PAGE	((size_t)sysconf(_SC_PAGESIZE))

/* The number behind a name at the start of a line. -1 if there is none. */
static inline long long number_in(const char *path, const char *name)
{
	FILE *file = fopen(path, "re");
	long long number = -1;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, strlen(name)) &&
		    sscanf(line + strlen(name), "%lld", &number) == 1)
			break;
	if (file)
		fclose(file);
	return number;
}

/* 0 or errno. */
static inline int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int error = 0;

	if (fd < 0)
		return errno;
	if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		error = errno;
	close(fd);
	return error;
}

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

	for (i = 0; i < 100 && pins_of_all() > before; i++)
		usleep(20000);
	return geteuid() || pins_of_all() <= before;
}

/* A figure of the module, for all users and processes. */
static inline long long figure(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/class/misc/profil/%s", name);
	return number_in(path, "");
}

/* What a process that has ended leaves to a worker comes a little later. */
static inline bool figure_becomes(const char *name, long long value)
{
	int i;

	for (i = 0; i < 250 && figure(name) != value; i++)
		usleep(20000);
	return figure(name) == value;
}

/*
 * For a child: be a user of no rights, who may pin so many pages. Tests take a
 * user each, so that none is charged for another's pages.
 */
static inline int become_user(uid_t uid, size_t pages)
{
	struct rlimit limit = { pages * PAGE, pages * PAGE };

	return setrlimit(RLIMIT_MEMLOCK, &limit) || setgroups(0, NULL) ||
	       setgid(uid) || setuid(uid) ? errno : 0;
}

/* Exit status of a child, as the shell has it; -1 if there is no such child. */
static inline int wait_for(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) :
				   128 + WTERMSIG(status);
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

/*
 * Use CPU time until so many more are counted. It takes as many ticks, or longer,
 * as a busy host delivers a guest's ticks late and in lumps.
 */
static inline bool counts_on(int fd, uint64_t more)
{
	uint64_t before = get_status(fd).counted;
	int i;

	for (i = 0; i < 100; i++) {
		burn(0.008);
		if (get_status(fd).counted >= before + more)
			return true;
	}
	return false;
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

#endif /* SELFTESTS_MEMORY_H */
