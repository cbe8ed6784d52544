// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attaching to processes: the explanations of refusals. /dev/null takes the place of a device of an
 * older module, which does not know ATTACH.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <record/attach.h>

#include "support/test.h"

static struct attach attach;
static char why[ATTACH_WHY];

FIXTURE(set_up)
{
	attach = (struct attach){
		.device = open("/dev/null", O_RDWR | O_CLOEXEC),
		.options = { .rate = 100 },
		.log_bytes = PROFIL_LOG_MIN,
	};
	assert_true(attach.device >= 0);
	return 0;
}

FIXTURE(tear_down)
{
	attach_close(&attach);
	assert_int_equal(attach.device, -1);
	/* it may be closed already */
	attach_close(&attach);
	return 0;
}

TEST_F(older_module_is_named)
{
	assert_int_equal(attach_process(&attach, getpid(), false, why), -ENOTTY);
	assert_non_null(strstr(why, "(ENOTTY): the loaded module is older than this command"));
	assert_false(attach.has_log);
}

TEST_F(missing_process_is_named)
{
	pid_t child = fork();

	if (!child)
		_exit(0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_in_range(-attach_process(&attach, child, false, why), 1, ESRCH);
	assert_non_null(strstr(why, "there is no process "));
}

/* Half of a build's bytes are records of programs, whatever the rate. */
TEST_F(log_has_room_for_samples_and_programs)
{
	assert_int_equal(attach_log_bytes(1, false, 1), 1 << 20);
	assert_int_equal(attach_log_bytes(100, false, 2), 1 << 20);
	/* 64 CPUs with 100 programs per second each */
	assert_int_equal(attach_log_bytes(100, false, 64), 8 << 20);
	assert_int_equal(attach_log_bytes(100, false, 10), 4 << 20);
	assert_int_equal(attach_log_bytes(20000, false, 4), 4 << 20);
	/* samples alone */
	assert_int_equal(attach_log_bytes(20000, false, 8), 8 << 20);
	assert_int_equal(attach_log_bytes(UINT32_MAX, false, 100000), 8 << 20);
	assert_int_equal(attach_log_bytes(100, false, -1), 1 << 20);
}
