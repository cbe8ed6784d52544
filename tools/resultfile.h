/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Results in files: an envelope around the message of resultpack.h that tells what it is,
 * of which version, and whether it is whole. profil.proto describes it.
 */
#ifndef PROFIL_RESULTFILE_H
#define PROFIL_RESULTFILE_H

#include "result.h"

#define RESULTFILE_DEFAULT	"profil.out"

/**
 * resultfile_try - whether a result could be written
 * @path: where to
 *
 * For before the run: what was counted cannot be had again.
 *
 * Return: 0 or -errno.
 */
int resultfile_try(const char *path);

/**
 * resultfile_write - write a result
 * @path:   where to; what is there is replaced, in one step, by a whole file or not at
 *          all. What is no regular file, as /dev/null, is written to
 * @result: nothing is wrong with it
 *
 * Return: 0 or -errno; -EFBIG: it is larger than what is read.
 */
int resultfile_write(const char *path, const struct result *result);

/**
 * resultfile_remedy - what to do if a result could not be written
 * @error: errno, from resultfile_try() or resultfile_write()
 *
 * Return: in words, by the options of `profil run'.
 */
const char *resultfile_remedy(int error);

/**
 * resultfile_read - read a result
 * @path:   where from; only regular files are read
 * @result: filled in; to be released by result_release(), whatever is returned
 * @why:    on -EBADMSG, what is wrong, and what to do about it
 *
 * Whatever is in the file, nothing worse comes of it than a wrong report, and no more
 * memory is taken than the largest result takes.
 *
 * Return: 0; -EBADMSG: there is something wrong with the file; or another -errno.
 */
int resultfile_read(const char *path, struct result *result, const char **why);

#endif /* PROFIL_RESULTFILE_H */
