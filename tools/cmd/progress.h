/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The progress line of a run: time, samples and top functions. A child process computes it, which
 * may crash without harm to the run.
 */
#ifndef PROFIL_PROGRESS_H
#define PROFIL_PROGRESS_H

#include <stdio.h>

#include "result/result.h"

struct progress;

/**
 * progress_new - prepare to print the progress of a run
 * @out: output file: on a terminal, one line that is updated; else a new line each time
 *
 * Return: to be given to progress_free(), or NULL: no memory.
 */
struct progress *progress_new(FILE *out);

/**
 * progress_show - request a progress line
 * @progress: from progress_new()
 * @result:   the result so far; NULL: no samples yet
 *
 * Returns at once; the child process prints the line when it is ready. A request is ignored
 * while the child process still works on the one before. Errors are ignored, as the report at
 * the end of the run explains them.
 */
void progress_show(struct progress *progress, const struct result *result);

/**
 * progress_free - remove the line from the terminal, and free all memory
 * @progress: from progress_new(), or NULL
 */
void progress_free(struct progress *progress);

#endif /* PROFIL_PROGRESS_H */
