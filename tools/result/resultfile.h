/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Result files: their format, and reading and writing them. profil.proto describes the
 * format.
 */
#ifndef PROFIL_RESULTFILE_H
#define PROFIL_RESULTFILE_H

#include "result/read_file.h"
#include "result/result.h"

#define RESULTFILE_DEFAULT	"profil.out"

/* Standard input, to resultfile_read() */
#define RESULTFILE_STDIN	READ_FILE_STDIN

/**
 * resultfile_try - whether a result could be written
 * @path: where to, as for resultfile_write()
 *
 * Before the run, as what was counted cannot be counted again. Writes nothing.
 *
 * Return: 0 or -errno; -EACCES: also a symbolic link of another user that the kernel does
 * not follow; -EPERM: a file of another user in a sticky directory; -EBUSY: a mount point.
 */
int resultfile_try(const char *path);

/**
 * resultfile_write - write a result
 * @path:   where to. A file that is there is replaced, in one step, by a whole one with its
 *          permissions. A symbolic link is followed where the kernel follows it. What is no
 *          regular file, as /dev/null, is written to
 * @result: nothing is wrong with it
 * @left:   out: where the result is if it was written and could not be moved to @path, to
 *          free(); else NULL
 * @unkept: NULL: the file that is replaced is gone. Else it stays, with ".old" behind its
 *          name; out: 0, or -errno of why not, which keeps nothing from being written
 *
 * Return: 0 or -errno; -EFBIG: it is larger than what is read; -ESTALE: the file was moved
 * away meanwhile.
 */
int resultfile_write(const char *path, const struct result *result, char **left,
		     int *unkept);

/**
 * resultfile_remedy - what to do if a result could not be written
 * @error: errno, from resultfile_try() or resultfile_write()
 *
 * Return: in words, by the options of `profil run'.
 */
const char *resultfile_remedy(int error);

/**
 * resultfile_read - read a result
 * @path:   where from: a regular file, or RESULTFILE_STDIN, which may also be a pipe
 * @result: filled in; to be released by result_release(), whatever is returned
 * @why:    on -EBADMSG, what is wrong, and what to do about it
 *
 * Whatever is in the file, nothing worse comes of it than a wrong report, and no more
 * memory is taken than the largest result takes.
 *
 * Return: 0; -EBADMSG: there is something wrong with the file; or another -errno.
 */
int resultfile_read(const char *path, struct result *result, const char **why);

/**
 * resultfile_is_foreign - whether a file is something else
 * @path: as for resultfile_read()
 *
 * Return: true for a regular file that does not begin as a result does; false for standard
 * input, of which nothing is read, and for what cannot be read or is empty.
 */
bool resultfile_is_foreign(const char *path);

#endif /* PROFIL_RESULTFILE_H */
