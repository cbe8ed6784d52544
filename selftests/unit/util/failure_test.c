// SPDX-License-Identifier: GPL-2.0-only
/*
 * Error messages: each has the errno's name and a remedy, and no control characters.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <util/failure.h>

#include "support/test.h"

static char output[512];

/* Capture what a function prints to stderr in a child process. Return: its exit status. */
static int capture(void (*print)(const void *), const void *data)
{
	FILE *file = tmpfile();
	pid_t pid = fork();
	int status;

	if (!pid) {
		dup2(fileno(file), STDERR_FILENO);
		print(data);
		exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	rewind(file);
	output[fread(output, 1, sizeof(output) - 1, file)] = 0;
	fclose(file);
	return WEXITSTATUS(status);
}

static void exit_with_error(const void *error)
{
	failure_exit(7, "that file", *(const int *)error);
}

static void print_messages(const void *name)
{
	failure_warnx("%s is not a file", (const char *)name);
	failure_warn(name, ENOMEM);
	failure_exitx(9, "no profile: %s", (const char *)name);
}

TEST(errors_have_names_and_remedies)
{
	static const struct {
		int error;
		const char *wanted;
	} cases[] = {
		{ ENOMEM, "(ENOMEM): end other programs" },
		{ EMFILE, "(ulimit -n)" },
		{ EACCES, "(EACCES): get write permission" },
		{ ENOENT, "(ENOENT): create its directory" },
		{ ENOSPC, "(ENOSPC): free space there" },
		{ 0, "(EIO)" },
		{ EXDEV, "(EXDEV): see errno(3)" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(capture(exit_with_error, &cases[i].error), 7);
		assert_non_null(strstr(output, "that file: "));
		if (!strstr(output, cases[i].wanted))
			fail_msg("%s is not in %s", cases[i].wanted, output);
	}
}

/* Names come from the profiled program, or from a script's first line. */
TEST(names_cannot_control_the_terminal)
{
	const char *at;

	assert_int_equal(capture(print_messages, "a\033]0;b\a\x9b" "2J\xc2\x9b\u202e\n"), 9);
	for (at = output; *at; at++)
		assert_true(*at == '\n' || (*at >= ' ' && *at < 0x7f));
	assert_non_null(strstr(output, ": a\\033]0;b\\007\\2332J\\302\\233\\342\\200\\256\\012 is not a file\n"));
	assert_non_null(strstr(output, ": a\\033]0;b\\007\\2332J\\302\\233\\342\\200\\256\\012: Cannot"));
	assert_non_null(strstr(output, ": no profile: a\\033]0;"));
}
