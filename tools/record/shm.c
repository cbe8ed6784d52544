// SPDX-License-Identifier: GPL-2.0-only
/*
 * Creates the shared memory of a run, and reads it. The profiled programs have it mapped
 * writable, and so have children that may outlive the command. So everything except the
 * counters is copied before it is checked, and a seal prevents the memory from shrinking.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/shm.h"
#include "util/failure.h"

/* Since Linux 6.3, which warns if the flag is missing */
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL	0x0008U
#endif

#define UNNAMED		"[unnamed]"
#define NO_OBJECT	UINT32_MAX

static int write_header(int fd, const struct shm_options *options)
{
	const struct profil_run header = {
		.magic = PROFIL_RUN_MAGIC,
		.version = PROFIL_RUN_VERSION,
		.flags = options->follow ? PROFIL_RUN_FOLLOW : 0,
		.rate = options->rate,
		.clock = options->clock,
		.end = PROFIL_RUN_COUNTERS_AT,
	};
	ssize_t written;

	/* the tables are holes: memory is allocated when they are used */
	if (ftruncate(fd, (off_t)header.end))
		return -errno;
	written = pwrite(fd, &header, sizeof(header), 0);
	if (written != (ssize_t)sizeof(header))
		return written < 0 ? -errno : -EIO;
	return fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) ? -errno : 0;
}

int shm_create(const struct shm_options *options)
{
	const unsigned int flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
	int fd, error;

	fd = memfd_create("profil", flags | MFD_NOEXEC_SEAL);
	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("profil", flags);
	if (fd < 0)
		return -errno;
	error = write_header(fd, options);
	if (error) {
		close(fd);
		return error;
	}
	return fd;
}

static int map_memory(int fd, struct shm *run, const char **why)
{
	struct stat st;
	ssize_t length;
	void *map;

	/* before fstat(), as the memory grows: all that the header refers to is within st_size */
	length = pread(fd, &run->header, sizeof(run->header), 0);
	if (length < 0 || fstat(fd, &st))
		return -errno;
	if (length < (ssize_t)sizeof(run->header) ||
	    (uint64_t)st.st_size < PROFIL_RUN_COUNTERS_AT)
		return failure_refuse(why, "shorter than its tables");
	if ((uint64_t)st.st_size > SIZE_MAX)
		return -EFBIG;
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	run->map = map;
	run->map_bytes = (size_t)st.st_size;
	return 0;
}

/* Check that @nr counters at offset @at are within the memory. */
static bool are_counters(const struct shm *run, uint64_t at, uint64_t nr)
{
	return at % sizeof(uint32_t) == 0 && at <= run->map_bytes &&
	       nr <= (run->map_bytes - at) / sizeof(uint32_t);
}

static const uint32_t *counters_at(const struct shm *run, uint64_t at)
{
	return (const void *)((const char *)run->map + at);
}

static int check_header(struct shm *run, const char **why)
{
	struct profil_run *header = &run->header;

	if (header->magic != PROFIL_RUN_MAGIC)
		return failure_refuse(why, "wrong magic number");
	if (header->version != PROFIL_RUN_VERSION)
		return -EPROTO;
	header->message[sizeof(header->message) - 1] = 0;
	if (header->nr_objects > PROFIL_RUN_OBJECTS)
		return failure_refuse(why, "too many objects");
	run->outside = counters_at(run, PROFIL_RUN_OUTSIDE_AT);
	return 0;
}

/*
 * @room: number of counters left. If objects could share counters, a small memory could take
 * hours to read.
 */
static bool is_valid_object(const struct shm *run, const struct profil_run_object *raw,
			    uint64_t room)
{
	return raw->start < raw->end &&
	       raw->build_id_bytes <= sizeof(raw->build_id) &&
	       memchr(raw->path, 0, sizeof(raw->path)) &&
	       are_counters(run, raw->counters, raw->nr_counters) &&
	       raw->nr_counters <= room &&
	       raw->nr_counters <= (raw->end - raw->start - 1) / PROFIL_RUN_TEXT_BYTES + 1;
}

/* Return: 1; 0: damaged; or -ENOMEM. */
static int copy_object(struct shm *run, size_t i, uint64_t *room)
{
	struct shm_object *object = &run->objects[run->nr_objects];
	struct profil_run_object raw;

	memcpy(&raw, (const char *)run->map + PROFIL_RUN_OBJECTS_AT + i * sizeof(raw),
	       sizeof(raw));
	if (!is_valid_object(run, &raw, *room))
		return 0;
	*room -= raw.nr_counters;
	object->start = raw.start;
	object->end = raw.end;
	object->bias = raw.bias;
	object->build_id_bytes = raw.build_id_bytes;
	memcpy(object->build_id, raw.build_id, raw.build_id_bytes);
	object->counters = counters_at(run, raw.counters);
	object->nr_counters = (size_t)raw.nr_counters;
	object->path = strdup(raw.path[0] ? raw.path : UNNAMED);
	return object->path ? 1 : -ENOMEM;
}

