/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file that takes the place of another in one step: it is written beside its place, and
 * moved there when all of it is on the disk, so that a reader finds the old or the new one,
 * also after a crash.
 *
 * The kernel follows symbolic links, by its rules for directories that everybody may write
 * to (protected_symlinks in proc(5)). What it finds is held by descriptors: nobody can
 * exchange it meanwhile.
 */
#ifndef PROFIL_ATOMIC_FILE_H
#define PROFIL_ATOMIC_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

/**
 * struct atomic_file - private, but for
 * @is_special: there is something that is no regular file, and is not replaced
 * @fd:         to write to, from atomic_file_begin() to atomic_file_finish(); else -1
 */
struct atomic_file {
	char *path;		/* without symbolic links, if there is a file already */
	char *beside;		/* of the new file, by way of the directory's descriptor */
	int directory;		/* O_PATH */
	bool exists;
	struct stat file;	/* that exists */

	bool is_special;
	int fd;
};

/**
 * atomic_file_find - find the place for a file
 * @new:  to be released by atomic_file_release(), whatever is returned
 * @path: its path. A symbolic link is followed; one that leads nowhere is replaced
 *
 * Return: 0 or -errno; -EACCES: also another user's link, in a sticky directory; -ESTALE:
 * the file was moved away meanwhile.
 */
int atomic_file_find(struct atomic_file *new, const char *path);

/**
 * atomic_file_check - whether atomic_file_finish() would be refused
 * @new: what is not special
 *
 * Return: 0 or -errno; -EPERM: another user's file in a sticky directory; -EBUSY: a mount
 * point.
 */
int atomic_file_check(const struct atomic_file *new);

/**
 * atomic_file_begin - make the new file, empty, with the permissions of the old one
 * @new: what is not special
 *
 * Return: 0 or -errno.
 */
int atomic_file_begin(struct atomic_file *new);

/**
 * atomic_file_finish - have the new file take its place
 * @new:    all is written
 * @left:   out: if it is on the disk and cannot be moved, where it is, to free(); else as it
 *          was
 * @unkept: NULL: the old file is gone. Else it stays, as its name and ".old", whose own
 *          predecessor is deleted: a symbolic link itself. An empty file does not stay. Out:
 *          0, or -errno of why it does not; -EPERM, -EACCES: also a file of another user, in
 *          a directory that is shared; -EPERM, -EOPNOTSUPP: also a file system without hard
 *          links
 *
 * At no moment is there no file, nor is the old one without a name until the new one has its
 * place. A refusal leaves both old files as they were.
 *
 * Return: 0 or -errno.
 */
int atomic_file_finish(struct atomic_file *new, char **left, int *unkept);

/* A file that was begun and not finished is deleted. */
void atomic_file_release(const struct atomic_file *new);

#endif /* PROFIL_ATOMIC_FILE_H */
