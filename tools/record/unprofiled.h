/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Programs of a run that do not load libprofil-run.so, for example static ones: their names and
 * CPU times. They have no samples, so they are observed in /proc while they run.
 */
#ifndef PROFIL_UNPROFILED_H
#define PROFIL_UNPROFILED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Limits of the CPU time for scans: 1/200 of the elapsed time, plus 20 ms at the start */
#define UNPROFILED_CPU_SHARE	200
#define UNPROFILED_INITIAL_NS	20000000

struct unprofiled;

/**
 * struct unprofiled_program - a program that was not profiled, over all its processes
 * @path:      path of its file; the name of the process if that is unknown
 * @processes: number of processes seen running it
 * @cpu_ns:    CPU time of these processes at their last scan, in ns
 */
struct unprofiled_program {
	char *path;
	uint64_t processes;
	uint64_t cpu_ns;
};

/**
 * unprofiled_new - start to observe
 *
 * Return: to be given to unprofiled_free(), or NULL: no memory.
 */
struct unprofiled *unprofiled_new(void);

/**
 * unprofiled_scan - scan a process, its descendants, and all processes scanned before
 * @unprofiled: from unprofiled_new()
 * @pid:        process ID of the command
 *
 * Processes that start and end between two scans are missed, as is CPU time after the last
 * scan of a process. Without CONFIG_PROC_CHILDREN, no children are found.
 */
void unprofiled_scan(struct unprofiled *unprofiled, pid_t pid);

/**
 * unprofiled_scan_if_due - scan unless scans have used too much CPU time
 * @unprofiled: from unprofiled_new()
 * @pid:        process ID of the command
 *
 * The CPU time of all scans is limited to 1/UNPROFILED_CPU_SHARE of the time since the first
 * one, plus UNPROFILED_INITIAL_NS, so that short runs are scanned often.
 */
void unprofiled_scan_if_due(struct unprofiled *unprofiled, pid_t pid);

/**
 * unprofiled_finish - add the final CPU time of the command, and sort the programs
 * @unprofiled: from unprofiled_new()
 * @pid:        process ID of the command, which has ended
 * @path:       path of its program, used if no scan has found it
 * @was_profiled: whether it was profiled at any time
 * @cpu_ns:     its CPU time, in ns
 */
void unprofiled_finish(struct unprofiled *unprofiled, pid_t pid, const char *path,
		       bool was_profiled, uint64_t cpu_ns);

/**
 * unprofiled_programs - list the programs, after unprofiled_finish()
 * @unprofiled: from unprofiled_new()
 * @nr:         set to the number of programs
 *
 * Return: the programs, most CPU time first; valid until unprofiled_free().
 */
const struct unprofiled_program *unprofiled_programs(const struct unprofiled *unprofiled,
						     size_t *nr);

/**
 * unprofiled_free - free all memory
 * @unprofiled: from unprofiled_new(), or NULL
 */
void unprofiled_free(struct unprofiled *unprofiled);

#endif /* PROFIL_UNPROFILED_H */
