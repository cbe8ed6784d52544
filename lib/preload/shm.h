/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_SHM_H
#define PROFIL_SHM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "objects.h"
#include "run.h"

/**
 * struct profil_shm - a run's memory (run.h) in this process
 * @path: where it can be opened, as long as the command lives
 * @file: to know it by
 * @run:  header and tables, for as long as the process lives
 *
 * No descriptor stays open in the program.
 */
struct profil_shm {
	char path[64];
	ino_t file;
	struct profil_run *run;
};

/* The number of an object for which there is no place: its pcs count as outside. */
#define PROFIL_NO_PLACE		UINT32_MAX

/*
 * Find the run that path names. Return: 0; -EPROTO: it is of another version, and has
 * been told so; or another -errno: it is none.
 */
int profil_shm_open(struct profil_shm *tables, const char *path);

/*
 * Take a place in the table of processes, for this one. Return: it; or if none is left, one
 * that is in no table: what is said there nobody hears, and the process is counted.
 */
struct profil_run_process *profil_shm_enter(struct profil_run *run);

/*
 * The place that an earlier program of this process has, if that has said nothing of its
 * end; or NULL, also if its parent is in another PID namespace, which is told as 0.
 */
struct profil_run_process *profil_shm_earlier(const struct profil_run *run,
						 int32_t pid, int32_t parent);

/*
 * Open the memory, and have its table of objects alone: may wait for other processes of
 * the run. Return: a descriptor, for profil_shm_unlock(), or -errno.
 */
int profil_shm_lock(const struct profil_shm *tables);

void profil_shm_unlock(int fd);

/*
 * Have the objects in the table, those that are not there added, and put their numbers
 * there, or PROFIL_NO_PLACE, into numbers[nr]. fd: from profil_shm_lock(). Return: 0 or
 * -errno; what was added by then stays.
 */
int profil_shm_add(const struct profil_shm *tables, int fd,
		      const struct profil_object *objects, size_t nr, uint32_t *numbers);

/* Map the counters of an object. fd: the same. Return: where, or NULL with errno. */
uint32_t *profil_shm_map(const struct profil_shm *tables, int fd, uint32_t number);

/* The counter of pcs outside all objects. */
uint32_t *profil_shm_outside(const struct profil_shm *tables);

#endif /* PROFIL_SHM_H */
