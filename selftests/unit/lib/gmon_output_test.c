// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where gmon.out goes, with a C library that writes the smallest file there is.
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

#define WITHOUT		20		/* bytes of a file without a histogram, */
#define WITH		(20 + 41 + 2)	/* and with ours */

static char directory[] = "/tmp/gmonout_test.XXXXXX";
static char pid_name[64];	/* gmon.out.PID */

/* What the C library is to write; how often it was called; what it found there then */
static const char *content;
static int calls;
static off_t size_meanwhile;

/* What else happens while it writes */
static void (*meanwhile)(const char *written);

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
		fputs("the C library has told\n", stderr);
		return;
	}
	assert_int_equal(write(fd, content, WITHOUT), WITHOUT);
	close(fd);
	size_meanwhile = size_of("../gmon.out");
	if (meanwhile)
		meanwhile(path);
}

static const uint32_t count = 3;
static const struct profil_gmon_histogram histogram = {
	.low = 0x1000,
	.counts = &count,
	.nr = 1,
	.rate = 100,
};

/* What was said on stderr, of the last write_() */
static char told[512];

static void write_(bool forked)
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
	length = read(pipe_[0], told, sizeof(told) - 1);
	assert_true(length >= 0);
	told[length] = 0;
	close(pipe_[0]);
	if (!meanwhile)
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
	meanwhile = NULL;
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

/* As long as there is no new one, the earlier one is there. */
static void in_one_step(void **state)
{
	(void)state;
	make_file("gmon.out");
	write_(false);
	assert_int_equal(size_meanwhile, 7);
	assert_int_equal(size_of("gmon.out"), WITH);
	assert_string_equal(told, "");
	assert_files(1);
}

static void by_prefix(void **state)
{
	char path[128];

	(void)state;
	assert_int_equal(mkdir("there", 0777), 0);
	setenv("GMON_OUT_PREFIX", "there/x", 1);
	write_(false);
	snprintf(path, sizeof(path), "there/x.%u", (unsigned int)getpid());
	assert_int_equal(size_of(path), WITH);
	assert_int_equal(unlink(path), 0);
	assert_files(1);
	assert_int_equal(rmdir("there"), 0);

	setenv("GMON_OUT_PREFIX", "x", 1);
	write_(true);
	snprintf(path, sizeof(path), "x.%u", (unsigned int)getpid());
	assert_int_equal(size_of(path), WITH);
	assert_files(1);
}

static void by_prefix_that_cannot_be(void **state)
{
	(void)state;
	setenv("GMON_OUT_PREFIX", "nowhere/x", 1);
	write_(false);
	assert_int_equal(size_of("gmon.out"), WITH);
	write_(true);
	assert_int_equal(size_of(pid_name), WITH);
	assert_files(2);
	assert_string_equal(told, "");
}

static void of_a_child(void **state)
{
	(void)state;
	make_file("gmon.out");
	write_(true);
	assert_int_equal(size_of("gmon.out"), 7);
	assert_int_equal(size_of(pid_name), WITH);
	assert_files(2);
}

static void of_nothing(void **state)
{
	(void)state;
	make_file("gmon.out");
	content = NULL;
	write_(false);
	assert_int_equal(calls, 1);
	assert_int_equal(size_of("gmon.out"), 7);
	assert_string_equal(told, "");
	assert_files(1);
}

static void not_understood(void **state)
{
	(void)state;
	make_file("gmon.out");
	content = "another format, 20+ b";
	write_(false);
	assert_int_equal(size_of("gmon.out"), 7);
	assert_non_null(strstr(told, "EBADMSG"));
	assert_files(1);
}

static void name_that_cannot_be(void **state)
{
	(void)state;
	assert_int_equal(mkdir("gmon.out", 0777), 0);
	write_(false);
	assert_non_null(strstr(told, "EISDIR"));
	assert_files(1);
}

/* Names that other users can foresee, and take before */
static void planted(void **state)
{
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), ".%s", pid_name);
	make_file(path);
	make_file("gmon.out");
	assert_int_equal(link("gmon.out", "theirs"), 0);
	write_(false);
	assert_int_equal(size_of("gmon.out"), WITH);
	assert_int_equal(size_of(path), 7);
	assert_int_equal(size_of("theirs"), 7);
	assert_string_equal(told, "");
	assert_files(3);
}

