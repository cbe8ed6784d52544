/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the log of a run has told so far: the processes, the files that they have mapped, and the
 * samples in each file. collect.h makes a result of it.
 */
#ifndef PROFIL_RECORDING_H
#define PROFIL_RECORDING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct recording;

/* Start a recording. Return: a recording, freed with recording_free(); NULL if out of memory. */
struct recording *recording_new(void);

/* Free all memory. */
void recording_free(struct recording *recording);

/**
 * recording_add_process - add a process that has not been started by the command
 * @pid:       process ID. PROFIL_IOC_ATTACH has been called for it, so later mappings are in
 *             the log
 * @base_ns:   its CPU time just before that call, which is not part of the recording, in ns
 *
 * Its program and its mappings are read from /proc at once, as it may end; if it has, see
 * recording_unread(). Its files are opened by recording_open_files(), which must be called before
 * the log is read. A known process is left as it is.
 *
 * Return: 0; -ENOMEM; or -ESRCH: not the ID of a process.
 */
int recording_add_process(struct recording *recording, pid_t pid, uint64_t base_ns);

/* Open what the processes of recording_add_process() have mapped. Return: 0 or -ENOMEM. */
int recording_open_files(struct recording *recording);

/**
 * recording_unread - count the processes of recording_add_process() whose mappings were not read
 * @error: set to the reason, as -errno
 *
 * Their samples are outside all objects, except in what they map later.
 *
 * Return: their number since the last call.
 */
size_t recording_unread(struct recording *recording, int *error);

/*
 * How long a process of recording_add_process() has run. Return: CPU time since it was added, up to
 * the last recording_read() or recording_read_times(), in ns; 0: it was not added.
 */
uint64_t recording_attached_ns(const struct recording *recording, pid_t pid);

/*
 * How long all processes of recording_add_process() have run. Return: sum of
 * recording_attached_ns().
 */
uint64_t recording_all_attached_ns(const struct recording *recording);

/*
 * Check whether a process is in the recording and has not ended. It is there also if it has
 * executed a program that must not be sampled.
 */
bool recording_has_process(const struct recording *recording, pid_t pid);

/**
 * recording_read - read all records that are in the log now
 * @fd:        descriptor of the log, with O_NONBLOCK
 *
 * For a pc in no known mapping, /proc/PID/maps is read, at most once per process and call.
 *
 * Return: 1: processes are still attached; 0: all have ended, and the log is empty; or -errno:
 * EBADMSG: a record is invalid.
 */
int recording_read(struct recording *recording, int fd);

/*
 * Read the CPU time of the processes that have not ended. Call this before a result of running
 * processes.
 */
void recording_read_times(struct recording *recording);

/* Sort the samples, so that making a result takes less time. */
void recording_sort(struct recording *recording);

/*
 * Find the names of code that processes have made so far. Call this before a result of running
 * processes. When a process ends, this is done for it. Return: 0 or -ENOMEM.
 */
int recording_read_names(struct recording *recording);

/*
 * Find the callers of all samples, if records have stacks. Call this before a result. Return: 0 or
 * -ENOMEM.
 */
int recording_settle(struct recording *recording);

/* Count the samples. Return: number of samples in all records that were read. */
uint64_t recording_samples(const struct recording *recording);

#endif /* PROFIL_RECORDING_H */
