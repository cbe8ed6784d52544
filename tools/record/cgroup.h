/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_CGROUP_H
#define PROFIL_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define CGROUP_WHY	512	/* bytes for an explanation */

/**
 * struct cgroup_pids - processes of a control group and of those below it
 * @list: process IDs, ascending, each once
 */
struct cgroup_pids {
	pid_t *list;
	size_t nr;
};

/**
 * cgroup_find - find the directory of a control group
 * @mounts: file with the mounts, in the form of proc_mounts(5); that of this process is
 *          /proc/self/mounts
 * @path:   the directory, or a path below the mount of version 2, with or without a slash in front,
 *          as in /proc/PID/cgroup
 * @found:  set to the directory, to be freed with free(). Whether it exists is not checked
 *
 * Return: 0; -ENODEV: version 2 is not mounted; -EOPNOTSUPP: the directory is in a mount of version
 * 1; or -errno.
 */
int cgroup_find(const char *mounts, const char *path, char **found);

/**
 * cgroup_open - find a control group, and check that its processes can be listed
 * @found: set to its directory, to be freed with free(); NULL: an error
 * @why:   on error, gets a sentence with the reason and the remedy
 *
 * Return: 0 or -errno.
 */
int cgroup_open(const char *path, char **found, char why[CGROUP_WHY]);

/**
 * cgroup_list - list the processes of a control group and of those below it
 * @directory: from cgroup_open(); it may have been removed since, and then has no process
 * @pids:      filled in; all zero at first, may be used again. To be freed: its list
 *
 * Those that are removed meanwhile, or may not be read, have no processes. A process that moves
 * meanwhile may be missing. Processes outside the PID namespace of this process have no ID.
 *
 * Return: 0 or -ENOMEM.
 */
int cgroup_list(const char *directory, struct cgroup_pids *pids);

/* Whether a process is in a list of cgroup_list(), or in one that is all zero. */
bool cgroup_has(const struct cgroup_pids *pids, pid_t pid);

#endif /* PROFIL_CGROUP_H */
