/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that show figures of the kernel and the module, and that set parameters.
 */
#ifndef SELFTESTS_FILES_H
#define SELFTESTS_FILES_H

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The module's parameters */
#define PARAMETERS	"/sys/module/profil/parameters/"

/* Returns the number after @name at the start of a line. -1 if there is none. */
long long read_number(const char *path, const char *name);

/* Removes a directory and its contents. */
void remove_tree(const char *dir);

/* Returns 0 or an errno. */
int write_text(const char *path, const char *text);

/* Turns on or off the limit of CPU time above which the module lowers rates. */
void set_throttle(bool on);

/* Lets the module detach unused hooks after a second, or, as by default, sometimes much later. */
void detach_hooks_early(bool on);

/* Whether the tick has no hook of the module. Needs root and tracefs; without them, false. */
bool hooks_are_gone(void);

/*
 * Returns a figure of the module from sysfs, a sum over all users. Only root may read it, so a test
 * that acts as another user becomes root meanwhile. -1 if there is none.
 */
long long figure(const char *name);

/* The same, after it has stopped changing because of earlier tests. */
long long settled_figure(const char *name);

/*
 * Waits up to 3 s until the figure has @value, since a worker cleans up after a process has ended.
 * Returns the last value.
 */
long long await_figure(const char *name, long long value);

#endif /* SELFTESTS_FILES_H */
