/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Standard output and standard error, of which other processes have a copy: one of them may make
 * the pipe, socket or terminal non-blocking at any time (O_NONBLOCK), and stdio drops what does
 * not fit then.
 */
#ifndef PROFIL_STREAM_H
#define PROFIL_STREAM_H

#include <stdio.h>
#include <unistd.h>

/* Let stdout and stderr wait for their readers from now on. Nothing was printed yet. */
void stream_begin(void);

/* Return: the descriptor of a file; fileno(3) does not know it after stream_begin(). */
static inline int stream_fd(FILE *out)
{
	if (out == stdout)
		return STDOUT_FILENO;
	return out == stderr ? STDERR_FILENO : fileno(out);
}

#endif /* PROFIL_STREAM_H */
