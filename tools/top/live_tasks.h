/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_TOP_LIVE_TASKS_H
#define PROFIL_TOP_LIVE_TASKS_H

#include <stddef.h>
#include <stdint.h>

#include "record/recording.h"
#include "result/result.h"
#include "top/rows.h"

/**
 * struct live_task - a thread
 * @thread:  its row; NULL: no samples
 * @program: the row of its program
 */
struct live_task {
	struct row *thread;
	struct row *program;
};

/**
 * struct live_tasks - all threads with samples
 * @recording: what they are of
 * @threads:   rows of threads
 * @programs:  rows of programs
 * @tasks:     by index of the thread
 * @nr:        size of @tasks
 * @by_path:   tree of @programs by their paths
 * @unlisted:  the threads that are not listed
 */
struct live_tasks {
	const struct recording *recording;
	struct rows threads;
	struct rows programs;
	struct live_task *tasks;
	size_t nr;
	void *by_path;
	struct live_task unlisted;
};

/**
 * live_tasks_add - add samples
 * @tasks: @recording is set, other members are zero
 *
 * Return: 0 or -ENOMEM.
 */
int live_tasks_add(struct live_tasks *tasks, const struct result_part *part);

/**
 * live_tasks_update - read the names of a thread and its program again, as they may have changed
 * @row:   a row of @tasks->threads
 *
 * Return: 0 or -ENOMEM.
 */
int live_tasks_update(struct live_tasks *tasks, struct row *row);

/* Free the memory. */
void live_tasks_release(struct live_tasks *tasks);

#endif /* PROFIL_TOP_LIVE_TASKS_H */
