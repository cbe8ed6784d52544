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

#include <util/failure.h>

#include "support/test.h"

static char said[512];

/* What a process of its own says. Return: how it ends. */
static int listen(void (*say)(const void *), const void *what)
{
	FILE *file = tmpfile();
	pid_t pid = fork();
	int status;

	if (!pid) {
		dup2(fileno(file), STDERR_FILENO);
		say(what);
		exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	rewind(file);
	said[fread(said, 1, sizeof(said) - 1, file)] = 0;
	fclose(file);
	return WEXITSTATUS(status);
}

static void say_error(const void *error)
{
	failure_exit(7, "that file", *(const int *)error);
}

static void say_message(const void *name)
{
	failure_warnx("%s is no file", (const char *)name);
	failure_warn(name, ENOMEM);
	failure_exitx(9, "no profile: %s", (const char *)name);
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
		assert_int_equal(listen(say_error, &cases[i].error), 7);
		assert_non_null(strstr(said, "that file: "));
		if (!strstr(said, cases[i].wanted))
			fail_msg("%s is not in %s", cases[i].wanted, said);
	}
}

/* As a message that the profiled program wrote, or the interpreter that a script names */
static void names_command_no_terminal(void **state)
{
	const char *at;

	(void)state;
	assert_int_equal(listen(say_message, "a\033]0;b\a\x9b" "2J\xc2\x9b\u202e\n"), 9);
	for (at = said; *at; at++)
		assert_true(*at == '\n' || (*at >= ' ' && *at < 0x7f));
	assert_non_null(strstr(said, ": a\\033]0;b\\007\\2332J\\302\\233\\342\\200\\256\\012 is no file\n"));
	assert_non_null(strstr(said, ": a\\033]0;b\\007\\2332J\\302\\233\\342\\200\\256\\012: Cannot"));
	assert_non_null(strstr(said, ": no profile: a\\033]0;"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_have_names_and_remedies),
		cmocka_unit_test(names_command_no_terminal),
	};

	return cmocka_run_group_tests_name("failure", tests, NULL, NULL);
}
