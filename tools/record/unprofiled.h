/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Programs of a run into which libprofil-run.so was not loaded, as static ones: which they
 * are, and the CPU time that they use. No sample is theirs, and nobody but the kernel knows
 * of them: they are seen in /proc, now and then, while they run.
 */
#ifndef PROFIL_UNPROFILED_H
#define PROFIL_UNPROFILED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define UNPROFILED_SHARE	200	/* one part of a CPU's time of so many is for looking, */
#define UNPROFILED_FIRST_NS	20000000	/* and this at the beginning */

struct unprofiled;

/**
 * struct unprofiled_program - a program that was not profiled, in all processes
 * @path:      of its file; where that may not be known, the name of the process
 * @processes: in which it was seen
 * @cpu_ns:    CPU time that it had used when it was seen last, added up over @processes, in ns
 */
struct unprofiled_program {
	char *path;
	uint64_t processes;
	uint64_t cpu_ns;
};

/**
 * unprofiled_new - prepare to look
 *
 * Return: to be given to unprofiled_free(), or NULL: no memory.
 */
struct unprofiled *unprofiled_new(void);

/**
 * unprofiled_look - look at a process, its children, and all that was seen before
 * @unprofiled: from unprofiled_new()
 * @pid:        of the command
 *
 * What begins and ends between two looks is not seen, and of others not the CPU time after
 * the last look. Without CONFIG_PROC_CHILDREN no children are seen.
 */
void unprofiled_look(struct unprofiled *unprofiled, pid_t pid);

/**
 * unprofiled_look_if_due - look, but not so often that it takes much of a CPU
 * @unprofiled: from unprofiled_new()
 * @pid:        of the command
 *
 * All looks together take 1/UNPROFILED_SHARE of the time since the first one, and
 * UNPROFILED_FIRST_NS, so that short runs are seen as often as they can be.
 */
void unprofiled_look_if_due(struct unprofiled *unprofiled, pid_t pid);

/**
 * unprofiled_end - the command has ended, and its CPU time is known
 * @unprofiled: from unprofiled_new()
 * @pid:        of the command
 * @path:       its program, if it was not seen
 * @was_profiled: whether there was ever a profile of it
 * @cpu_ns:     all that it used, in ns
 */
void unprofiled_end(struct unprofiled *unprofiled, pid_t pid, const char *path,
		    bool was_profiled, uint64_t cpu_ns);

/**
 * unprofiled_programs - what was seen, after unprofiled_end()
 * @unprofiled: from unprofiled_new()
 * @nr:         filled in: number of programs
 *
 * Return: them, in the order of their CPU time, until unprofiled_free().
 */
const struct unprofiled_program *unprofiled_programs(const struct unprofiled *unprofiled,
						     size_t *nr);

/**
 * unprofiled_free - forget what was seen
 * @unprofiled: from unprofiled_new(), or NULL
 */
void unprofiled_free(struct unprofiled *unprofiled);

#endif /* PROFIL_UNPROFILED_H */
