/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_WRITE_ALL_H
#define PROFIL_WRITE_ALL_H

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <unistd.h>

/*
 * write() until all bytes are written. If another process has made the descriptor non-blocking, wait
 * for the reader nevertheless. Return: 0 or -errno.
 */
static inline int profil_write_all(int fd, const void *data, size_t bytes)
{
	const char *at = data;
	ssize_t written;

	while (bytes) {
		written = write(fd, at, bytes);
		if (written < 0 && errno == EINTR)
			continue; /* GCOV_EXCL_LINE: interrupted by a signal */
		if (written < 0 && errno == EAGAIN) {
			poll(&(struct pollfd){ .fd = fd, .events = POLLOUT }, 1, -1);
			continue;
		}
		if (written < 0)
			return -errno;
		at += written;
		bytes -= (size_t)written;
	}
	return 0;
}

#endif /* PROFIL_WRITE_ALL_H */
