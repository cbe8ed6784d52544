/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Captures what the library prints on stderr.
 */
#ifndef SELFTESTS_STDERR_CAPTURE_H
#define SELFTESTS_STDERR_CAPTURE_H

/* From capture_stderr() to end_capture(), stderr is a file. The text is kept here. */
struct stderr_capture {
	int file;
	int saved;
	char text[1024];
};

void capture_stderr(struct stderr_capture *captured);

const char *end_capture(struct stderr_capture *captured);

int count_lines(const char *text);

#endif /* SELFTESTS_STDERR_CAPTURE_H */
