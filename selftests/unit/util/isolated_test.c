// SPDX-License-Identifier: GPL-2.0-only
/*
 * Running a function in a child process: its return value, its output, and its crashes.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include <util/isolated.h>

#include "support/test.h"

static pid_t worker;

static int return_data(void *data)
{
	return *(const int *)data;
}

static int be_killed(void *data)
{
	(void)data;
	raise(SIGKILL);
	return 0;
}

static int write_word(void *data)
{
	fputs("word ", data);
	return 0;
}

static int set_worker(void *data)
{
	(void)data;
	worker = getpid();
	return 0;
}

static void return_value_is_passed_on(void **state)
{
	int error, killer;

	(void)state;
	for (error = 0; error < 256; error += 85) {
		assert_int_equal(isolated_run(return_data, &error, &killer), error);
		assert_int_equal(killer, 0);
	}
}

static void crash_is_reported(void **state)
{
	int killer;

	(void)state;
	assert_int_equal(isolated_run(be_killed, NULL, &killer), 0);
	assert_int_equal(killer, SIGKILL);
}

/* As after `env --ignore-signal=CHLD profil' */
static void crash_is_reported_while_sigchld_is_ignored(void **state)
{
	int killer;

	(void)state;
	signal(SIGCHLD, SIG_IGN);
	assert_int_equal(isolated_run(be_killed, NULL, &killer), 0);
	assert_int_equal(killer, SIGKILL);
	assert_ptr_equal(signal(SIGCHLD, SIG_DFL), SIG_IGN);
}

static void memory_is_not_shared(void **state)
{
	int killer;

	(void)state;
	assert_int_equal(isolated_run(set_worker, NULL, &killer), 0);
	assert_int_equal(worker, 0);
}

/* The child does not write buffered text of its parent a second time. */
static void buffers_are_written_once(void **state)
{
	FILE *out = tmpfile();
	char text[64] = "";
	int killer;

	(void)state;
	assert_non_null(out);
	fputs("first ", out);
	assert_int_equal(isolated_run(write_word, out, &killer), 0);
	fputs("last", out);
	rewind(out);
	assert_non_null(fgets(text, sizeof(text), out));
	assert_string_equal(text, "first word last");
	fclose(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(return_value_is_passed_on),
		cmocka_unit_test(crash_is_reported),
		cmocka_unit_test(crash_is_reported_while_sigchld_is_ignored),
		cmocka_unit_test(memory_is_not_shared),
		cmocka_unit_test(buffers_are_written_once),
	};

	return cmocka_run_group_tests_name("isolated", tests, NULL, NULL);
}
