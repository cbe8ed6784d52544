// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rows of threads, and those of programs. The name of a thread and the path of its program are
 * known best some time after its first sample.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "record/sample_hook.h"
#include "top/live_tasks.h"
#include "util/base_name.h"

/* An entry of the tree of programs */
struct program {
	char *path;
	struct row *row;
};

static int compare_paths(const void *va, const void *vb)
{
	const struct program *a = va, *b = vb;

	return strcmp(a->path, b->path);
}

static void free_program(void *node)
{
	struct program *program = node;

	free(program->path);
	free(program);
}

/* Return: the row of a program; NULL: no memory. */
static struct row *need_program(struct live_tasks *tasks, const char *path)
{
	const struct program key = { .path = (char *)path };
	struct program **found = tfind(&key, &tasks->by_path, compare_paths), *new;

	if (found)
		return (*found)->row;
	new = calloc(1, sizeof(*new));
	if (!new)
		return NULL;
	new->path = strdup(path);
	if (!new->path || !tsearch(new, &tasks->by_path, compare_paths)) {
		free_program(new);
		return NULL;
	}
	/* without memory, the profile has no row for it */
	new->row = rows_new(&tasks->programs, base_name(path), new->path);
	return new->row;
}

/* The rows of a thread that has none. */
static int begin(struct live_tasks *tasks, struct live_task *task, uint32_t index)
{
	const struct result_process *process = NULL;
	struct result_thread thread = { 0 };
	int error = 0;

	if (index != RESULT_NO_THREAD)
		error = sample_hook_copy_thread(tasks->recording, index, &thread, &process);
	if (!error) {
		task->program = need_program(tasks, process ? process->program : RESULT_UNKNOWN);
		task->thread = !task->program ? NULL :
			       rows_new(&tasks->threads, thread.name ? thread.name : RESULT_UNKNOWN,
					task->program->place);
	}
	if (task->thread) {
		task->thread->pid = process ? process->pid : 0;
		task->thread->tid = thread.tid;
		task->thread->thread = index;
	}
	free(thread.name);
	return task->thread ? 0 : -ENOMEM;
}

/* Return: NULL: no memory. */
static struct live_task *need_task(struct live_tasks *tasks, uint32_t index)
{
	struct live_task *more;
	size_t nr;

	if (index == RESULT_NO_THREAD)
		return &tasks->unlisted;
	if (index >= tasks->nr) {
		nr = 2 * (size_t)index + 64;
		more = reallocarray(tasks->tasks, nr, sizeof(*more));
		if (!more)
			return NULL;
		memset(more + tasks->nr, 0, (nr - tasks->nr) * sizeof(*more));
		tasks->tasks = more;
		tasks->nr = nr;
	}
	return &tasks->tasks[index];
}

int live_tasks_add(struct live_tasks *tasks, const struct result_part *part)
{
	struct live_task *task = need_task(tasks, part->thread);

	if (!task || (!task->thread && begin(tasks, task, part->thread)))
		return -ENOMEM;
	rows_add(&tasks->threads, task->thread, part->samples, part->system);
	rows_add(&tasks->programs, task->program, part->samples, part->system);
	return 0;
}

/* Return: 0 or -ENOMEM. */
static int rename_thread(struct live_tasks *tasks, struct row *row, const char *name)
{
	char *copy;

	if (!name || !strcmp(row->name, name))
		return 0;
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	free(row->name);
	free(row->shown);
	row->name = copy;
	row->shown = NULL;
	tasks->threads.is_changed = true;
	return 0;
}

/* The program of a thread turns out to be another one. Return: 0 or -ENOMEM. */
static int set_program(struct live_tasks *tasks, struct live_task *task, const char *path)
{
	struct row *program, *thread = task->thread;

	if (!strcmp(task->program->place, path))
		return 0;
	program = need_program(tasks, path);
	if (!program)
		return -ENOMEM;
	rows_move(&tasks->programs, task->program, program, thread->samples, thread->system,
		  thread->recent);
	task->program = program;
	thread->place = program->place;
	return 0;
}

int live_tasks_update(struct live_tasks *tasks, struct row *row)
{
	const struct result_process *process;
	struct result_thread thread;
	int error;

	if (row->thread == RESULT_NO_THREAD)
		return 0;
	error = sample_hook_copy_thread(tasks->recording, row->thread, &thread, &process);
	if (!error && process)
		error = rename_thread(tasks, row, thread.name);
	if (!error && process)
		error = set_program(tasks, &tasks->tasks[row->thread], process->program);
	free(thread.name);
	return error;
}

void live_tasks_release(struct live_tasks *tasks)
{
	tdestroy(tasks->by_path, free_program);
	rows_release(&tasks->threads);
	rows_release(&tasks->programs);
	free(tasks->tasks);
	memset(tasks, 0, sizeof(*tasks));
}
