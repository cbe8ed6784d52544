// SPDX-License-Identifier: GPL-2.0-only
/*
 * Errors of the command's own work: each has its name and a way out.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <failure.h>

#include "test.h"

static char said[512];

/* What it says, and how it ends, in a process of its own */
static int exit_with(int status, int error)
{
	FILE *file = tmpfile();
	pid_t pid = fork();

	if (!pid) {
		dup2(fileno(file), STDERR_FILENO);
		failure_exit(status, "that file", error);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	rewind(file);
	said[fread(said, 1, sizeof(said) - 1, file)] = 0;
	fclose(file);
	return WEXITSTATUS(status);
}

static void errors_have_names_and_remedies(void **state)
{
	static const struct {
		int error;
		const char *wanted;
	} cases[] = {
		{ ENOMEM, "(ENOMEM): end other programs" },
		{ EMFILE, "(ulimit -n)" },
		{ EACCES, "(EACCES): get permission" },
		{ ENOENT, "(ENOENT): make its directory" },
		{ ENOSPC, "(ENOSPC): make room there" },
		{ 0, "(EIO)" },
		{ EXDEV, "(EXDEV): see errno(3)" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(exit_with(7, cases[i].error), 7);
		assert_non_null(strstr(said, "that file: "));
		if (!strstr(said, cases[i].wanted))
			fail_msg("%s is not in %s", cases[i].wanted, said);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_have_names_and_remedies),
	};

	return cmocka_run_group_tests_name("failure", tests, NULL, NULL);
}
