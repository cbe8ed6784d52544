/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_GMON_OBJECT_H
#define PROFIL_GMON_OBJECT_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "gmon/arcs.h"

/* Text per counter in bytes, as in the GNU C library */
#define PROFIL_GMON_TEXT_BYTES	4

/* The program, shared objects that were compiled with -pg, and objects to pass over */
#define PROFIL_GMON_OBJECTS	64

/* Distinguishes a shared object that is loaded again from one that was built anew */
struct profil_gmon_identity {
	dev_t device;
	ino_t inode;
	time_t changed;
	uintptr_t low;		/* link-time address of its text */
};

/**
 * struct profil_gmon_object - samples and calls of the program, or of a shared object
 * @start:    first address of its text
 * @bytes:    size of its text; 0: not loaded
 * @bias:     difference between an address and the link-time address
 * @counts:   counters; NULL: its calls and samples are not recorded
 * @nr:       number of counters
 * @arcs:     calls
 * @outside:  link-time address that stands for callers outside; 0: such calls are not counted
 * @identity: its file
 * @name:     the last part of its file's name; empty: the program
 */
struct profil_gmon_object {
	_Atomic(uintptr_t) start;
	atomic_size_t bytes;
	uintptr_t bias;
	uint32_t *counts;
	size_t nr;
	struct profil_gmon_arcs arcs;
	uintptr_t outside;
	struct profil_gmon_identity identity;
	char name[NAME_MAX + 1];
};

/**
 * struct profil_gmon_profile - what a process has recorded; at most one exists
 * @process:  the process that it belongs to
 * @forked:   the process is a forked child
 * @rate:     samples per second of CPU time
 * @fallback: counters of the timer, if that samples the program
 * @full:     there is no memory for more objects
 * @nr:       number of objects; it only grows
 * @objects:  objects; the program is the first
 *
 * Counters and arcs are at the same addresses in each process that has the profile.
 */
struct profil_gmon_profile {
	pid_t process;
	bool forked;
	uint32_t rate;
	unsigned short *fallback;
	atomic_bool full;
	atomic_size_t nr;
	struct profil_gmon_object objects[PROFIL_GMON_OBJECTS];
};

/* The loaded object that contains @pc, or NULL. Lock-free. */
static inline struct profil_gmon_object *
profil_gmon_object_of(struct profil_gmon_profile *profile, uintptr_t pc)
{
	size_t nr = atomic_load_explicit(&profile->nr, memory_order_acquire), i;
	struct profil_gmon_object *object;

	for (i = 0; i < nr; i++) {
		object = &profile->objects[i];
		if (pc - atomic_load_explicit(&object->start, memory_order_relaxed) <
		    atomic_load_explicit(&object->bytes, memory_order_acquire))
			return object;
	}
	return NULL;
}

#endif /* PROFIL_GMON_OBJECT_H */