static void link_there(const char *written)
{
	if (link(written, "../theirs"))
		abort();
}

/* An absolute prefix leads out of the directory in which nobody else can make files. */
static void by_absolute_prefix(void **state)
{
	char path[128], prefix[64];

	(void)state;
	snprintf(prefix, sizeof(prefix), "%s/x", directory);
	snprintf(path, sizeof(path), "x.%u", (unsigned int)getpid());
	setenv("GMON_OUT_PREFIX", prefix, 1);
	write_(false);
	assert_int_equal(size_of(path), WITH);
	assert_string_equal(told, "");
	assert_files(1);
	assert_int_equal(unlink(path), 0);

	/* one that has another name, too, may be another's */
	snprintf(prefix, sizeof(prefix), "%s/y", directory);
	setenv("GMON_OUT_PREFIX", prefix, 1);
	snprintf(path, sizeof(path), "y.%u", (unsigned int)getpid());
	meanwhile = link_there;
	write_(false);
	assert_int_equal(size_of(path), -1);
	assert_non_null(strstr(told, "EEXIST"));
}

static void set_new(const char *written)
{
	(void)written;
	setenv("NEW", "1", 1);
	setenv("ANOTHER", "2", 1);
}

/* As another thread does while the file is written: the environment is not ours. */
static void environment_that_changes(void **state)
{
	/* as the kernel has made it */
	static char another[] = "ANOTHER=1";
	static char *made[] = { another, NULL };

	(void)state;
	environ = made;
	meanwhile = set_new;
	write_(false);
	assert_int_equal(size_of("gmon.out"), WITH);
	assert_non_null(getenv("NEW"));
	assert_string_equal(getenv("ANOTHER"), "2");
	assert_null(getenv("GMON_OUT_PREFIX"));
}

/* Return: 0, or the number of what was not so. */
static int as_it_stands(void)
{
	write_(true);
	if (size_of("gmon.out") != 7 || calls || !strstr(told, "EACCES"))
		return 1;
	write_(false);
	if (size_of("gmon.out") != WITH || *told)
		return 2;
	/* one that is left as it is has not become this program's */
	if (truncate("gmon.out", WITHOUT))
		return 3;
	content = NULL;
	write_(false);
	return size_of("gmon.out") == WITHOUT && !*told ? 0 : 4;
}

static int link_as_it_stands(void)
{
	write_(false);
	return strstr(told, "the C library has told") && strstr(told, "EACCES") ? 0 : 5;
}

/* In a directory where this process may make no file */
static int in_closed_directory(int (*function)(void))
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

static void where_none_can_be_made(void **state)
{
	(void)state;
	make_file("gmon.out");
	assert_int_equal(chmod("gmon.out", 0666), 0);
	assert_int_equal(in_closed_directory(as_it_stands), 0);
	assert_int_equal(unlink("gmon.out"), 0);
	assert_int_equal(symlink("nothing", "gmon.out"), 0);
	assert_int_equal(in_closed_directory(link_as_it_stands), 0);
	assert_files(1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(in_one_step, set_up, clean_up),
		cmocka_unit_test_setup_teardown(by_prefix, set_up, clean_up),
		cmocka_unit_test_setup_teardown(by_prefix_that_cannot_be, set_up,
						clean_up),
		cmocka_unit_test_setup_teardown(of_a_child, set_up, clean_up),
		cmocka_unit_test_setup_teardown(of_nothing, set_up, clean_up),
		cmocka_unit_test_setup_teardown(not_understood, set_up, clean_up),
		cmocka_unit_test_setup_teardown(name_that_cannot_be, set_up,
						clean_up),
		cmocka_unit_test_setup_teardown(planted, set_up, clean_up),
		cmocka_unit_test_setup_teardown(by_absolute_prefix, set_up, clean_up),
		cmocka_unit_test_setup_teardown(environment_that_changes, set_up,
						clean_up),
		cmocka_unit_test_setup_teardown(where_none_can_be_made, set_up,
						clean_up),
	};
	int status;

	if (!mkdtemp(directory) || chdir(directory))
		return 1;
	snprintf(pid_name, sizeof(pid_name), "gmon.out.%u",
		 (unsigned int)getpid());
	status = cmocka_run_group_tests_name("gmonout", tests, NULL, NULL);
	return chdir("/") || rmdir(directory) ? 1 : status;
}
