// SPDX-License-Identifier: GPL-2.0-only
/*
 * The name and replacement of gmon.out, with a fake C library that writes the smallest valid file.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/gmon/output.h"
#include "support/test.h"

#define WITHOUT		20		/* bytes of a file without a histogram */
#define WITH		(20 + 41 + 2)	/* bytes of a file with the test's histogram */

static char directory[] = "/tmp/gmon_output_test.XXXXXX";
static char pid_name[64];	/* gmon.out.PID */

static const char *content;	/* written by the fake C library; NULL: nothing */
static int calls;		/* of the fake C library's mcleanup() */
static off_t size_during_call;	/* of the final gmon.out */

/* Called while the C library writes */
static void (*during_call)(const char *written);

static off_t size_of(const char *path)
{
	struct stat stat;

	return lstat(path, &stat) ? -1 : stat.st_size;
}

static void mcleanup(void)
{
	const char *prefix = getenv("GMON_OUT_PREFIX");
	int flags = O_CREAT | O_TRUNC | O_WRONLY | O_NOFOLLOW, fd = -1;
	char path[256];

	calls++;
	assert_string_equal(getenv("ANOTHER"), "1");
	if (!content)
		return;
	if (prefix) {
		snprintf(path, sizeof(path), "%s.%u", prefix,
			 (unsigned int)getpid());
		fd = open(path, flags, 0666);
	}
	if (fd < 0)
		fd = open("gmon.out", flags, 0666);
	if (fd < 0) {
		fputs("printed by the C library\n", stderr);
		return;
	}
	assert_int_equal(write(fd, content, WITHOUT), WITHOUT);
	close(fd);
	size_during_call = size_of("../gmon.out");
	if (during_call)
		during_call(path);
}

static const uint32_t count = 3;
static const struct profil_gmon_histogram histogram = {
	.low = 0x1000,
	.counts = &count,
	.nr = 1,
	.rate = 100,
};

/* Output on stderr of the last write_output() */
static char messages[512];

