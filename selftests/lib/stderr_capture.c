// SPDX-License-Identifier: GPL-2.0-only
/*
 * Redirects stderr to a file.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "stderr_capture.h"

void capture_stderr(struct stderr_capture *captured)
{
	captured->file = memfd_create("stderr", MFD_CLOEXEC);
	captured->saved = dup(STDERR_FILENO);
	dup2(captured->file, STDERR_FILENO);
}

const char *end_capture(struct stderr_capture *captured)
{
	ssize_t bytes = pread(captured->file, captured->text, sizeof(captured->text) - 1, 0);

	captured->text[bytes > 0 ? bytes : 0] = '\0';
	dup2(captured->saved, STDERR_FILENO);
	close(captured->saved);
	close(captured->file);
	return captured->text;
}

int count_lines(const char *text)
{
	int nr = 0;

	for (; *text; text++)
		nr += *text == '\n';
	return nr;
}
