/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_READ_FILE_H
#define PROFIL_READ_FILE_H

#include <stddef.h>

/* Standard input */
#define READ_FILE_STDIN	"-"

/**
 * read_file - read a whole file
 * @path:     a regular file, or READ_FILE_STDIN, which may also be a pipe
 * @most:     maximum size in bytes; at most three times as much memory is used
 * @contents: set to the contents, to be freed with free(), even on error
 * @why:      on -EBADMSG, set to the reason
 *
 * Return: 0; -EBADMSG: not a regular file, or a terminal; -EFBIG: larger than @most; or
 * another -errno.
 */
int read_file(const char *path, size_t most, unsigned char **contents, size_t *bytes,
		   const char **why);

#endif /* PROFIL_READ_FILE_H */
