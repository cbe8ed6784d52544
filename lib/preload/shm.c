// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The memory of a run (run.h) as the profiled program has it: tables that all processes
 * of the run write to.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shm.h"

/* How far back an earlier program of a process is looked for */
#define RECENT	1024

/*
 * The command may be gone, and its process ID another's: nothing that opening does
 * something to is opened for long, no terminal becomes ours, and another memory is none.
 */
static int open_memory(const struct profil_shm *tables)
{
	int fd = open(tables->path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) ||
	    (tables->file && st.st_ino != tables->file)) {
		close(fd);
		return -EBADF;
	}
	return fd;
}

static void *map(int fd, uint64_t at, uint64_t bytes)
{
	void *mapping = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			     (off_t)at);

	return mapping == MAP_FAILED ? NULL : mapping;
}

static int check_version(int fd)
{
	const uint32_t ours = PROFIL_RUN_VERSION;
	struct profil_run run;

	if (pread(fd, &run, sizeof(run), 0) != (ssize_t)sizeof(run) ||
	    run.magic != PROFIL_RUN_MAGIC)
		return -EBADF;
	if (run.version == ours)
		return 0;
	/* so that the command sees which of the two is the older one */
	if (pwrite(fd, &ours, sizeof(ours), offsetof(struct profil_run, version)) < 0)
		return -errno;
	return -EPROTO;
}

static int map_tables(struct profil_shm *tables, int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (st.st_size < (off_t)PROFIL_RUN_COUNTERS_AT)
		return -EBADF;
	tables->file = st.st_ino;
	tables->run = map(fd, 0, PROFIL_RUN_COUNTERS_AT);
	return tables->run ? 0 : -errno;
}

int profil_shm_open(struct profil_shm *tables, const char *path)
{
	int fd, error;

	if (strlen(path) >= sizeof(tables->path))
		return -ENAMETOOLONG;
	strcpy(tables->path, path);
	tables->file = 0;
	fd = open_memory(tables);
	if (fd < 0)
		return fd;
	error = check_version(fd);
	if (!error)
		error = map_tables(tables, fd);
	close(fd);
	return error;
}

static struct profil_run_object *object_at(const struct profil_run *run, size_t i)
{
	char *table = (char *)run + PROFIL_RUN_OBJECTS_AT;

	return (struct profil_run_object *)table + i;
}

static struct profil_run_process *process_at(const struct profil_run *run, size_t i)
{
	char *table = (char *)run + PROFIL_RUN_PROCESSES_AT;

	return (struct profil_run_process *)table + i;
}

struct profil_run_process *profil_shm_enter(struct profil_run *run)
{
	static struct profil_run_process unlisted;
	uint32_t i = __atomic_fetch_add(&run->nr_processes, 1, __ATOMIC_RELAXED);
	struct profil_run_process *process = &unlisted;

	if (i < PROFIL_RUN_PROCESSES)
		process = process_at(run, i);
	else if (i > UINT32_MAX / 2)
		/* it stays more than there are, and does not come round to 0 */
		__atomic_fetch_sub(&run->nr_processes, 1, __ATOMIC_RELAXED);
	process->pid = getpid();
	process->parent = getppid();
	return process;
}

struct profil_run_process *profil_shm_earlier(const struct profil_run *run,
						 int32_t pid, int32_t parent)
{
	uint32_t nr = __atomic_load_n(&run->nr_processes, __ATOMIC_RELAXED), tries;

	/* outside our PID namespace: there each namespace has a process of this number */
	if (!parent)
		return NULL;
	if (nr > PROFIL_RUN_PROCESSES)
		nr = PROFIL_RUN_PROCESSES;
	for (tries = 0; nr && tries < RECENT; tries++) {
		struct profil_run_process *earlier = process_at(run, --nr);

		/* with the same parent, or it were one long gone */
		if (earlier->pid == pid && earlier->parent == parent)
			return earlier->state == PROFIL_RUN_STARTED ? earlier : NULL;
	}
	return NULL;
}

