// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finding libprofil-run.so, and the environment that preloads it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <record/preload.h>

#include "support/test.h"

/* Return: the value of variable @name. Fails if it is defined more than once. */
static const char *value(char **env, const char *name)
{
	size_t length = strlen(name);
	const char *found = NULL;

	for (; *env; env++) {
		if (strncmp(*env, name, length) || (*env)[length] != '=')
			continue;
		assert_null(found);
		found = *env + length + 1;
	}
	return found;
}

static void environment_has_the_run_and_the_library(void **state)
{
	char expected[64];
	char **env;

	(void)state;
	setenv("PROFIL_RUN", "/old", 1);
	setenv("KEPT", "yes", 1);
	unsetenv("LD_PRELOAD");
	env = preload_environ("/lib/libprofil-run.so", 17);
	assert_non_null(env);
	snprintf(expected, sizeof(expected), "/proc/%d/fd/17", (int)getpid());
	assert_string_equal(value(env, "PROFIL_RUN"), expected);
	assert_string_equal(value(env, "LD_PRELOAD"), "/lib/libprofil-run.so");
	assert_string_equal(value(env, "KEPT"), "yes");
	preload_environ_free(env);
	/* this process's own environment is unchanged */
	assert_string_equal(getenv("PROFIL_RUN"), "/old");
	assert_null(getenv("LD_PRELOAD"));
	unsetenv("PROFIL_RUN");
}

static void other_preloads_follow(void **state)
{
	char **env;

	(void)state;
	setenv("LD_PRELOAD", "/other.so:/third.so", 1);
	env = preload_environ("/p.so", 3);
	assert_non_null(env);
	assert_string_equal(value(env, "LD_PRELOAD"),
			    "/p.so:/other.so:/third.so");
	preload_environ_free(env);

	setenv("LD_PRELOAD", "", 1);
	env = preload_environ("/p.so", 3);
	assert_non_null(env);
	assert_string_equal(value(env, "LD_PRELOAD"), "/p.so");
	preload_environ_free(env);
	unsetenv("LD_PRELOAD");
}

/* Both paths are reported, whether or not the library exists. */
static void both_paths_are_tried(void **state)
{
	char *tried, *path = preload_find(&tried);

	(void)state;
	assert_non_null(tried);
	assert_non_null(strstr(tried, "/lib/libprofil-run.so, /"));
	if (path)
		assert_non_null(strstr(tried, path));
	free(path);
	free(tried);
}

static void each_error_has_its_remedy(void **state)
{
	(void)state;
	assert_non_null(strstr(preload_remedy(EINVAL), "without colons"));
	assert_non_null(strstr(preload_remedy(EACCES), "chmod"));
	assert_null(strstr(preload_remedy(EACCES), "colon"));
	assert_non_null(strstr(preload_remedy(ENOMEM), "memory"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(environment_has_the_run_and_the_library),
		cmocka_unit_test(other_preloads_follow),
		cmocka_unit_test(both_paths_are_tried),
		cmocka_unit_test(each_error_has_its_remedy),
	};

	return cmocka_run_group_tests_name("preload", tests, NULL, NULL);
}
