// SPDX-License-Identifier: GPL-2.0-only
/*
 * The names of the files of a profile, and the replacement of earlier ones.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/gmon/output.h"
#include "support/test.h"

#define WITH		(20 + 41 + 2)	/* bytes of a file with the test's histogram */

static char directory[] = "/tmp/gmon_output_test.XXXXXX";
static char pid_name[64];	/* gmon.out.PID */

static off_t size_of(const char *path)
{
	struct stat stat;

	return lstat(path, &stat) ? -1 : stat.st_size;
}

static uint32_t counts[2] = { 3, 0 };
static struct profil_gmon_profile profile;

/* Output on stderr of the last write_output() */
static char messages[512];

/* By a pipe: RLIMIT_FSIZE is 0 in a test. */
static void write_output(bool forked)
{
	int saved = dup(STDERR_FILENO), pipe_[2], error;
	ssize_t length;

	assert_int_equal(pipe(pipe_), 0);
	dup2(pipe_[1], STDERR_FILENO);
	close(pipe_[1]);
	profile.process = getpid();
	profile.forked = forked;
	error = profil_gmon_output_write(&profile);
	dup2(saved, STDERR_FILENO);
	close(saved);
	length = read(pipe_[0], messages, sizeof(messages) - 1);
	/* it prints an error if it returns one */
	assert_int_equal(length > 0, error < 0);
	messages[length] = 0;
	close(pipe_[0]);
}

static void assert_files(int expected)
{
	DIR *dir = opendir(".");
	struct dirent *entry;
	int nr = -2;	/* . and .. */

	assert_non_null(dir);
	while ((entry = readdir(dir)))
		nr++;
	closedir(dir);
	assert_int_equal(nr, expected);
}

FIXTURE(set_up)
{
	unsetenv("GMON_OUT_PREFIX");
	memset(&profile, 0, sizeof(profile));
	profile.rate = 100;
	profile.nr = 1;
	profile.objects[0].counts = &counts[0];
	profile.objects[0].nr = 1;
	return 0;
}

FIXTURE(tear_down)
{
	DIR *dir = opendir(".");
	struct dirent *entry;

	while ((entry = readdir(dir)))
		if (unlink(entry->d_name) && errno == EISDIR)
			rmdir(entry->d_name);
	return closedir(dir);
}

static void make_file(const char *path)
{
	int fd = open(path, O_CREAT | O_WRONLY | O_EXCL, 0666);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "earlier", 7), 7);
	close(fd);
}

/* A failed write leaves the earlier file. */
TEST_F(failure_leaves_the_earlier_file)
{
	struct rlimit before, none = { 0, RLIM_INFINITY };

	make_file("gmon.out");
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	none.rlim_max = before.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	write_output(false);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_non_null(strstr(messages, "EFBIG"));
	assert_int_equal(size_of("gmon.out"), 7);
	assert_files(1);
}

/* What another process has open, or has linked to, does not change. */
TEST_F(file_is_replaced)
{
	make_file("gmon.out");
	assert_int_equal(link("gmon.out", "theirs"), 0);
	write_output(false);
	assert_int_equal(size_of("theirs"), 7);
	assert_int_equal(unlink("theirs"), 0);
	assert_int_equal(size_of("gmon.out"), WITH);
	assert_string_equal(messages, "");
	assert_files(1);
}

TEST_F(name_by_prefix)
{
	char path[128];

	assert_int_equal(mkdir("there", 0777), 0);
	setenv("GMON_OUT_PREFIX", "there/x", 1);
	write_output(false);
	snprintf(path, sizeof(path), "there/x.%u", (unsigned int)getpid());
	assert_int_equal(size_of(path), WITH);
	assert_int_equal(unlink(path), 0);
	assert_files(1);
	assert_int_equal(rmdir("there"), 0);

	setenv("GMON_OUT_PREFIX", "x", 1);
	write_output(true);
	snprintf(path, sizeof(path), "x.%u", (unsigned int)getpid());
	assert_int_equal(size_of(path), WITH);
	assert_files(1);
}

