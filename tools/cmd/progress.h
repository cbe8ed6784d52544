/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The progress line of a run: time, samples and top functions. It is computed from the shared
 * memory, which does not disturb the program, in a child process, which may crash without harm
 * to the run.
 */
#ifndef PROFIL_PROGRESS_H
#define PROFIL_PROGRESS_H

#include <stdio.h>

struct progress;

/**
 * progress_new - prepare to print the progress of a run
 * @memory: from shm_create(); must stay open until progress_free()
 * @argv:   the command and its arguments, terminated by NULL
 * @out:    output file: on a terminal, one line that is updated; else a new line each time
 *
 * Return: to be given to progress_free(), or NULL: no memory.
 */
struct progress *progress_new(int memory, char *const argv[], FILE *out);

/**
 * progress_show - request a progress line
 * @progress: from progress_new()
 *
 * Returns at once; the child process prints the line when it is ready. Errors are ignored, as
 * the report at the end of the run explains them.
 */
void progress_show(void *progress);

/**
 * progress_free - remove the line from the terminal, and free all memory
 * @progress: from progress_new(), or NULL
 */
void progress_free(struct progress *progress);

#endif /* PROFIL_PROGRESS_H */
