/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The threads that have samples. A thread that executes another program is another one.
 */
#ifndef PROFIL_THREADS_H
#define PROFIL_THREADS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/log_record.h"
#include "result/result.h"

/**
 * struct threads - all threads; all zero if empty
 * @list: in the order of their first samples
 */
struct threads {
	struct result_thread *list;
	size_t nr;
};

/**
 * struct process_threads - the threads of a process in its program; all zero if empty
 * @tree:  by thread ID
 * @tid:   the one that was found last; 0: none
 * @index: of that one in the list
 */
struct process_threads {
	void *tree;
	pid_t tid;
	uint32_t index;
};

/**
 * threads_find - find a thread, or add it
 * @process: the threads of its process
 * @row:     the program of the process: index in result->processes
 * @tid:     thread ID; 0: a thread that is about to end
 * @name:    its name if nothing else tells it; NULL: unknown
 * @index:   set to its index in the list; RESULT_NO_THREAD: the list is full
 *
 * Return: 0 or -ENOMEM.
 */
int threads_find(struct threads *threads, struct process_threads *process, size_t row, pid_t tid,
		 const char *name, uint32_t *index);

/**
 * threads_end - a thread has ended: note its name and its CPU time
 * @process: the threads of its process
 * @end:     the record. A thread without samples stays unknown
 *
 * The kernel may give the ID to another thread of the process: then both are one.
 *
 * Return: 0 or -ENOMEM.
 */
int threads_end(struct threads *threads, struct process_threads *process,
		const struct profil_record_thread *end);

/**
 * threads_copy - copy a thread for a result
 * @to:   filled in; also on error, to->name must be freed with free()
 *
 * If it has not ended, /proc has its name and its CPU time. If it is not there, it has executed
 * another program, or its record was lost.
 *
 * Return: 0 or -ENOMEM.
 */
int threads_copy(struct result_thread *to, const struct result_thread *from, pid_t pid);

/**
 * threads_forget - the process has ended, or runs another program from now on
 * @process: set to zero. The list keeps its threads
 */
void threads_forget(struct process_threads *process);

/* Free the memory. */
void threads_release(struct threads *threads);

#endif /* PROFIL_THREADS_H */
