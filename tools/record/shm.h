/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The shared memory of a run (run.h), a memfd into which the profiled programs count. The
 * command makes it before the program starts. Reading it checks everything, as programs can
 * overwrite it.
 */
#ifndef PROFIL_SHM_H
#define PROFIL_SHM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <preload/run.h>

/**
 * struct shm_object - an executable segment, checked
 * @start:       link-time address of its start
 * @end:         link-time address of its end, above @start
 * @bias:        load address minus link-time address, in the first process that loaded it
 * @path:        path of the file, or a name in brackets; not empty
 * @build_id:    build-id of the loaded file
 * @build_id_bytes: its length; 0: none
 * @counters:    to be read with shm_count()
 * @nr_counters: number of counters; the code of each starts before @end
 */
struct shm_object {
	uint64_t start;
	uint64_t end;
	uint64_t bias;
	char *path;
	uint8_t build_id[PROFIL_RUN_BUILD_ID];
	size_t build_id_bytes;
	const uint32_t *counters;
	size_t nr_counters;
};

/**
 * struct shm - the shared memory of a run, checked
 * @header:     a copy; its message is terminated by a 0
 * @objects:    in the order in which they were loaded
 * @nr_objects: number of objects
 * @processes:  copies of the entries of processes whose profile was started, in that order;
 *              their programs are indexes of @objects, or UINT32_MAX
 * @nr_processes: number of processes
 * @nr_failed:  processes whose profile could not be started
 * @nr_unlisted: processes that did not fit in the table
 * @nr_damaged: invalid entries of the tables. The samples of such an object are lost; of a
 *              process, only its figures are
 * @outside:    counter of the samples outside all objects
 * @fd:         descriptor of the memory
 * @map:        the mapping with the counters
 * @map_bytes:  size of @map
 */
struct shm {
	struct profil_run header;
	struct shm_object *objects;
	size_t nr_objects;
	struct profil_run_process *processes;
	size_t nr_processes;
	size_t nr_failed;
	size_t nr_unlisted;
	size_t nr_damaged;
	const uint32_t *outside;
	int fd;
	void *map;
	size_t map_bytes;
};

/**
 * struct shm_options - the user's options for a run
 * @rate:   in Hz; 0: default of libprofil-run.so
 * @clock:  PROFIL_CLOCK_*
 * @follow: also profile the programs that the program executes
 */
struct shm_options {
	uint32_t rate;
	uint32_t clock;
	bool follow;
};

/**
 * shm_create - create the shared memory of a run
 * @options: the user's options
 *
 * Return: a descriptor, closed on exec, or -errno.
 */
int shm_create(const struct shm_options *options);

/**
 * shm_read - check the shared memory of a run and copy its tables
 * @fd:  from shm_create(); must stay open until shm_release()
 * @run: filled in; must be released with shm_release(), even on error
 * @why: on -EBADMSG, set to what is wrong
 *
 * May be called while the programs run. If a program overwrites the memory, even during the
 * call, this can only cause wrong counts and the loss of the damaged entries.
 *
 * Return: 0; -EPROTO: the library is of another version; -EBADMSG: the header is damaged, or
 * all processes are; or another -errno.
 */
int shm_read(int fd, struct shm *run, const char **why);

/**
 * shm_find_counters - find the next counters that may not be 0
 * @run:    from shm_read()
 * @object: an object of @run
 * @first:  index of the first counter to check; set to that of the first one found
 * @end:    set to the end of the counters found
 *
 * Most code has no samples, and its counters are holes in the memory. Reading a hole would
 * allocate memory for it.
 *
 * Return: false if there are none.
 */
bool shm_find_counters(const struct shm *run, const struct shm_object *object,
			   size_t *first, size_t *end);

/**
 * shm_release - free and unmap the memory of shm_read()
 * @run: may have been released already
 */
void shm_release(struct shm *run);

/**
 * shm_count - read a counter, exactly once, as it may be changing
 * @counter: &objects[].counters[] or outside
 */
static inline uint32_t shm_count(const uint32_t *counter)
{
	return *(const volatile uint32_t *)counter;
}

#endif /* PROFIL_SHM_H */