/* places[]: index in run->objects of each entry of the table, or NO_OBJECT */
static int copy_objects(struct shm *run, uint32_t *places)
{
	uint64_t room = run->map_bytes / sizeof(uint32_t);
	size_t i;

	run->objects = calloc(run->header.nr_objects + 1, sizeof(*run->objects));
	if (!run->objects)
		return -ENOMEM;
	for (i = 0; i < run->header.nr_objects; i++) {
		int copied = copy_object(run, i, &room);

		if (copied < 0)
			return copied;
		places[i] = copied ? (uint32_t)run->nr_objects++ : NO_OBJECT;
		run->nr_damaged += !copied;
	}
	return 0;
}

/* A damaged process is kept, without the damaged values. Return: whether it was profiled. */
static bool copy_process(struct shm *run, size_t i, const uint32_t *places,
			 struct profil_run_process *process)
{
	const struct profil_run_process *from =
		(const void *)((const char *)run->map + PROFIL_RUN_PROCESSES_AT);
	/* read first: the other fields are valid by then */
	uint32_t state = __atomic_load_n(&from[i].state, __ATOMIC_ACQUIRE);
	bool is_damaged = state > PROFIL_RUN_ENDED;

	memcpy(process, &from[i], sizeof(*process));
	process->state = is_damaged ? PROFIL_RUN_STARTED : state;
	if (process->state < PROFIL_RUN_STARTED)
		return false;
	if (!process->rate) {
		is_damaged = true;
		process->rate = run->header.rate;
	}
	run->nr_damaged += is_damaged;
	/* not found: damaged, or added after the objects were copied */
	process->program = process->program < run->header.nr_objects ?
			   places[process->program] : NO_OBJECT;
	return process->rate;
}

static int copy_processes(struct shm *run, const uint32_t *places)
{
	size_t nr = run->header.nr_processes, i;

	if (nr > PROFIL_RUN_PROCESSES) {
		run->nr_unlisted = nr - PROFIL_RUN_PROCESSES;
		nr = PROFIL_RUN_PROCESSES;
	}
	run->processes = calloc(nr + 1, sizeof(*run->processes));
	if (!run->processes)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		struct profil_run_process *process = &run->processes[run->nr_processes];

		run->nr_processes += copy_process(run, i, places, process);
		run->nr_failed += process->state == PROFIL_RUN_FAILED;
	}
	return 0;
}

static int copy_tables(struct shm *run, const char **why)
{
	uint32_t *places = calloc(run->header.nr_objects + 1, sizeof(*places));
	int error = -ENOMEM;

	if (!places)
		return error;
	error = copy_objects(run, places);
	if (!error)
		error = copy_processes(run, places);
	free(places);
	if (!error && !run->nr_processes && run->nr_damaged)
		return failure_refuse(why, "no process has a rate");
	return error;
}

int shm_read(int fd, struct shm *run, const char **why)
{
	int error;

	memset(run, 0, sizeof(*run));
	run->fd = fd;
	error = map_memory(fd, run, why);
	if (!error)
		error = check_header(run, why);
	if (!error)
		error = copy_tables(run, why);
	return error;
}

bool shm_find_counters(const struct shm *run, const struct shm_object *object,
			   size_t *first, size_t *end)
{
	const off_t start = (const char *)object->counters - (const char *)run->map;
	off_t data, hole;

	*end = object->nr_counters;
	if (*first >= object->nr_counters)
		return false;
	data = lseek(run->fd, start + (off_t)(*first * sizeof(uint32_t)), SEEK_DATA);
	if (data < 0)
		return errno != ENXIO;	/* SEEK_DATA is not supported: read all counters */
	if (data >= start + (off_t)(object->nr_counters * sizeof(uint32_t)))
		return false;
	*first = (size_t)(data - start) / sizeof(uint32_t);
	hole = lseek(run->fd, data, SEEK_HOLE);
	if (hole >= 0 && (size_t)(hole - start) / sizeof(uint32_t) < *end)
		*end = (size_t)(hole - start) / sizeof(uint32_t);
	return true;
}

void shm_release(struct shm *run)
{
	size_t i;

	for (i = 0; i < run->nr_objects; i++)
		free(run->objects[i].path);
	free(run->objects);
	free(run->processes);
	if (run->map)
		munmap(run->map, run->map_bytes);
	memset(run, 0, sizeof(*run));
}
