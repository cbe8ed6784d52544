/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the library prints on stderr.
 */
#ifndef SELFTESTS_STDERR_CAPTURE_H
#define SELFTESTS_STDERR_CAPTURE_H

/* Send what the library says to a file; and have it, and stderr back. */
struct stderr_capture {
	int file;
	int saved;
	char text[1024];
};

void capture_stderr(struct stderr_capture *captured);

const char *end_capture(struct stderr_capture *captured);

int count_lines(const char *text);

#endif /* SELFTESTS_STDERR_CAPTURE_H */
