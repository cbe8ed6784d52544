// SPDX-License-Identifier: GPL-2.0-only
/*
 * Standard streams that wait for their readers.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/stat.h>

#include <write_all.h>

#include "util/stream.h"

static ssize_t write_stream(void *fd, const char *text, size_t bytes)
{
	const int error = profil_write_all(*(const int *)fd, text, bytes);

	if (!error)
		return (ssize_t)bytes;
	errno = -error;
	return 0;
}

/* Without memory, the stream stays as it is. */
static void replace(FILE **stream, const int *fd, int buffering)
{
	struct stat st;
	FILE *new;

	if (fstat(*fd, &st) || !(S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) || isatty(*fd)))
		return;
	new = fopencookie((void *)fd, "w", (cookie_io_functions_t){ .write = write_stream });
	if (!new)
		return;
	setvbuf(new, NULL, buffering, BUFSIZ);
	*stream = new;
}

void stream_begin(void)
{
	static const int out = STDOUT_FILENO, err = STDERR_FILENO;

	replace(&stdout, &out, isatty(out) ? _IOLBF : _IOFBF);
	replace(&stderr, &err, _IONBF);
}
