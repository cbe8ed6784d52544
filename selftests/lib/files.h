/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files in which the kernel tells figures and takes settings, the module's own
 * among them.
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

/* What the administrator sets. */
#define PARAMETERS	"/sys/module/profil/parameters/"

/* The number behind a name at the start of a line. -1 if there is none. */
long long read_number(const char *path, const char *name);

/* A directory and what is in it. */
void remove_tree(const char *dir);

/* 0 or errno. */
int write_text(const char *path, const char *text);

/* Whether rates are lowered whose samples take more of a processor than is usual. */
void set_throttle(bool on);

/*
 * A figure of the module, for all users and processes, which only root may read: also in
 * a test that plays a user for a while. -1 if there is none.
 */
long long figure(const char *name);

/* The same, once nothing that ended before us still moves it. */
long long settled_figure(const char *name);

/*
 * Wait, for 3 s at most, until it has a value: the worker ends what a process left when
 * it ended. Return: what it came to.
 */
long long await_figure(const char *name, long long value);

#endif /* SELFTESTS_FILES_H */
