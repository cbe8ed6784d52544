// SPDX-License-Identifier: GPL-2.0-only
/*
 * Replacing a file atomically.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "result/atomic_file.h"
#include "util/base_name.h"
#include "util/failure.h"

/* Return: the path of a file in the directory of another one, to free(); NULL: no memory. */
static char *beside(const char *path, const char *name)
{
	char *copy = strdup(path), *both = NULL;

	if (copy && asprintf(&both, "%s/%s", dirname(copy), name) < 0)
		both = NULL;
	free(copy);
	return both;
}

static int open_directory(const char *path)
{
	char *directory = beside(path, ".");
	const int fd = directory ? open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;

	free(directory);
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

	*new = (struct atomic_file){ .directory = -1, .exists = fd >= 0, .fd = -1 };
	if (!new->exists && errno != ENOENT)
		return failure_errno();
	if (new->exists) {
		fstat(fd, &new->file);
		close(fd);
	}
	new->is_special = new->exists && !S_ISREG(new->file.st_mode);
	if (new->is_special)
		return 0;
	new->path = new->exists ? realpath(path, NULL) : strdup(path);
	if (!new->path)
		return failure_errno();
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
		unlinkat(new->directory, new->temporary, 0);
		close(new->fd);
	}
	if (new->directory >= 0)
		close(new->directory);
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

int atomic_file_begin(struct atomic_file *new)
{
	unsigned int number;

	/* of one length, as the file may have the longest name that there is */
	do {
		if (getrandom(&number, sizeof(number), 0) < 0)
			return failure_errno();
		snprintf(new->temporary, sizeof(new->temporary), "profil.%08x", number);
		new->fd = openat(new->directory, new->temporary,
				 O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	} while (new->fd < 0 && errno == EEXIST);
	if (new->fd < 0)
		return failure_errno();
	/* the permissions of the old file */
	return new->exists && fchmod(new->fd, new->file.st_mode & 0777) ? failure_errno() : 0;
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

/*
 * Give the old file a second, temporary name, because the rename will take its first one.
 * Return: 0 or -errno. @name: set to the temporary name; empty: no old file to keep.
 */
static int link_old(const struct atomic_file *new, char name[ATOMIC_FILE_NAME + 4])
{
	*name = 0;
	/* where the rename is going to be refused, deleting the temporary name would be too */
	if (!new->exists || !new->file.st_size || atomic_file_check(new))
		return 0;
	if (!is_same(new))
		return -ESTALE;
	snprintf(name, ATOMIC_FILE_NAME + 4, "%s.old", new->temporary);
	/* without AT_SYMLINK_FOLLOW, in case the path has become a symbolic link */
	if (!linkat(new->directory, base_name(new->path), new->directory, name, 0))
		return 0;
	*name = 0;
	return failure_errno();
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
	char old[ATOMIC_FILE_NAME + 4] = "";
	int error = 0;

	if (fsync(new->fd))
		return failure_errno();
	if (unkept)
		*unkept = link_old(new, old);
	if (renameat(new->directory, new->temporary, new->directory, base_name(new->path))) {
		error = failure_errno();
		*left = beside(new->path, new->temporary);
	}
	if (error && unkept)
		*unkept = 0;
	if (*old && !error)
		*unkept = rename_old(new, old);
	/* still there after an error, or if FILE and FILE.old were links to the same file */
	if (*old)
		unlinkat(new->directory, old, 0);
	if (!error)
		sync_directory(new->directory);
	close(new->fd);
	new->fd = -1;
	return error;
}
