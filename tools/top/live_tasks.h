/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_TOP_LIVE_TASKS_H
#define PROFIL_TOP_LIVE_TASKS_H

#include <stddef.h>
#include <stdint.h>

#include "record/recording.h"
#include "result/result.h"
#include "top/rows.h"

/* A thread */
struct live_task {
	struct row *thread;	/* its row; NULL: no samples */
	struct row *program;	/* the row of its program */
};

/* All threads with samples */
struct live_tasks {
	const struct recording *recording;	/* what they are of */
	struct rows threads;			/* rows of threads */
	struct rows programs;			/* rows of programs */
	struct live_task *tasks;		/* by index of the thread */
	size_t nr;				/* size of @tasks */
	void *by_path;				/* tree of @programs by their paths */
	struct live_task unlisted;		/* the threads that are not listed */
};

/* Add samples. Return: 0 or -ENOMEM. */
int live_tasks_add(struct live_tasks *tasks, const struct result_part *part);

/*
 * Read the names of a thread, a row of @tasks->threads, and its program again, as they may have
 * changed. Return: 0 or -ENOMEM.
 */
int live_tasks_update(struct live_tasks *tasks, struct row *row);

/* Free the memory. */
void live_tasks_release(struct live_tasks *tasks);

#endif /* PROFIL_TOP_LIVE_TASKS_H */
