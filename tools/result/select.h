/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Selects samples of a result: those of a program, a process, a thread or an object. Reports and
 * exports have only these then.
 */
#ifndef PROFIL_SELECT_H
#define PROFIL_SELECT_H

#include <stdbool.h>
#include <stddef.h>

#include "result/result.h"

/**
 * struct selection - conditions, all of which a sample must meet
 * @program: pattern of fnmatch(3) for the path of the program, for argv[0], for the file name in one
 *           of them, or for the name of the process's first thread; NULL: any
 * @process: process ID; 0: any
 * @thread:  pattern for the name of the thread, or its thread ID; NULL: any
 * @object:  pattern for the path of the object, or for its file name; NULL: any
 */
struct selection {
	const char *program;
	int32_t process;
	const char *thread;
	const char *object;
};

/*
 * Compute counts and all sums of samples from the parts. The result passes result_problem().
 * Return: 0 or -ENOMEM.
 */
int result_sum(struct result *result);

/*
 * Drop the samples that do not meet conditions, and add up the others. Samples outside all objects
 * are in the object RESULT_OUTSIDE. Samples of threads that are not listed meet no condition for
 * programs, processes and threads. Return: 0 or -ENOMEM.
 */
int result_select(struct result *result, const struct selection *selection);

/* Check whether a selection has no conditions. Return: true if it selects all samples. */
bool selection_is_all(const struct selection *selection);

/* Make a pattern that selects one path alone. Return: to be freed with free(); NULL: no memory. */
char *selection_pattern(const char *path);

#endif /* PROFIL_SELECT_H */
