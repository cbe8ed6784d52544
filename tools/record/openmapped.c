// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opens a file that a process has mapped. It may be in a container, or removed, and another file
 * may be at its path. While the process lives, /proc/PID leads to the file itself.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "record/openmapped.h"
#include "record/procfs.h"
#include "util/objectfile.h"
#include "util/time_ns.h"

#define DELETED	" (deleted)"

enum likeness { OTHER, POSSIBLE, SAME };

/* How a file was opened: by a path; as the program of the process; or as the mapping itself */
enum way { PATH, PROGRAM, MAPPING };

/*
 * Whether a file has not changed since it was mapped. Removing or renaming it changes its ctime,
 * but then its path does not lead to it any more.
 */
static bool is_unchanged(const struct stat *state, const struct file_key *key, enum way way)
{
	return !key->has_times ||
	       ((uint64_t)state->st_size == key->file_bytes &&
		time_stat_ns(&state->st_mtim) == key->mtime_ns &&
		(way != PATH || time_stat_ns(&state->st_ctim) == key->ctime_ns));
}

/*
 * Whether an open file is the one that was mapped. On some file systems (btrfs, overlayfs) the
 * kernel has other devices and inodes for mappings than for stat(2).
 */
static enum likeness compare(int fd, const struct file_key *key, enum way way)
{
	struct stat state;

	if (fstat(fd, &state) || !is_unchanged(&state, key, way))
		return OTHER;
	if (major(state.st_dev) == key->major && minor(state.st_dev) == key->minor)
		return state.st_ino == key->inode ? SAME : OTHER;
	switch (way) {
	case MAPPING:
		return SAME;
	case PROGRAM:	/* of all files that are mapped; its times tell */
		return key->has_times ? SAME : OTHER;
	default:
		return POSSIBLE;
	}
}

/* The best file that was found so far */
struct search {
	const struct file_key *key;
	int fd;
	enum likeness likeness;
	bool is_device;
};

/* Consider a descriptor, or -1. Return: whether it is the file. */
static bool consider(struct search *search, int fd, enum way way)
{
	enum likeness likeness;

	if (fd < 0)
		return false;
	likeness = compare(fd, search->key, way);
	if (likeness <= search->likeness) {
		close(fd);
		return false;
	}
	if (search->fd >= 0)
		close(search->fd);
	search->fd = fd;
	search->likeness = likeness;
	return likeness == SAME;
}

static bool is_device(const char *path)
{
	struct stat state;

	return !stat(path, &state) && (S_ISCHR(state.st_mode) || S_ISBLK(state.st_mode));
}

/* In a container, a path does not lead to the same file as here. */
static bool try_path(struct search *search, const char *path, pid_t pid)
{
	const char *problem;
	char root[PROCFS_PATH];

	if (path[0] != '/')
		return false;
	if (consider(search, objectfile_open(path, &problem), PATH))
		return true;
	search->is_device |= is_device(path);
	procfs_path(pid, "root", root);
	return consider(search, objectfile_open_below(root, path, &problem), PATH);
}

/* In /proc/PID/maps, a newline in a path is \012, as these characters themselves are. */
static char *unescape(const char *path)
{
	char *text = strdup(path), *to = text, *from = text;

	while (from && *from) {
		if (!strncmp(from, "\\012", 4)) {
			*to++ = '\n';
			from += 4;
		} else {
			*to++ = *from++;
		}
	}
	if (to)
		*to = 0;
	return text;
}

static bool try_unescaped(struct search *search, pid_t pid)
{
	char *path = strstr(search->key->path, "\\012") ? unescape(search->key->path) : NULL;
	bool found = path && try_path(search, path, pid);

	free(path);
	return found;
}

static bool try_links(struct search *search, const struct file_use *use)
{
	const char *problem;
	char link[PROCFS_PATH];

	procfs_path(use->pid, "exe", link);
	if (consider(search, objectfile_open(link, &problem), PROGRAM))
		return true;
	/* this one requires CAP_CHECKPOINT_RESTORE */
	snprintf(link, sizeof(link), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, use->pid,
		 use->start, use->end);
	return consider(search, objectfile_open(link, &problem), MAPPING);
}

int openmapped_open(const struct file_key *key, const struct file_use *use, bool by_path,
		    bool *is_device)
{
	struct search search = { .key = key, .fd = -1 };
	const bool found = (by_path && (try_path(&search, key->path, use->pid) ||
					try_unescaped(&search, use->pid))) ||
			   try_links(&search, use);

	*is_device = !found && search.is_device;
	return search.fd;
}

void openmapped_strip(char *path)
{
	const size_t length = strlen(path), suffix = strlen(DELETED);

	if (length > suffix && !strcmp(path + length - suffix, DELETED))
		path[length - suffix] = 0;
}

char *openmapped_path(int fd)
{
	char link[32], path[PATH_MAX];
	struct stat state;
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof(path) - 1);
	if (length <= 0 || path[0] != '/')
		return NULL;
	path[length] = 0;
	if (!fstat(fd, &state) && !state.st_nlink)
		openmapped_strip(path);
	return strdup(path);
}
