// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading a whole file that the user named.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "result/read_file.h"
#include "util/failure.h"

static int read_to_end(int fd, size_t expected, size_t most, unsigned char **contents,
		       size_t *bytes)
{
	size_t room = 0;

	for (;;) {
		ssize_t length;

		if (*bytes == room) {
			unsigned char *more;

			room = room ? 2 * room : expected + 1;
			more = realloc(*contents, room);
			if (!more)
				return -ENOMEM;
			*contents = more;
		}
		length = read(fd, *contents + *bytes, room - *bytes);
		if (!length)
			return 0;
		if (length < 0 && errno != EINTR)
			return failure_errno();
		if (length > 0)
			*bytes += (size_t)length;
		if (*bytes > most)
			return -EFBIG;
	}
}

/* Only standard input may be a pipe: opening or reading a named one could block. */
static int read_open(int fd, bool is_stdin, size_t most, unsigned char **contents,
		     size_t *bytes, const char **why)
{
	struct stat st;

	if (fstat(fd, &st))
		return failure_errno();
	if (is_stdin && isatty(fd))
		return failure_refuse(why, "a terminal: redirect standard input from a file");
	if (S_ISREG(st.st_mode) && (uint64_t)st.st_size > most)
		return -EFBIG;
	if (S_ISREG(st.st_mode))
		return read_to_end(fd, (size_t)st.st_size, most, contents, bytes);
	if (is_stdin)
		return read_to_end(fd, 1 << 16, most, contents, bytes);
	return failure_refuse(why, "not a regular file: name one, or use - for standard input");
}

static int open_named(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

int read_file(const char *path, size_t most, unsigned char **contents, size_t *bytes,
	      const char **why)
{
	const bool is_stdin = !strcmp(path, READ_FILE_STDIN);
	int error, fd = STDIN_FILENO;

	*contents = NULL;
	*bytes = 0;
	if (!is_stdin)
		fd = open_named(path);
	if (fd < 0)
		return failure_errno();
	error = read_open(fd, is_stdin, most, contents, bytes, why);
	if (!is_stdin)
		close(fd);
	return error;
}
