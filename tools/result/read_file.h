/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading a whole file that the user named.
 */
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
 * @bytes:    set to their length
 * @why:      on -EBADMSG, set to the reason
 *
 * Return: 0; -EBADMSG: not a regular file, or a terminal; -EFBIG: larger than @most; or
 * another -errno.
 */
int read_file(const char *path, size_t most, unsigned char **contents, size_t *bytes,
		   const char **why);

/**
 * read_file_start - read the first bytes of a regular file
 * @path: its path; nothing is read from READ_FILE_STDIN
 * @to:   filled with the bytes
 * @most: maximum number of bytes
 *
 * Return: number of bytes; 0 also if it is not a regular file or cannot be read.
 */
size_t read_file_start(const char *path, void *to, size_t most);

/**
 * read_file_peek - look at the first bytes of standard input, which stay there
 * @to:   filled with the bytes
 * @most: maximum number of bytes
 *
 * Return: number of bytes; 0 also if it is neither a regular file nor a pipe.
 */
size_t read_file_peek(void *to, size_t most);

#endif /* PROFIL_READ_FILE_H */
