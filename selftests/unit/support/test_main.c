// SPDX-License-Identifier: GPL-2.0-only
/* main() of each test program: it runs what has entered itself. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>

#include "support/test.h"

static struct CMUnitTest *tests;
static size_t nr_tests;
static CMFixtureFunction group_before, group_after;

void test_add(const char *name, CMUnitTestFunction test, CMFixtureFunction before,
	      CMFixtureFunction after, void *state)
{
	tests = reallocarray(tests, nr_tests + 1, sizeof(*tests));
	if (!tests)
		abort();
	tests[nr_tests++] = (struct CMUnitTest){ name, test, before, after, state };
}

void test_group(CMFixtureFunction before, CMFixtureFunction after)
{
	group_before = before;
	group_after = after;
}

int main(void)
{
	const int failed = _cmocka_run_group_tests(program_invocation_short_name, tests, nr_tests,
						   group_before, group_after);

	free(tests);
	return failed;
}
