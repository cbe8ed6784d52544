// SPDX-License-Identifier: GPL-2.0-only
/*
 * The reader's priority is higher than that of helpers, and of what it starts later.
 */
#include <stdlib.h>
#include <sys/resource.h>

#include <util/helper.h>
#include <util/priority.h>

#include "support/test.h"

static int nice_value(void *data)
{
	return 20 + getpriority(PRIO_PROCESS, 0);
}

static int helpers_nice(void)
{
	struct helper helper;

	return -helper_run(&helper, &(struct helper_work){ .run = nice_value }) - 20;
}

TEST(reader_has_more_than_helpers)
{
	const int before = getpriority(PRIO_PROCESS, 0);

	setenv("PROFIL_NICE", "19", 1);
	priority_raise();
	assert_int_equal(getpriority(PRIO_PROCESS, 0), before);
	if (setpriority(PRIO_PROCESS, 0, before - 2) || setpriority(PRIO_PROCESS, 0, before)) {
		print_message("the priority cannot be raised: CAP_SYS_NICE\n");
		skip();
	}
	unsetenv("PROFIL_NICE");
	priority_raise();
	priority_raise();
	assert_int_equal(getpriority(PRIO_PROCESS, 0), -20);
	assert_int_equal(helpers_nice(), before);
	priority_restore();
	assert_int_equal(getpriority(PRIO_PROCESS, 0), before);
}
