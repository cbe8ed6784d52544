/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading a file that somebody names, from its beginning to its end.
 */
#ifndef PROFIL_WHOLEFILE_H
#define PROFIL_WHOLEFILE_H

#include <errno.h>
#include <stddef.h>

/* Standard input */
#define WHOLEFILE_STDIN	"-"

/* What is returned of a file that is not what it should be, and @what is why. */
static inline int wholefile_refuse(const char **why, const char *what)
{
	*why = what;
	return -EBADMSG;
}

/**
 * wholefile_read - read all of a file
 * @path:     a regular file, or WHOLEFILE_STDIN, which may also be a pipe
 * @most:     bytes that it may have; no more memory than three times as much is taken
 * @contents: gets them, to free(), whatever is returned
 * @bytes:    gets their number
 * @why:      on -EBADMSG, in words
 *
 * Return: 0; -EBADMSG: it is no file to be read; -EFBIG: it is larger; or another -errno.
 */
int wholefile_read(const char *path, size_t most, unsigned char **contents, size_t *bytes,
		   const char **why);

/**
 * wholefile_peek - read how a regular file begins
 * @path: its path; of WHOLEFILE_STDIN nothing is read
 * @to:   gets the bytes
 * @most: number of them
 *
 * Return: how many there are; 0 also if it is no regular file or cannot be read.
 */
size_t wholefile_peek(const char *path, void *to, size_t most);

#endif /* PROFIL_WHOLEFILE_H */
