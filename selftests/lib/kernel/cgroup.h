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

struct memory_cgroup {
	char path[256];
};

int cgroup_write(const struct memory_cgroup *group, const char *name, const char *text);

int cgroup_set(const struct memory_cgroup *group, const char *name, long long bytes);

/* Reads the number after @key in the group's file @name. Returns -1 if there is none. */
long long cgroup_number(const struct memory_cgroup *group, const char *name, const char *key);

/*
 * Reads a figure of memory.stat. The kernel updates these every 2 s, by a timer that does not wake
 * an idle CPU: this keeps each CPU busy for a tick, so that the timer fires if it is due. Returns
 * -1 if there is no such figure.
 */
long long cgroup_statistic(const struct memory_cgroup *group, const char *key);

/* Returns false if the machine has no cgroup2 memory controller. */
bool cgroup_make(struct memory_cgroup *group, const char *name);

/* Moves the calling process into the group. Returns 0 or an errno. */
int cgroup_join(const struct memory_cgroup *group);

#endif /* SELFTESTS_CGROUP_H */
