// SPDX-License-Identifier: GPL-2.0-only
/*
 * The threads that have samples: a list of all, and for each process a tree by thread ID. Most
 * samples are of the same thread as the one before.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "record/procfs.h"
#include "record/threads.h"
#include "util/array.h"

/* An entry of the tree */
struct known {
	pid_t tid;
	uint32_t index;
};

static int compare(const void *va, const void *vb)
{
	const struct known *a = va, *b = vb;

	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

/* Append a thread to the list. Return: 0 or -ENOMEM. */
static int append(struct threads *threads, size_t row, pid_t tid, const char *name)
{
	struct result_thread *list = array_append(threads->list, threads->nr);

	if (!list)
		return -ENOMEM;
	*list = (struct result_thread){
		.process = (uint32_t)row,
		.tid = tid,
		.name = name ? strdup(name) : NULL,
	};
	return name && !threads->list[threads->nr - 1].name ? -ENOMEM : 0;
}

/* Return: NULL: no memory. */
static struct known *add(struct threads *threads, struct process_threads *process, size_t row,
			 pid_t tid, const char *name)
{
	struct known *new = malloc(sizeof(*new));

	if (!new)
		return NULL;
	*new = (struct known){ .tid = tid, .index = (uint32_t)threads->nr };
	if (!tsearch(new, &process->tree, compare)) {
		free(new);
		return NULL;
	}
	/* without memory, the entry is of no thread, and the recording ends */
	return append(threads, row, tid, name) ? NULL : new;
}

/* A thread that was folded (fold.h) is in the list without a process. */
static uint32_t listed(const struct threads *threads, uint32_t index)
{
	return index < threads->nr && threads->list[index].process != RESULT_NO_PROCESS ?
	       index : RESULT_NO_THREAD;
}

int threads_find(struct threads *threads, struct process_threads *process, size_t row, pid_t tid,
		 const char *name, uint32_t *index)
{
	const struct known key = { .tid = tid };
	struct known **found, *known;

	*index = listed(threads, process->index);
	if (tid && tid == process->tid)
		return 0;
	found = tfind(&key, &process->tree, compare);
	*index = RESULT_NO_THREAD;
	if (!found && threads->nr == RESULT_MAX_THREADS)
		return 0;
	known = found ? *found : add(threads, process, row, tid, name);
	if (!known)
		return -ENOMEM;
	process->tid = tid;
	process->index = known->index;
	*index = listed(threads, known->index);
	return 0;
}

int threads_end(struct threads *threads, struct process_threads *process,
		const struct profil_record_thread *end)
{
	const struct known key = { .tid = end->tid };
	struct known **found = tfind(&key, &process->tree, compare);
	struct result_thread *thread;

	if (!found || listed(threads, (*found)->index) == RESULT_NO_THREAD)
		return 0;
	/* it stays in the tree, as samples of the rest of its exit follow */
	thread = &threads->list[(*found)->index];
	thread->has_cpu_ns = true;
	thread->cpu_ns += end->cpu_ns;
	free(thread->name);
	thread->name = strdup(end->comm);
	return thread->name ? 0 : -ENOMEM;
}

int threads_copy(struct result_thread *to, const struct result_thread *from, pid_t pid)
{
	const char *name = from->name;
	char living[PROCFS_THREAD_NAME];

	*to = *from;
	if (!from->has_cpu_ns && from->tid && procfs_read_thread_name(pid, from->tid, living)) {
		to->has_cpu_ns = procfs_read_thread_cpu(pid, from->tid, &to->cpu_ns);
		name = living;
	}
	to->name = name ? strdup(name) : NULL;
	return name && !to->name ? -ENOMEM : 0;
}

void threads_forget(struct process_threads *process)
{
	tdestroy(process->tree, free);
	memset(process, 0, sizeof(*process));
}

void threads_release(struct threads *threads)
{
	size_t i;

	for (i = 0; i < threads->nr; i++)
		free(threads->list[i].name);
	free(threads->list);
	memset(threads, 0, sizeof(*threads));
}