TEST_F(unusable_prefix)
{
	setenv("GMON_OUT_PREFIX", "nowhere/x", 1);
	write_output(false);
	assert_int_equal(size_of("gmon.out"), WITH);
	write_output(true);
	assert_int_equal(size_of(pid_name), WITH);
	assert_files(2);
	assert_string_equal(messages, "");
}

TEST_F(name_of_forked_child)
{
	make_file("gmon.out");
	write_output(true);
	assert_int_equal(size_of("gmon.out"), 7);
	assert_int_equal(size_of(pid_name), WITH);
	assert_files(2);
}

/* Each shared object has a file; one that is passed over, none. */
TEST_F(shared_objects_have_their_own)
{
	char path[128];

	profile.nr = 3;
	profile.objects[2] = profile.objects[0];
	strcpy(profile.objects[1].name, "libpassed.so");
	strcpy(profile.objects[2].name, "libplug.so.1");
	write_output(false);
	snprintf(path, sizeof(path), "%s.libplug.so.1", pid_name);
	assert_int_equal(size_of("gmon.out"), WITH);
	assert_int_equal(size_of(path), WITH);
	assert_files(2);
	setenv("GMON_OUT_PREFIX", "x", 1);
	write_output(true);
	snprintf(path, sizeof(path), "x.%u.libplug.so.1", (unsigned int)getpid());
	assert_int_equal(size_of(path), WITH);
	assert_files(4);
}

TEST_F(name_is_too_long)
{
	char prefix[300] = "";

	memset(prefix, 'x', sizeof(prefix) - 1);
	setenv("GMON_OUT_PREFIX", prefix, 1);
	write_output(false);
	assert_int_equal(size_of("gmon.out"), WITH);
	assert_files(1);
}

TEST_F(counts_of_the_c_library_are_added)
{
	static unsigned short fallback[1] = { 4 };

	profile.fallback = fallback;
	write_output(false);
	assert_int_equal(counts[0], 7);
	assert_null(profile.fallback);
	counts[0] = 3;
}

TEST_F(directory_with_the_name)
{
	assert_int_equal(mkdir("gmon.out", 0777), 0);
	write_output(false);
	assert_non_null(strstr(messages, "EISDIR"));
	assert_files(1);
}

/* Return: 0, or the number of the failed check. */
static int existing_file(void)
{
	write_output(true);
	if (size_of("gmon.out") != 7 || !strstr(messages, "EACCES"))
		return 1;
	write_output(false);
	return size_of("gmon.out") == WITH && !*messages ? 0 : 2;
}

static int existing_link(void)
{
	write_output(false);
	return strstr(messages, "EACCES") ? 0 : 5;
}

/* Call a function as another user, in a directory where that user cannot create files. */
static int in_read_only_directory(int (*function)(void))
{
	int status = -1;
	pid_t pid;

	assert_int_equal(chmod(".", 0555), 0);
	pid = fork();
	if (!pid) {
		if (!geteuid() && (setresgid(65534, 65534, 65534) ||
				   setresuid(65534, 65534, 65534)))
			_exit(100);
		_exit(function());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(chmod(".", 0700), 0);
	return status;
}

TEST_F(existing_file_in_read_only_directory)
{
	make_file("gmon.out");
	assert_int_equal(chmod("gmon.out", 0666), 0);
	assert_int_equal(in_read_only_directory(existing_file), 0);
	assert_int_equal(unlink("gmon.out"), 0);
	assert_int_equal(symlink("nothing", "gmon.out"), 0);
	assert_int_equal(in_read_only_directory(existing_link), 0);
	assert_files(1);
}

FIXTURE(enter_directory)
{
	snprintf(pid_name, sizeof(pid_name), "gmon.out.%u", (unsigned int)getpid());
	return !mkdtemp(directory) || chdir(directory);
}

FIXTURE(remove_directory)
{
	return chdir("/") || rmdir(directory);
}

GROUP(enter_directory, remove_directory)
