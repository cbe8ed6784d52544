// SPDX-License-Identifier: GPL-2.0-only
/*
 * The shared memory of a run: making it, and reading it with suspicion. The
 * profiled program has it mapped writable all the time, and so have the
 * children it forked, which may outlive it. So everything but the counters is
 * copied before it is checked, and the memory is sealed against shrinking
 * before it is measured.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runfile.h"

/* Linux 6.3; without it, newer kernels log a warning */
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL	0x0008U
#endif

int runfile_create(uint32_t rate, uint32_t clock)
{
	const struct profil_run header = {
		.magic = PROFIL_RUN_MAGIC,
		.version = PROFIL_RUN_VERSION,
		.state = PROFIL_RUN_EMPTY,
		.rate = rate,
		.clock = clock,
		.size = sizeof(header),
	};
	const unsigned int flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
	ssize_t written;
	int fd;

	fd = memfd_create("profil", flags | MFD_NOEXEC_SEAL);
	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("profil", flags);
	if (fd < 0)
		return -errno;
	written = pwrite(fd, &header, sizeof(header), 0);
	if (written != (ssize_t)sizeof(header)) {
		int error = written < 0 ? errno : EIO;

		close(fd);
		return -error;
	}
	return fd;
}

static int damaged(const char **why, const char *what)
{
	*why = what;
	return -EBADMSG;
}

/* Do @nr things of @each bytes from offset @at on lie within @size bytes? */
static bool within(uint64_t size, uint64_t at, uint64_t nr, uint64_t each)
{
	return at <= size && nr <= (size - at) / each;
}

static bool is_counter(uint64_t size, uint64_t at, uint64_t nr)
{
	return at % sizeof(uint32_t) == 0 &&
	       within(size, at, nr, sizeof(uint32_t));
}

/*
 * No larger than what can be shrunk no more. A program that seals the seals
 * first keeps us from that, and gets no profile.
 */
static int map_memory(int fd, struct runfile *run, const char **why)
{
	struct stat st;
	void *map;

	if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK)) {
		int seals = fcntl(fd, F_GET_SEALS);

		if (seals < 0)
			return -errno;
		if (!(seals & F_SEAL_SHRINK))
			return damaged(why, "the program sealed it");
	}
	if (fstat(fd, &st))
		return -errno;
	if ((uint64_t)st.st_size < sizeof(run->header))
		return damaged(why, "it is shorter than its header");
	if ((uint64_t)st.st_size > SIZE_MAX)
		return -EFBIG;
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	run->map = map;
	run->map_bytes = (size_t)st.st_size;
	memcpy(&run->header, map, sizeof(run->header));
	return 0;
}

static int check_header(const struct runfile *run, const char **why)
{
	const struct profil_run *header = &run->header;

	if (header->magic != PROFIL_RUN_MAGIC)
		return damaged(why, "its magic number is gone");
	if (header->version != PROFIL_RUN_VERSION)
		return damaged(why, "it is of another version");
	if (header->state > PROFIL_RUN_STARTED)
		return damaged(why, "its state is unknown");
	if (header->state == PROFIL_RUN_FAILED &&
	    !memchr(header->message, 0, sizeof(header->message)))
		return damaged(why, "its message has no end");
	if (header->state != PROFIL_RUN_STARTED)
		return 0;
	if (!header->rate)
		return damaged(why, "its rate is 0");
	if (header->text_bytes < sizeof(uint32_t))
		return damaged(why, "its counters stand for too little text");
	if (header->text_bytes & (header->text_bytes - 1))
		return damaged(why, "its counters stand for no power of two");
	if (header->size > run->map_bytes)
		return damaged(why, "it is shorter than it says");
	if (!is_counter(header->size, header->outside, 1))
		return damaged(why, "the counter for other pcs lies outside");
	if (!within(header->size, header->objects, header->nr_objects,
		    sizeof(struct profil_run_object)))
		return damaged(why, "its objects lie outside");
	return 0;
}

static int copy_path(struct runfile *run, uint64_t at, char **path,
		     const char **why)
{
	uint64_t room;

	if (at >= run->header.size)
		return damaged(why, "a path lies outside");
	room = run->header.size - at;
	if (room > PATH_MAX)
		room = PATH_MAX;
	/* strndup() copies what it measured, even if that changes meanwhile */
	*path = strndup((const char *)run->map + at, room);
	if (!*path)
		return -ENOMEM;
	if (strlen(*path) == room)
		return damaged(why, "a path has no end");
	return 0;
}

/*
 * @room: how many counters there can still be: were objects allowed to share
 * them, a small memory could hold work for hours
 */
static int copy_object(struct runfile *run, size_t i, uint64_t *room,
		       const char **why)
{
	const char *from = (const char *)run->map + run->header.objects;
	struct runfile_object *object = &run->objects[i];
	struct profil_run_object raw;

	memcpy(&raw, from + i * sizeof(raw), sizeof(raw));
	if (raw.start >= raw.end)
		return damaged(why, "an object ends before it starts");
	if (i && raw.start < object[-1].end)
		return damaged(why, "its objects are not in order");
	if (!is_counter(run->header.size, raw.counters, raw.nr_counters))
		return damaged(why, "counters lie outside");
	if (raw.nr_counters > *room)
		return damaged(why, "objects share counters");
	*room -= raw.nr_counters;
	if (raw.nr_counters > (raw.end - raw.start - 1) / run->header.text_bytes + 1)
		return damaged(why, "counters stand for pcs outside their object");
	/* the bias may be negative: an object linked high and loaded low */
	if (raw.end - raw.bias < raw.start - raw.bias)
		return damaged(why, "an object was linked at impossible addresses");

	object->start = raw.start;
	object->end = raw.end;
	object->bias = raw.bias;
	object->counters = (const void *)((const char *)run->map +
					  raw.counters);
	object->nr_counters = (size_t)raw.nr_counters;
	return copy_path(run, raw.path, &object->path, why);
}

int runfile_read(int fd, struct runfile *run, const char **why)
{
	uint64_t room;
	int error;
	size_t i;

	memset(run, 0, sizeof(*run));
	error = map_memory(fd, run, why);
	if (error)
		return error;
	error = check_header(run, why);
	if (error || run->header.state != PROFIL_RUN_STARTED)
		return error;
	run->outside = (const void *)((const char *)run->map +
				      run->header.outside);
	if (!run->header.nr_objects)
		return damaged(why, "it has no objects");
	run->objects = calloc((size_t)run->header.nr_objects,
			      sizeof(*run->objects));
	if (!run->objects)
		return -ENOMEM;
	run->nr_objects = (size_t)run->header.nr_objects;
	room = run->header.size / sizeof(uint32_t);
	for (i = 0; i < run->nr_objects; i++) {
		error = copy_object(run, i, &room, why);
		if (error)
			return error;
	}
	return 0;
}

void runfile_release(struct runfile *run)
{
	size_t i;

	for (i = 0; i < run->nr_objects; i++)
		free(run->objects[i].path);
	free(run->objects);
	if (run->map)
		munmap(run->map, run->map_bytes);
	memset(run, 0, sizeof(*run));
}
