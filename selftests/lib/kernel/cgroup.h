/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A memory cgroup for one test.
 */
#ifndef SELFTESTS_CGROUP_H
#define SELFTESTS_CGROUP_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"

struct memory_group {
	char path[256];
};

int group_write(const struct memory_group *group, const char *name, const char *text);

int group_set(const struct memory_group *group, const char *name, long long bytes);

/* Reads the number after @key in the group's file @name. Returns -1 if there is none. */
long long group_number(const struct memory_group *group, const char *name, const char *key);

/* Returns false if the machine has no cgroup2 memory controller. */
bool group_make(struct memory_group *group, const char *name);

/* Moves the calling process into the group. Returns 0 or an errno. */
int group_join(const struct memory_group *group);

#endif /* SELFTESTS_CGROUP_H */
