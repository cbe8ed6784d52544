// SPDX-License-Identifier: GPL-2.0-only
/*
 * Control groups of version 2: where they are, and which processes are in them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fts.h>
#include <linux/magic.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

#include "record/cgroup.h"
#include "util/array.h"
#include "util/failure.h"

/* --- its directory ---------------------------------------------------------------- */

static bool is_below(const char *path, const char *mount)
{
	const size_t length = strlen(mount);

	return !strncmp(path, mount, length) && (path[length] == '/' || !path[length]);
}

static char *path_below(const char *mount, const char *path)
{
	char *joined;

	path += strspn(path, "/");
	return asprintf(&joined, "%s%s%s", mount, *path ? "/" : "", path) < 0 ? NULL : joined;
}

int cgroup_find(const char *mounts, const char *path, char **found)
{
	FILE *file = setmntent(mounts, "re");
	char *directory = NULL;
	int error = -ENODEV;
	struct mntent *mount;

	*found = NULL;
	if (!file)
		return failure_errno();
	while ((mount = getmntent(file))) {
		const bool is_version_2 = !strcmp(mount->mnt_type, "cgroup2");

		if (!is_version_2 && strcmp(mount->mnt_type, "cgroup"))
			continue;
		if (is_below(path, mount->mnt_dir)) {
			free(directory);
			directory = is_version_2 ? strdup(path) : NULL;
			error = is_version_2 ? -ENOMEM : -EOPNOTSUPP;
			break;
		}
		/* the first mount of version 2, unless the path is that of a directory */
		if (!is_version_2 || directory)
			continue;
		directory = path_below(mount->mnt_dir, path);
		error = -ENOMEM;
	}
	endmntent(file);
	*found = directory;
	return directory ? 0 : error;
}

static const char *find_remedy(int error)
{
	switch (error) {
	case ENODEV:
		return "no control groups of version 2 are mounted: mount -t cgroup2 cgroup2 /sys/fs/cgroup, or name processes with --pid";
	case EOPNOTSUPP:
		return "it is of version 1: name one of version 2, or processes with --pid";
	case ENOMEM:
		return "end other programs, or raise the memory limit (ulimit -v)";
	default:
		return "mount /proc";
	}
}

static const char *open_remedy(int error)
{
	switch (error) {
	case ENOENT:
	case ENODEV:
		return "there is no such control group; /proc/PID/cgroup has that of a process, and systemctl show -P ControlGroup UNIT that of a unit";
	case ENOTDIR:
		return "it is a file: name its directory";
	case EOPNOTSUPP:
		return "it is a threaded control group, which has no processes: name the one above it, see cgroup.type";
	case EACCES:
		return "run profil as root";
	case EINVAL:
		return "it is no control group; /proc/PID/cgroup has that of a process";
	default:
		return "see open(2)";
	}
}

/* Return: its list of processes; NULL with errno. */
static FILE *open_list(const char *directory)
{
	char *name;
	FILE *file;

	if (asprintf(&name, "%s/cgroup.procs", directory) < 0)
		return NULL;
	file = fopen(name, "re");
	free(name);
	return file;
}

/* Return: 0 or -errno. */
static int check(const char *directory)
{
	struct statfs fs;
	int error = 0;
	FILE *file;

	if (statfs(directory, &fs))
		return failure_errno();
	if (fs.f_type != CGROUP2_SUPER_MAGIC)
		return -EINVAL;
	file = open_list(directory);
	if (!file)
		return failure_errno();
	/* that of a threaded control group can be opened, but not read */
	if (getc(file) == EOF && ferror(file))
		error = failure_errno();
	fclose(file);
	return error;
}

int cgroup_open(const char *path, char **found, char why[CGROUP_WHY])
{
	int error = cgroup_find("/proc/self/mounts", path, found);

	if (!*found) {
		snprintf(why, CGROUP_WHY, "%s: %s (%s): %s", path, strerrordesc_np(-error),
			 strerrorname_np(-error), find_remedy(-error));
		return error;
	}
	error = check(*found);
	if (!error)
		return 0;
	snprintf(why, CGROUP_WHY, "%s: %s (%s): %s", *found, strerrordesc_np(-error),
		 strerrorname_np(-error), open_remedy(-error));
	free(*found);
	*found = NULL;
	return error;
}

/* --- its processes ---------------------------------------------------------------- */

/* Return: 0 or -ENOMEM. */
static int add(struct cgroup_pids *pids, pid_t pid)
{
	pid_t *last = array_append(pids->list, pids->nr);

	if (!last)
		return -ENOMEM;
	*last = pid;
	return 0;
}

/* Return: 0, also if it has been removed or is threaded; or -ENOMEM. */
static int add_list(struct cgroup_pids *pids, const char *directory)
{
	FILE *file = open_list(directory);
	int pid, error = 0;

	if (!file)
		return errno == ENOMEM ? -ENOMEM : 0;
	while (!error && fscanf(file, "%d", &pid) == 1)
		/* 0: in another PID namespace */
		if (pid > 0)
			error = add(pids, pid);
	fclose(file);
	return error;
}

static int compare_pids(const void *va, const void *vb)
{
	const pid_t a = *(const pid_t *)va, b = *(const pid_t *)vb;

	return a < b ? -1 : a > b;
}

bool cgroup_has(const struct cgroup_pids *pids, pid_t pid)
{
	return pids->nr && bsearch(&pid, pids->list, pids->nr, sizeof(pid), compare_pids);
}

/* A process that moves meanwhile may be in two lists, and one list may have it twice. */
static void sort(struct cgroup_pids *pids)
{
	size_t from, to = 0;

	if (!pids->nr)
		return;
	qsort(pids->list, pids->nr, sizeof(*pids->list), compare_pids);
	for (from = 1; from < pids->nr; from++)
		if (pids->list[from] != pids->list[to])
			pids->list[++to] = pids->list[from];
	pids->nr = to + 1;
}

int cgroup_list(const char *directory, struct cgroup_pids *pids)
{
	char *roots[] = { strdup(directory), NULL };
	int error = roots[0] ? 0 : -ENOMEM;
	FTSENT *entry;
	FTS *tree;

	pids->nr = 0;
	if (error)
		return error;
	/* directories are known without stat(2) of each of their many files */
	tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT, NULL);
	while (tree && !error && (entry = fts_read(tree)))
		if (entry->fts_info == FTS_D)
			error = add_list(pids, entry->fts_path);
	if (!tree)
		error = -ENOMEM;
	else
		fts_close(tree);
	free(roots[0]);
	sort(pids);
	return error;
}
