// SPDX-License-Identifier: GPL-2.0-only
/*
 * Replacing a file atomically.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "result/atomic_file.h"
#include "util/base_name.h"
#include "util/failure.h"

/* Return: the absolute path of an open file, to free(); or NULL with errno. */
static char *path_of(int fd)
{
	char link[32], path[PATH_MAX];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof(path));
	if (length < 0)
		return NULL;
	if (length == sizeof(path)) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	return strndup(path, (size_t)length);
}

static int open_directory(const char *path)
{
	char *copy = strdup(path);
	int fd;

	if (!copy)
		return -1;
	fd = open(dirname(copy), O_PATH | O_DIRECTORY | O_CLOEXEC);
	free(copy);
	return fd;
}

/* Whether the path still leads to the file that was found. */
static bool is_same(const struct atomic_file *new)
{
	struct stat st;

	return !fstatat(new->directory, base_name(new->path), &st, AT_SYMLINK_NOFOLLOW) &&
	       st.st_dev == new->file.st_dev && st.st_ino == new->file.st_ino;
}

int atomic_file_find(struct atomic_file *new, const char *path)
{
	int fd = open(path, O_PATH | O_CLOEXEC);
	int error = 0;

	*new = (struct atomic_file){ .directory = -1, .exists = fd >= 0, .fd = -1 };
	if (!new->exists && errno != ENOENT)
		return failure_errno();
	if (!new->exists)
		new->path = strdup(path);
	else if (!fstat(fd, &new->file))
		new->path = path_of(fd);
	if (!new->path)
		error = failure_errno();
	if (new->exists)
		close(fd);
	if (!new->path)
		return error;
	new->is_special = new->exists && !S_ISREG(new->file.st_mode);
	if (new->is_special)
		return 0;
	if (!*path || path[strlen(path) - 1] == '/')
		return -EISDIR;
	new->directory = open_directory(new->path);
	if (new->directory < 0)
		return failure_errno();
	return new->exists && !is_same(new) ? -ESTALE : 0;
}

void atomic_file_release(const struct atomic_file *new)
{
	/* not finished */
	if (new->fd >= 0) {
		unlink(new->temporary);
		close(new->fd);
	}
	if (new->directory >= 0)
		close(new->directory);
	free(new->temporary);
	free(new->path);
}

int atomic_file_check(const struct atomic_file *new)
{
	struct stat directory;
	struct statx file;

	if (!new->exists)
		return 0;
	if (fstat(new->directory, &directory))
		return failure_errno();
	if (directory.st_mode & S_ISVTX && geteuid() &&
	    directory.st_uid != geteuid() && new->file.st_uid != geteuid())
		return -EPERM;
	if (!statx(new->directory, base_name(new->path), AT_SYMLINK_NOFOLLOW, 0, &file) &&
	    file.stx_attributes & STATX_ATTR_MOUNT_ROOT)
		return -EBUSY;
	return 0;
}

/* The permissions of the old file; if there is none, the default ones of a new file. */
static mode_t new_mode(const struct atomic_file *new)
{
	mode_t mask;

	if (new->exists)
		return new->file.st_mode & 0777;
	mask = umask(0);
	umask(mask);
	return 0666 & ~mask;
}

int atomic_file_begin(struct atomic_file *new)
{
	if (asprintf(&new->temporary, "/proc/self/fd/%d/%s.XXXXXX", new->directory,
		     base_name(new->path)) < 0) {
		new->temporary = NULL;
		return -ENOMEM;
	}
	new->fd = mkostemp(new->temporary, O_CLOEXEC);
	return new->fd < 0 || fchmod(new->fd, new_mode(new)) ? failure_errno() : 0;
}

/*
 * Make the rename durable. Errors are ignored: not all file systems support this, and not every
 * directory can be read.
 */
static void sync_directory(int directory)
{
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

static int move_into_place(const struct atomic_file *new)
{
	char *target;
	int error = 0;

	if (asprintf(&target, "/proc/self/fd/%d/%s", new->directory,
		     base_name(new->path)) < 0)
		return -ENOMEM;
	if (rename(new->temporary, target))
		error = failure_errno();
	free(target);
	return error;
}

/*
 * Give the old file a second, temporary name, because the rename will take its first one.
 * Return: 0 or -errno. @name: set to the temporary name, to free(); NULL: no old file to keep.
 */
static int link_old(const struct atomic_file *new, char **name)
{
	int error = 0;

	*name = NULL;
	/* where the rename is going to be refused, deleting the temporary name would be too */
	if (!new->exists || !new->file.st_size || atomic_file_check(new))
		return 0;
	if (!is_same(new))
		return -ESTALE;
	if (asprintf(name, "%s.old", base_name(new->temporary)) < 0) {
		*name = NULL;
		return -ENOMEM;
	}
	/* without AT_SYMLINK_FOLLOW, in case the path has become a symbolic link */
	if (linkat(new->directory, base_name(new->path), new->directory, *name, 0)) {
		error = failure_errno();
		free(*name);
		*name = NULL;
	}
	return error;
}

/* Rename the old file from its temporary name. Return: 0 or -errno. */
static int rename_old(const struct atomic_file *new, const char *name)
{
	int error = 0;
	char *old;

	if (asprintf(&old, "%s.old", base_name(new->path)) < 0)
		return -ENOMEM;
	if (renameat(new->directory, name, new->directory, old))
		error = failure_errno();
	free(old);
	return error;
}

int atomic_file_finish(struct atomic_file *new, char **left, int *unkept)
{
	char *old_name = NULL;
	int error;

	if (fsync(new->fd))
		return failure_errno();
	if (unkept)
		*unkept = link_old(new, &old_name);
	error = move_into_place(new);
	if (error)
		*left = path_of(new->fd);
	if (error && unkept)
		*unkept = 0;
	if (old_name && !error)
		*unkept = rename_old(new, old_name);
	/* still there after an error, or if FILE and FILE.old were links to the same file */
	if (old_name)
		unlinkat(new->directory, old_name, 0);
	free(old_name);
	if (!error)
		sync_directory(new->directory);
	close(new->fd);
	new->fd = -1;
	return error;
}
