/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tasks as /proc shows them, the kernel's own workers included.
 */
#ifndef SELFTESTS_TASKS_H
#define SELFTESTS_TASKS_H

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

struct task {
	char name[64];
	char state;
	int nice;
	int cpu;		/* the last one it ran on */
	unsigned long long ns;	/* CPU time */
};

/* Reads a file of /proc/PID as a string. Returns false on error. */
bool read_task_file(pid_t pid, const char *name, char *text, size_t bytes);

/* Returns false if there is no such task. */
bool read_task(pid_t pid, struct task *task);

char task_state(pid_t pid);

/* Returns whether the task's kernel stack contains a function of the module. Needs root. */
bool is_in_module(pid_t pid);

typedef unsigned long long look_at_task(pid_t pid, const struct task *task, void *data);

/* Calls @look for each worker of the kernel. Returns the sum of the results. */
unsigned long long each_kworker(look_at_task *look, void *data);

/* Counts the workers that sleep uninterruptibly in the module. */
int stuck_kworkers(void);

#endif /* SELFTESTS_TASKS_H */
