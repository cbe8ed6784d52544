/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The shared memory of a run (run.h), as the command has it: a memfd, made
 * before the program starts, and what can be believed of it at the end.
 */
#ifndef PROFIL_SHM_H
#define PROFIL_SHM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <preload/run.h>

/**
 * struct shm_object - an executable segment, checked
 * @start:       link-time address of its first byte
 * @end:         first link-time address behind it, above @start
 * @bias:        what was added to these where it was loaded first
 * @path:        the file's, or a word in brackets for what is none; ended by a 0, not
 *               empty
 * @build_id:    as it was loaded
 * @build_id_bytes: 0: it has none
 * @counters:    read them by shm_count()
 * @nr_counters: number of them: none starts at or behind @end
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
 * struct shm - a run's memory, checked
 * @header:     a copy; its message is ended by a 0
 * @objects:    in the order in which they were loaded first
 * @nr_objects: number of them
 * @processes:  copies of those that a profile was started of, in the order in which they
 *              came; their programs are indexes of @objects, or UINT32_MAX
 * @nr_processes: number of them
 * @nr_failed:  processes of which no profile could be started
 * @nr_unlisted: processes for which there was no place
 * @nr_damaged: entries of the tables that make no sense. Of an object the samples are lost,
 *              of a process only its figures
 * @outside:    counter of the pcs outside all objects
 * @fd:         that it was read from
 * @map:        the mapping that the counters are in
 * @map_bytes:  its size
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
 * struct shm_wish - what is wanted of a run
 * @rate:   in Hz; 0 for libprofil-run.so's default
 * @clock:  PROFIL_CLOCK_*
 * @follow: what the program executes is profiled too
 */
struct shm_wish {
	uint32_t rate;
	uint32_t clock;
	bool follow;
};

/**
 * shm_create - make the memory of a run
 * @wish: what is wanted of it
 *
 * Return: a descriptor, closed on exec, or -errno.
 */
int shm_create(const struct shm_wish *wish);

/**
 * shm_read - check a run's memory and make it readable
 * @fd:  from shm_create(), open until shm_release()
 * @run: filled in; to be released by shm_release(), whatever is returned
 * @why: on -EBADMSG, what is wrong, in words
 *
 * Whatever a profiled program wrote into the memory, and if one goes on writing, the
 * worst that comes of it is wrong counts and a loss of what it damaged. May be called while
 * they run.
 *
 * Return: 0; -EPROTO: the library is of another version; -EBADMSG: the header is damaged,
 * or every process; or another -errno.
 */
int shm_read(int fd, struct shm *run, const char **why);

/**
 * shm_find_counters - find counters that may not be 0
 * @run:    as read
 * @object: of it
 * @first:  index of the first one to look at; that of the first one found, afterwards
 * @end:    filled with the index behind the last one found beside it
 *
 * Most of a program's text is never hit, and its counters are holes in the memory:
 * who reads those has them filled.
 *
 * Return: whether there are any.
 */
bool shm_find_counters(const struct shm *run, const struct shm_object *object,
			   size_t *first, size_t *end);

/**
 * shm_release - give back what shm_read() took
 * @run: may have been released already
 */
void shm_release(struct shm *run);

/**
 * shm_count - value of a counter, read once: it may still be changing
 * @counter: &objects[].counters[] or outside
 */
static inline uint32_t shm_count(const uint32_t *counter)
{
	return *(const volatile uint32_t *)counter;
}

#endif /* PROFIL_SHM_H */
