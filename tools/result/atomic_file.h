/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replacing a file atomically: the new file is written to the same directory, and renamed when
 * all of it is on the disk. Readers see either the old or the new file, even after a crash.
 *
 * Symbolic links are followed as the kernel follows them, which restricts links in
 * world-writable directories (protected_symlinks in proc(5)). The directory stays open until
 * the rename, so it cannot be exchanged in between.
 */
#ifndef PROFIL_ATOMIC_FILE_H
#define PROFIL_ATOMIC_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

#define ATOMIC_FILE_NAME	20	/* bytes of a temporary name */

/**
 * struct atomic_file - a file that replaces another; private except for
 * @is_special: the path is that of a special file, which is not replaced
 * @fd:         descriptor to write to, from atomic_file_begin() to atomic_file_finish(); else -1
 */
struct atomic_file {
	char *path;		/* without symbolic links, if the file exists */
	char temporary[ATOMIC_FILE_NAME];	/* name of the new file in the directory */
	int directory;		/* O_PATH */
	bool exists;
	struct stat file;	/* the existing file */

	bool is_special;
	int fd;
};

/**
 * atomic_file_find - look up the file to replace
 * @new:  filled in; must be released with atomic_file_release(), even on error
 * @path: path of the file. Symbolic links are followed; a dangling one is replaced
 *
 * Return: 0 or -errno; -EACCES: also for another user's link in a sticky directory; -ESTALE:
 * the file was moved during the lookup.
 */
int atomic_file_find(struct atomic_file *new, const char *path);

/*
 * Check whether atomic_file_finish() would be refused. Not for special files. Return: 0 or -errno;
 * -EPERM: another user's file in a sticky directory; -EBUSY: a mount point.
 */
int atomic_file_check(const struct atomic_file *new);

/*
 * Create the new file, with the permissions of the old one. Not for special files. Return: 0 or
 * -errno.
 */
int atomic_file_begin(struct atomic_file *new);

/**
 * atomic_file_finish - replace the old file by the new one
 * @left:   set to the path of the new file if it is on the disk but cannot be renamed, to be
 *          freed with free(); else unchanged
 * @unkept: NULL: delete the old file. Else it is renamed to its name and ".old", unless it is
 *          empty; a file or symbolic link of that name is replaced. Set to 0, or to the -errno
 *          of renaming; -EPERM, -EACCES: also for a file of another user in a shared
 *          directory; -EPERM, -EOPNOTSUPP: also for a file system without hard links
 *
 * The path exists at any time, and the old file has a name until the new one is in place. If
 * the rename is refused, the file and the ".old" file are unchanged.
 *
 * Return: 0 or -errno.
 */
int atomic_file_finish(struct atomic_file *new, char **left, int *unkept);

/* Free memory and descriptors. Deletes the new file unless it is finished. */
void atomic_file_release(const struct atomic_file *new);

#endif /* PROFIL_ATOMIC_FILE_H */
