// SPDX-License-Identifier: GPL-2.0-only
/*
 * The environment that brings libprofil into the command.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <record/preload.h>

#include "support/test.h"

/* The value of the one definition of @name; fails if there are more. */
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

static void environment_leads_to_the_run(void **state)
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
	/* our own environment is as it was */
	assert_string_equal(getenv("PROFIL_RUN"), "/old");
	assert_null(getenv("LD_PRELOAD"));
	unsetenv("PROFIL_RUN");
}

static void other_preloads_come_behind(void **state)
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

/* Whether the library exists here or not, both places are named. */
static void both_places_are_tried(void **state)
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

/* Where the library may not be read, moving it would not help */
static void errors_have_remedies_of_their_own(void **state)
{
	(void)state;
	assert_non_null(strstr(preload_remedy(EINVAL), "no colon"));
	assert_non_null(strstr(preload_remedy(EACCES), "chmod"));
	assert_null(strstr(preload_remedy(EACCES), "colon"));
	assert_non_null(strstr(preload_remedy(ENOMEM), "memory"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(environment_leads_to_the_run),
		cmocka_unit_test(other_preloads_come_behind),
		cmocka_unit_test(both_places_are_tried),
		cmocka_unit_test(errors_have_remedies_of_their_own),
	};

	return cmocka_run_group_tests_name("preload", tests, NULL, NULL);
}
