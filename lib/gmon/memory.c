// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The memory of the profile of a program compiled with -pg, in one mapping:
 *
 *	struct profil_gmon_profile, up to a page	copied by a fork
 *	counters and arcs				empty after a fork: see gmon.c
 *
 * It is mapped once, with room for the shared objects that are loaded later. Pages that nothing is
 * recorded in take no memory.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gmon/memory.h"

#define ALIGNMENT	64	/* of a cache line */

/* Protected by profil_guard_state */
static struct {
	char *start;
	size_t bytes;
	size_t used;
} memory;

static size_t round_up(size_t bytes, size_t unit)
{
	return (bytes + unit - 1) / unit * unit;
}

static size_t head_bytes(void)
{
	return round_up(sizeof(struct profil_gmon_profile), (size_t)getpagesize());
}

size_t profil_gmon_memory_size(size_t bytes)
{
	return head_bytes() + round_up(bytes, (size_t)getpagesize());
}

size_t profil_gmon_memory_bytes(void)
{
	return memory.bytes;
}

/* Map memory; at: NULL, or what it replaces. Return: 0 or -errno. */
static int map(char **at, size_t bytes, int fd)
{
	char *start = mmap(*at, bytes, PROT_READ | PROT_WRITE,
			   MAP_NORESERVE | (*at ? MAP_FIXED : 0) |
			   (fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED), fd, 0);

	if (start == MAP_FAILED)
		return -errno; /* GCOV_EXCL_LINE: out of memory */
	*at = start;
	if (fd < 0 && madvise(start + head_bytes(), bytes - head_bytes(), MADV_WIPEONFORK))
		return -errno; /* GCOV_EXCL_LINE: out of memory */
	return 0;
}

int profil_gmon_memory_map(struct profil_gmon_profile **profile, size_t bytes, int fd)
{
	const size_t size = profil_gmon_memory_size(bytes);
	char *start = NULL;
	int error;

	/*
	 * The mapping of an earlier profile is used again. It is never unmapped: a thread may still
	 * be in mcount().
	 */
	if (memory.bytes >= size)
		start = memory.start;
	error = map(&start, size, fd);
	if (error)
		return error; /* GCOV_EXCL_LINE: out of memory */
	memory.start = start;
	memory.bytes = size;
	memory.used = head_bytes();
	*profile = (struct profil_gmon_profile *)start;
	return 0;
}

void *profil_gmon_memory_take(size_t bytes)
{
	char *taken = memory.start + memory.used;

	if (bytes > memory.bytes - memory.used)
		return NULL;
	bytes = round_up(bytes, ALIGNMENT);
	/* what is left after the last one may be less than a cache line */
	memory.used = bytes > memory.bytes - memory.used ? memory.bytes : memory.used + bytes;
	return taken;
}

int profil_gmon_memory_replace(int fd)
{
	return map(&memory.start, memory.bytes, fd);
}
