// SPDX-License-Identifier: GPL-2.0-only
/*
 * Control groups: where the directory of a path is. ../../command/cgroup_test.sh has their
 * processes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <record/cgroup.h>

#include "support/test.h"

static char mounts[] = "/tmp/profil-mounts.XXXXXX";

static int make_file(void **state)
{
	const int fd = mkstemp(mounts);

	(void)state;
	close(fd);
	return fd < 0;
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(mounts);
}

static void write_mounts(const char *text)
{
	FILE *file = fopen(mounts, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void assert_found(const char *path, const char *expected)
{
	char *found;

	assert_int_equal(cgroup_find(mounts, path, &found), 0);
	assert_string_equal(found, expected);
	free(found);
}

static void assert_refused(const char *path, int error)
{
	char *found;

	assert_int_equal(cgroup_find(mounts, path, &found), error);
	assert_null(found);
}

/* As systemd mounts version 2 alone */
static void paths_are_below_the_mount(void **state)
{
	(void)state;
	write_mounts("proc /proc proc rw 0 0\n"
		     "cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n");
	assert_found("system.slice/x.service", "/sys/fs/cgroup/system.slice/x.service");
	assert_found("/system.slice/x.service", "/sys/fs/cgroup/system.slice/x.service");
	assert_found("//a", "/sys/fs/cgroup/a");
	assert_found("/", "/sys/fs/cgroup");
	assert_found("sys/fs/cgroup/a", "/sys/fs/cgroup/sys/fs/cgroup/a");
}

static void directories_stay(void **state)
{
	(void)state;
	write_mounts("cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n");
	assert_found("/sys/fs/cgroup", "/sys/fs/cgroup");
	assert_found("/sys/fs/cgroup/a/", "/sys/fs/cgroup/a/");
	/* not a directory of the mount, in spite of its beginning */
	assert_found("/sys/fs/cgroups", "/sys/fs/cgroup/sys/fs/cgroups");
}

/* Both versions are mounted, and version 2 twice. */
static void directories_of_version_1_are_refused(void **state)
{
	(void)state;
	write_mounts("cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\n"
		     "cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n"
		     "cgroup2 /mnt/a\\040b cgroup2 rw 0 0\n"
		     "cgroup /sys/fs/cgroup/pids cgroup rw,pids 0 0\n");
	assert_refused("/sys/fs/cgroup/cpu/x", -EOPNOTSUPP);
	assert_refused("/sys/fs/cgroup/pids", -EOPNOTSUPP);
	assert_found("/cpu/x", "/sys/fs/cgroup/unified/cpu/x");
	assert_found("/mnt/a b/x", "/mnt/a b/x");
	assert_found("x", "/sys/fs/cgroup/unified/x");
}

static void without_version_2_all_is_refused(void **state)
{
	(void)state;
	write_mounts("cgroup2 / ext4 rw 0 0\n"
		     "cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\n");
	assert_refused("x", -ENODEV);
	assert_refused("/sys/fs/cgroup/cpu/x", -EOPNOTSUPP);
	write_mounts("");
	assert_refused("/", -ENODEV);
}

static void missing_mounts_are_an_error(void **state)
{
	char *found;

	(void)state;
	assert_int_equal(cgroup_find("/nonexistent/mounts", "x", &found), -ENOENT);
	assert_null(found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_are_below_the_mount),
		cmocka_unit_test(directories_stay),
		cmocka_unit_test(directories_of_version_1_are_refused),
		cmocka_unit_test(without_version_2_all_is_refused),
		cmocka_unit_test(missing_mounts_are_an_error),
	};

	return cmocka_run_group_tests_name("cgroup", tests, make_file, remove_file);
}
