/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading a file that somebody names, from its beginning to its end.
 */
#ifndef PROFIL_READ_FILE_H
#define PROFIL_READ_FILE_H

#include <errno.h>
#include <stddef.h>

/* Standard input */
#define READ_FILE_STDIN	"-"

/* What is returned of a file that is not what it should be, and @what is why. */
static inline int read_file_refuse(const char **why, const char *what)
{
	*why = what;
	return -EBADMSG;
}

/**
 * read_file - read all of a file
 * @path:     a regular file, or READ_FILE_STDIN, which may also be a pipe
 * @most:     bytes that it may have; no more memory than three times as much is taken
 * @contents: gets them, to free(), whatever is returned
 * @bytes:    gets their number
 * @why:      on -EBADMSG, in words
 *
 * Return: 0; -EBADMSG: it is no file to be read; -EFBIG: it is larger; or another -errno.
 */
int read_file(const char *path, size_t most, unsigned char **contents, size_t *bytes,
		   const char **why);

/**
 * read_file_start - read how a regular file begins
 * @path: its path; of READ_FILE_STDIN nothing is read
 * @to:   gets the bytes
 * @most: number of them
 *
 * Return: how many there are; 0 also if it is no regular file or cannot be read.
 */
size_t read_file_start(const char *path, void *to, size_t most);

#endif /* PROFIL_READ_FILE_H */