static void write_output(bool forked)
{
	char **before = environ;
	int saved = dup(STDERR_FILENO), pipe_[2];
	ssize_t length;

	assert_int_equal(pipe(pipe_), 0);
	dup2(pipe_[1], STDERR_FILENO);
	close(pipe_[1]);
	calls = 0;
	profil_gmon_output_write(mcleanup, forked, &histogram);
	dup2(saved, STDERR_FILENO);
	close(saved);
	length = read(pipe_[0], messages, sizeof(messages) - 1);
	assert_true(length >= 0);
	messages[length] = 0;
	close(pipe_[0]);
	if (!during_call)
		assert_ptr_equal(before, environ);
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

static int set_up(void **state)
{
	(void)state;
	unsetenv("GMON_OUT_PREFIX");
	setenv("ANOTHER", "1", 1);
	during_call = NULL;
	content = "gmon\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
	return 0;
}

static int clean_up(void **state)
{
	DIR *dir = opendir(".");
	struct dirent *entry;

	(void)state;
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

/* The earlier file exists until the new one replaces it. */
static void file_is_replaced_atomically(void **state)
{
	(void)state;
	make_file("gmon.out");
	write_output(false);
	assert_int_equal(size_during_call, 7);
	assert_int_equal(size_of("gmon.out"), WITH);
	assert_string_equal(messages, "");
	assert_files(1);
}

static void name_by_prefix(void **state)
{
	char path[128];

	(void)state;
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

static void unusable_prefix(void **state)
{
	(void)state;
	setenv("GMON_OUT_PREFIX", "nowhere/x", 1);
	write_output(false);
	assert_int_equal(size_of("gmon.out"), WITH);
	write_output(true);
	assert_int_equal(size_of(pid_name), WITH);
	assert_files(2);
	assert_string_equal(messages, "");
}

static void name_of_forked_child(void **state)
{
	(void)state;
	make_file("gmon.out");
	write_output(true);
	assert_int_equal(size_of("gmon.out"), 7);
	assert_int_equal(size_of(pid_name), WITH);
	assert_files(2);
}

static void libc_writes_nothing(void **state)
{
	(void)state;
	make_file("gmon.out");
	content = NULL;
	write_output(false);
	assert_int_equal(calls, 1);
	assert_int_equal(size_of("gmon.out"), 7);
	assert_string_equal(messages, "");
	assert_files(1);
}

static void unknown_format(void **state)
{
	(void)state;
	make_file("gmon.out");
	content = "another format, 20+ b";
	write_output(false);
	assert_int_equal(size_of("gmon.out"), 7);
	assert_non_null(strstr(messages, "EBADMSG"));
	assert_files(1);
}

static void directory_with_the_name(void **state)
{
	(void)state;
	assert_int_equal(mkdir("gmon.out", 0777), 0);
	write_output(false);
	assert_non_null(strstr(messages, "EISDIR"));
	assert_files(1);
}

/* Predictable names that other users have created before */
static void names_taken_by_others(void **state)
{
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), ".%s", pid_name);
	make_file(path);
	make_file("gmon.out");
	assert_int_equal(link("gmon.out", "theirs"), 0);
	write_output(false);
	assert_int_equal(size_of("gmon.out"), WITH);
	assert_int_equal(size_of(path), 7);
	assert_int_equal(size_of("theirs"), 7);
	assert_string_equal(messages, "");
	assert_files(3);
}

static void link_there(const char *written)
{
	if (link(written, "../theirs"))
		abort();
}

/* An absolute prefix: the file is not in the private directory. */
static void name_by_absolute_prefix(void **state)
{
	char path[128], prefix[64];

	(void)state;
	snprintf(prefix, sizeof(prefix), "%s/x", directory);
	snprintf(path, sizeof(path), "x.%u", (unsigned int)getpid());
	setenv("GMON_OUT_PREFIX", prefix, 1);
	write_output(false);
	assert_int_equal(size_of(path), WITH);
	assert_string_equal(messages, "");
	assert_files(1);
	assert_int_equal(unlink(path), 0);

	/* a file with a second link may belong to another user */
	snprintf(prefix, sizeof(prefix), "%s/y", directory);
	setenv("GMON_OUT_PREFIX", prefix, 1);
	snprintf(path, sizeof(path), "y.%u", (unsigned int)getpid());
	during_call = link_there;
	write_output(false);
	assert_int_equal(size_of(path), -1);
	assert_non_null(strstr(messages, "EEXIST"));
}

static void set_new(const char *written)
{
	(void)written;
	setenv("NEW", "1", 1);
	setenv("ANOTHER", "2", 1);
}

/* Another thread changes the environment while the file is written. */
static void environment_may_change(void **state)
{
	/* static, as the initial environment is */
	static char another[] = "ANOTHER=1";
	static char *made[] = { another, NULL };

	(void)state;
	environ = made;
	during_call = set_new;
	write_output(false);
	assert_int_equal(size_of("gmon.out"), WITH);
	assert_non_null(getenv("NEW"));
	assert_string_equal(getenv("ANOTHER"), "2");
	assert_null(getenv("GMON_OUT_PREFIX"));
}

/* Return: 0, or the number of the failed check. */
static int existing_file(void)
{
	write_output(true);
	if (size_of("gmon.out") != 7 || calls || !strstr(messages, "EACCES"))
		return 1;
	write_output(false);
	if (size_of("gmon.out") != WITH || *messages)
		return 2;
	/* a file that the C library did not write is not changed */
	if (truncate("gmon.out", WITHOUT))
		return 3;
	content = NULL;
	write_output(false);
	return size_of("gmon.out") == WITHOUT && !*messages ? 0 : 4;
}

static int existing_link(void)
{
	write_output(false);
	return strstr(messages, "printed by the C library") && strstr(messages, "EACCES") ? 0 : 5;
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

static void existing_file_in_read_only_directory(void **state)
{
	(void)state;
	make_file("gmon.out");
	assert_int_equal(chmod("gmon.out", 0666), 0);
	assert_int_equal(in_read_only_directory(existing_file), 0);
	assert_int_equal(unlink("gmon.out"), 0);
	assert_int_equal(symlink("nothing", "gmon.out"), 0);
	assert_int_equal(in_read_only_directory(existing_link), 0);
	assert_files(1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(file_is_replaced_atomically, set_up, clean_up),
		cmocka_unit_test_setup_teardown(name_by_prefix, set_up, clean_up),
		cmocka_unit_test_setup_teardown(unusable_prefix, set_up, clean_up),
		cmocka_unit_test_setup_teardown(name_of_forked_child, set_up, clean_up),
		cmocka_unit_test_setup_teardown(libc_writes_nothing, set_up, clean_up),
		cmocka_unit_test_setup_teardown(unknown_format, set_up, clean_up),
		cmocka_unit_test_setup_teardown(directory_with_the_name, set_up, clean_up),
		cmocka_unit_test_setup_teardown(names_taken_by_others, set_up, clean_up),
		cmocka_unit_test_setup_teardown(name_by_absolute_prefix, set_up, clean_up),
		cmocka_unit_test_setup_teardown(environment_may_change, set_up, clean_up),
		cmocka_unit_test_setup_teardown(existing_file_in_read_only_directory, set_up,
						clean_up),
	};
	int status;

	if (!mkdtemp(directory) || chdir(directory))
		return 1;
	snprintf(pid_name, sizeof(pid_name), "gmon.out.%u",
		 (unsigned int)getpid());
	status = cmocka_run_group_tests_name("gmon_output", tests, NULL, NULL);
	return chdir("/") || rmdir(directory) ? 1 : status;
}
