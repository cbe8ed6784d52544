// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which files stay open, and how many.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <record/files.h>

#include "support/test.h"

static struct held_files kept;
static char directory[64];
static int before;	/* the current directory */

/* In a directory on a file system in memory, whatever that of the tests is */
FIXTURE(set_up)
{
	before = open(".", O_PATH | O_CLOEXEC);
	strcpy(directory, "/dev/shm/profil-kept.XXXXXX");
	if (before < 0 || !mkdtemp(directory) || chdir(directory))
		return -1;
	held_files_init(&kept);
	return 0;
}

FIXTURE(tear_down)
{
	held_files_release(&kept);
	if (fchdir(before) || rmdir(directory))
		return -1;
	return close(before);
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static int make_file(void)
{
	int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	return fd;
}

TEST_F(newest_files_stay_open)
{
	static struct file files[KEPT_MAX + 2];
	int fds[KEPT_MAX + 2], i;
	size_t k;

	for (i = 0; i < KEPT_MAX + 2; i++) {
		fds[i] = make_file();
		held_files_add(&kept, &files[i], fds[i], false);
		assert_true(is_open(fds[i]));
		if (i >= KEPT_MAX)
			assert_false(is_open(fds[i - KEPT_MAX]));
	}
	assert_int_equal(kept.nr, KEPT_MAX);
	for (k = 0; k < kept.nr; k++)
		assert_int_equal(kept.files[k].fd, fds[kept.files[k].file - files]);
	held_files_release(&kept);
	for (i = 0; i < KEPT_MAX + 2; i++)
		assert_false(is_open(fds[i]));
	assert_int_equal(kept.nr, 0);
}

/* It could be unmounted, if it were not open. */
TEST_F(file_on_another_mount_is_closed)
{
	struct file file = { 0 };
	int fd = make_file();

	held_files_release(&kept);
	assert_int_equal(chdir("/proc"), 0);
	held_files_init(&kept);
	held_files_add(&kept, &file, fd, false);
	assert_false(is_open(fd));
	assert_int_equal(kept.nr, 0);
}

/* Not all file systems let a directory be removed while a removed file in it is open. */
TEST_F(file_of_another_file_system_is_closed)
{
	struct file file = { 0 };
	int fd;

	held_files_release(&kept);
	assert_int_equal(chdir("/proc"), 0);
	held_files_init(&kept);
	fd = open("/proc/version", O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	held_files_add(&kept, &file, fd, false);
	assert_false(is_open(fd));
}

TEST_F(few_descriptors_keep_few_files)
{
	struct rlimit limit, few;
	struct file files[3] = { 0 };
	int i;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	few = limit;
	few.rlim_cur = 8;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	held_files_init(&kept);
	few.rlim_cur = 3;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	assert_int_equal(kept.max, 2);
	held_files_init(&kept);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	for (i = 0; i < 3; i++)
		held_files_add(&kept, &files[i], make_file(), false);
	assert_int_equal(kept.nr, 0);
}
