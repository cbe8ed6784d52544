/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The progress line of a run: time, samples, and CPU time since the line before.
 */
#ifndef PROFIL_PROGRESS_H
#define PROFIL_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The last line */
struct progress {
	FILE *out;
	bool is_terminal;	/* there, one line is updated; else there is a new line each time */
	uint64_t elapsed_ns;	/* of that line */
	uint64_t samples;	/* of that line */
};

void progress_begin(struct progress *progress, FILE *out);

/* Print a line; @rate is samples per second of CPU time. */
void progress_show(struct progress *progress, uint64_t elapsed_ns, uint64_t samples, uint32_t rate);

/* Remove the line from the terminal. */
void progress_end(const struct progress *progress);

#endif /* PROFIL_PROGRESS_H */
