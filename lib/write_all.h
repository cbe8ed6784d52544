/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_WRITE_ALL_H
#define PROFIL_WRITE_ALL_H

#include <errno.h>
#include <stddef.h>
#include <unistd.h>

/* Write all of the data, however often that takes. Return: 0 or -errno. */
static inline int profil_write_all(int fd, const void *data, size_t bytes)
{
	const char *at = data;
	ssize_t put;

	while (bytes) {
		put = write(fd, at, bytes);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -errno;
		at += put;
		bytes -= (size_t)put;
	}
	return 0;
}

#endif /* PROFIL_WRITE_ALL_H */
