/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a run goes, while it goes: read from the memory that it is counted in, so that it
 * costs the program nothing, and by a process of its own, so that nothing in the program's
 * files can harm the run.
 */
#ifndef PROFIL_PROGRESS_H
#define PROFIL_PROGRESS_H

#include <stdio.h>

struct progress;

/**
 * progress_new - prepare to show a run
 * @memory: from shm_create(), open for as long as it is shown
 * @argv:   the command and its arguments, ended by NULL
 * @out:    where to: on a terminal one line that is written over, else a line each time
 *
 * Return: to be given to progress_free(), or NULL: no memory.
 */
struct progress *progress_new(int memory, char *const argv[], FILE *out);

/**
 * progress_show - show how far it is: seconds, samples, and the top functions
 * @progress: from progress_new()
 *
 * Returns at once: the child process shows it when it is ready.
 * What goes wrong is no matter here: the report at the end tells it.
 */
void progress_show(void *progress);

/**
 * progress_free - leave the terminal as it was
 * @progress: from progress_new(), or NULL
 */
void progress_free(struct progress *progress);

#endif /* PROFIL_PROGRESS_H */