static bool is_same(const struct profil_run_object *there,
		    const struct profil_object *object)
{
	return there->start == object->start - object->bias &&
	       there->end == object->end - object->bias &&
	       there->build_id_bytes == object->build_id_bytes &&
	       !memcmp(there->build_id, object->build_id, object->build_id_bytes) &&
	       !strncmp(there->path, object->path, sizeof(there->path));
}

static uint64_t page_up(uint64_t bytes)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) / page * page;
}

/*
 * What is larger than the program's limit for files would have the kernel kill it, by a
 * signal that it has not asked for.
 */
static int grow(int fd, uint64_t end)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) || end > limit.rlim_cur)
		return -EFBIG;
	return ftruncate(fd, (off_t)end) ? -errno : 0;
}

/* With the lock. Return: 0 or -errno. */
static int add_object(int fd, struct profil_run *run, const struct profil_object *object)
{
	struct profil_run_object *new = object_at(run, run->nr_objects);
	uint64_t end;
	int error;

	*new = (struct profil_run_object){
		.start = object->start - object->bias,
		.end = object->end - object->bias,
		.bias = object->bias,
		.counters = run->end,
		.nr_counters = profil_object_counters(object),
		.build_id_bytes = object->build_id_bytes,
	};
	memcpy(new->build_id, object->build_id, object->build_id_bytes);
	strcpy(new->path, object->path);
	/* only ever grown: what is mapped stays there */
	end = run->end + page_up(new->nr_counters * sizeof(uint32_t));
	error = grow(fd, end);
	if (error)
		return error;
	run->end = end;
	/* whoever sees the number sees the object */
	__atomic_store_n(&run->nr_objects, run->nr_objects + 1, __ATOMIC_RELEASE);
	return 0;
}

static int find_or_add(int fd, struct profil_run *run,
		       const struct profil_object *object, uint32_t *number)
{
	for (*number = 0; *number < run->nr_objects && *number < PROFIL_RUN_OBJECTS; ++*number)
		if (is_same(object_at(run, *number), object))
			return 0;
	if (*number < PROFIL_RUN_OBJECTS)
		return add_object(fd, run, object);
	*number = PROFIL_NO_PLACE;
	return 0;
}

/*
 * The lock is that opening's of the file, so it is between the threads of a process too;
 * and the kernel takes it back if the process dies.
 */
static int change_lock(int fd, short type)
{
	struct flock whole = { .l_type = type, .l_whence = SEEK_SET };
	int error;

	do {
		error = fcntl(fd, F_OFD_SETLKW, &whole) ? -errno : 0;
	} while (error == -EINTR);
	return error;
}

int profil_shm_lock(const struct profil_shm *tables)
{
	int fd = open_memory(tables), error;

	if (fd < 0)
		return fd;
	error = change_lock(fd, F_WRLCK);
	if (!error)
		return fd;
	close(fd);
	return error;
}

void profil_shm_unlock(int fd)
{
	/* to close it is not enough: what was mapped of it keeps it open */
	change_lock(fd, F_UNLCK);
	close(fd);
}

int profil_shm_add(const struct profil_shm *tables, int fd,
		      const struct profil_object *objects, size_t nr, uint32_t *numbers)
{
	int error = 0;
	size_t i;

	for (i = 0; !error && i < nr; i++)
		error = find_or_add(fd, tables->run, &objects[i], &numbers[i]);
	return error;
}

uint32_t *profil_shm_map(const struct profil_shm *tables, int fd, uint32_t number)
{
	const struct profil_run_object *object = object_at(tables->run, number);

	return map(fd, object->counters, object->nr_counters * sizeof(uint32_t));
}

uint32_t *profil_shm_outside(const struct profil_shm *tables)
{
	return (void *)((char *)tables->run + PROFIL_RUN_OUTSIDE_AT);
}
