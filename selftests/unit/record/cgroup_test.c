// SPDX-License-Identifier: GPL-2.0-only
/*
 * Control groups: where the directory of a path is, and lists of processes from files like the
 * kernel's. ../../command/cgroup_test.sh has processes that live.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <record/cgroup.h>

#include "support/test.h"

static char mounts[] = "/tmp/profil-mounts.XXXXXX";

FIXTURE(make_file)
{
	const int fd = mkstemp(mounts);

	close(fd);
	return fd < 0;
}

FIXTURE(remove_file)
{
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
TEST(paths_are_below_the_mount)
{
	write_mounts("proc /proc proc rw 0 0\n"
		     "cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n");
	assert_found("system.slice/x.service", "/sys/fs/cgroup/system.slice/x.service");
	assert_found("/system.slice/x.service", "/sys/fs/cgroup/system.slice/x.service");
	assert_found("//a", "/sys/fs/cgroup/a");
	assert_found("/", "/sys/fs/cgroup");
	assert_found("sys/fs/cgroup/a", "/sys/fs/cgroup/sys/fs/cgroup/a");
}

TEST(directories_stay)
{
	write_mounts("cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n");
	assert_found("/sys/fs/cgroup", "/sys/fs/cgroup");
	assert_found("/sys/fs/cgroup/a/", "/sys/fs/cgroup/a/");
	/* not a directory of the mount, in spite of its beginning */
	assert_found("/sys/fs/cgroups", "/sys/fs/cgroup/sys/fs/cgroups");
}

/* Both versions are mounted, and version 2 twice. */
TEST(directories_of_version_1_are_refused)
{
	write_mounts("tmpfs /sys/fs/cgroup tmpfs rw 0 0\n"
		     "cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\n"
		     "cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n"
		     "cgroup2 /mnt/a\\040b cgroup2 rw 0 0\n"
		     "cgroup /sys/fs/cgroup/pids cgroup rw,pids 0 0\n");
	assert_refused("/sys/fs/cgroup/cpu/x", -EOPNOTSUPP);
	assert_refused("/sys/fs/cgroup/pids", -EOPNOTSUPP);
	assert_found("/sys/fs/cgroup/unified/x", "/sys/fs/cgroup/unified/x");
	assert_found("/cpu/x", "/sys/fs/cgroup/unified/cpu/x");
	assert_found("/mnt/a b/x", "/mnt/a b/x");
	assert_found("x", "/sys/fs/cgroup/unified/x");
}

TEST(without_version_2_all_is_refused)
{
	write_mounts("cgroup2 / ext4 rw 0 0\n"
		     "cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\n");
	assert_refused("x", -ENODEV);
	assert_refused("/sys/fs/cgroup/cpu/x", -EOPNOTSUPP);
	write_mounts("");
	assert_refused("/", -ENODEV);
}

TEST(missing_mounts_are_an_error)
{
	char *found;

	assert_int_equal(cgroup_find("/nonexistent/mounts", "x", &found), -ENOENT);
	assert_null(found);
}

static void write_list(const char *directory, const char *text)
{
	char name[128];
	FILE *file;

	snprintf(name, sizeof(name), "%s/cgroup.procs", directory);
	file = fopen(name, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void remove_group(const char *directory)
{
	char name[128];

	snprintf(name, sizeof(name), "%s/cgroup.procs", directory);
	unlink(name);
	assert_int_equal(rmdir(directory), 0);
}

/* A process that moves may be in two lists, and those of other PID namespaces are 0. */
TEST(processes_are_sorted_and_once)
{
	static const pid_t expected[] = { 1, 3, 7, 20, 4000000 };
	char above[] = "/tmp/profil-cgroup.XXXXXX", below[64], empty[64];
	struct cgroup_pids pids = { 0 };

	assert_non_null(mkdtemp(above));
	snprintf(below, sizeof(below), "%s/below", above);
	snprintf(empty, sizeof(empty), "%s/below/empty", above);
	assert_int_equal(mkdir(below, 0700) | mkdir(empty, 0700), 0);
	write_list(above, "20\n0\n7\n4000000\n7\n");
	write_list(below, "3\n20\n0\n1\n");
	assert_false(cgroup_has(&pids, 7));
	assert_int_equal(cgroup_list(above, &pids), 0);
	assert_int_equal(pids.nr, 5);
	assert_memory_equal(pids.list, expected, sizeof(expected));
	assert_true(cgroup_has(&pids, 1) && cgroup_has(&pids, 4000000));
	assert_false(cgroup_has(&pids, 0) || cgroup_has(&pids, 8));
	/* the list is used again */
	assert_int_equal(cgroup_list(below, &pids), 0);
	assert_int_equal(pids.nr, 3);
	assert_int_equal(cgroup_list(empty, &pids), 0);
	assert_int_equal(pids.nr, 0);
	assert_false(cgroup_has(&pids, 1));
	assert_int_equal(cgroup_list("/nonexistent/group", &pids), 0);
	assert_int_equal(pids.nr, 0);
	free(pids.list);
	remove_group(empty);
	remove_group(below);
	remove_group(above);
}

TEST(lists_may_be_long)
{
	char directory[] = "/tmp/profil-cgroup.XXXXXX", text[8 * 1000], *at = text;
	struct cgroup_pids pids = { 0 };
	int i;

	assert_non_null(mkdtemp(directory));
	for (i = 1000; i; i--)
		at += sprintf(at, "%d\n", i);
	write_list(directory, text);
	assert_int_equal(cgroup_list(directory, &pids), 0);
	assert_int_equal(pids.nr, 1000);
	for (i = 0; i < 1000; i++)
		assert_int_equal(pids.list[i], i + 1);
	free(pids.list);
	remove_group(directory);
}

GROUP(make_file, remove_file)
