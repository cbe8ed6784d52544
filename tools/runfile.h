/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The shared memory of a run (run.h), as the command has it: a memfd, made
 * before the program starts, and what can be believed of it at the end.
 */
#ifndef PROFIL_RUNFILE_H
#define PROFIL_RUNFILE_H

#include <stddef.h>
#include <stdint.h>

#include <run.h>

/**
 * struct runfile_object - an executable segment, checked
 * @start:       first pc
 * @end:         first pc behind it, above @start
 * @bias:        what was added to the link-time addresses at load; from start - bias
 *               to end - bias they do not wrap
 * @path:        the file's, or "[vdso]"; ended by a 0
 * @counters:    read them by runfile_count()
 * @nr_counters: number of them: none starts at or behind @end
 */
struct runfile_object {
	uint64_t start;
	uint64_t end;
	uint64_t bias;
	char *path;
	const uint32_t *counters;
	size_t nr_counters;
};

/**
 * struct runfile - a run's memory, checked
 * @header:     a copy; only magic, version, state and rate mean something
 *              unless state is STARTED, and error and message if it is FAILED
 * @objects:    sorted by start, none overlapping another
 * @nr_objects: number of them; 0 unless state is STARTED
 * @outside:    counter of the pcs outside all objects, or NULL
 * @map:        the mapping that the counters are in
 * @map_bytes:  its size
 */
struct runfile {
	struct profil_run header;
	struct runfile_object *objects;
	size_t nr_objects;
	const uint32_t *outside;
	void *map;
	size_t map_bytes;
};

/**
 * runfile_create - make the memory of a run
 * @rate: wanted rate in Hz, 0 for libprofil's default
 * @clock: wanted clock, PROFIL_CLOCK_*
 *
 * Return: a descriptor, closed on exec, or -errno.
 */
int runfile_create(uint32_t rate, uint32_t clock);

/**
 * runfile_read - check a run's memory and make it readable
 * @fd:  from runfile_create(); from here on it cannot shrink any more
 * @run: filled in; to be released by runfile_release(), whatever is returned
 * @why: on -EBADMSG, what is wrong, in words
 *
 * Whatever the profiled program wrote into the memory, and if a child of it
 * goes on writing, the worst that can come of it is wrong counts.
 *
 * Return: 0; -EBADMSG: the memory is damaged; or another -errno.
 */
int runfile_read(int fd, struct runfile *run, const char **why);

/**
 * runfile_release - give back what runfile_read() took
 * @run: may have been released already
 */
void runfile_release(struct runfile *run);

/**
 * runfile_count - value of a counter, read once: it may still be changing
 * @counter: &objects[].counters[] or outside
 */
static inline uint32_t runfile_count(const uint32_t *counter)
{
	return *(const volatile uint32_t *)counter;
}

#endif /* PROFIL_RUNFILE_H */
