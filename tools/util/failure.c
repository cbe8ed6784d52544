// SPDX-License-Identifier: GPL-2.0-only
/*
 * Error messages of the command.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/escape.h"
#include "util/failure.h"

const char *failure_remedy(int error)
{
	switch (error) {
	case ENOMEM:
		return "end other programs, or raise the memory limit (ulimit -v)";
	case EMFILE:
		return "raise the limit of open files (ulimit -n)";
	case ENFILE:
		return "end other programs, or raise fs.file-max (sysctl(8))";
	case ENOENT:
	case ENOTDIR:
		return "create its directory first, or name another file";
	case EISDIR:
		return "name a file, for example one in this directory";
	case EACCES:
	case EPERM:
	case EROFS:
		return "get write permission there, or name another file";
	case ENOSPC:
	case EDQUOT:
		return "free space there, or name another file";
	case EFBIG:
		return "raise the file size limit (ulimit -f)";
	case EPIPE:
		return "the reader closed the pipe: write to a file instead";
	default:
		return "see errno(3)";
	}
}

static void print_message(const char *format, va_list arguments)
{
	char *message = NULL, *line;

	if (vasprintf(&message, format, arguments) < 0)
		message = NULL;
	line = message ? escape_line(message) : NULL;
	/* a single write, so that the output of other processes cannot split the line */
	fprintf(stderr, "%s: %s\n", program_invocation_short_name,
		line ? line : strerrordesc_np(ENOMEM));
	free(line);
	free(message);
}

void failure_warnx(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print_message(format, arguments);
	va_end(arguments);
}

void failure_exitx(int status, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print_message(format, arguments);
	va_end(arguments);
	exit(status);
}

void failure_warn(const char *what, int error)
{
	if (!error)
		error = EIO;
	failure_warnx("%s: %s (%s): %s", what, strerror(error), strerrorname_np(error),
		      failure_remedy(error));
}

void failure_exit(int status, const char *what, int error)
{
	failure_warn(what, error);
	exit(status);
}
