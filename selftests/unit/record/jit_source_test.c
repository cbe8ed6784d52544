// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files with the names of made code: which of them are read, and from where.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <record/jit_source.h>

#include "support/test.h"

#define NUMBER	4194303		/* no process has this ID in the test's root directory */

static char directory[] = "jit_source.XXXXXX";
static struct jit_source source;
static struct jit_names names;

/* A root directory with a /tmp, and a process of this user that has started now */
FIXTURE(set_up)
{
	strcpy(strrchr(directory, '.') + 1, "XXXXXX");
	if (!mkdtemp(directory) || chdir(directory) || mkdir("tmp", 0755))
		return -1;
	source = (struct jit_source){
		.pid = NUMBER,
		.root = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC),
		.user = geteuid(),
		.number = NUMBER,
		.since_s = time(NULL),
	};
	assert_int_equal(jit_names_new(&names, 2), 0);
	names.of[0].pc = 0x1000;
	names.of[1].pc = 0x2000;
	return 0;
}

FIXTURE(tear_down)
{
	jit_names_release(&names);
	jit_source_release(&source);
	return chdir("..") || system("rm -r jit_source.??????");
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void map_path(char path[64], int number)
{
	snprintf(path, 64, "tmp/perf-%d.map", number);
}

static void write_map(int number, const char *text)
{
	char path[64];

	map_path(path, number);
	write_file(path, text);
}

/* Return: the name of the first address; "": none. */
static const char *read_name(void)
{
	assert_int_equal(jit_source_read(&source, &names), 0);
	return names.of[0].name ? names.of[0].name : "";
}

TEST_F(map_below_the_root_is_read)
{
	write_map(NUMBER, "1000 4 name\n");
	assert_string_equal(read_name(), "name");
	assert_null(names.of[1].name);
}

TEST_F(links_are_not_followed)
{
	char path[64];

	map_path(path, NUMBER);
	write_file("tmp/other", "1000 4 name\n");
	assert_int_equal(symlink("other", path), 0);
	assert_string_equal(read_name(), "");
	assert_int_equal(unlink(path), 0);
	/* a directory may be a link, but not one that leaves the root directory */
	assert_int_equal(rename("tmp/other", path), 0);
	assert_int_equal(rename("tmp", "other"), 0);
	assert_int_equal(symlink("/../other", "tmp"), 0);
	assert_string_equal(read_name(), "name");
}

TEST_F(other_kinds_of_files_are_not_read)
{
	char path[64];
	pid_t writer;
	int status;

	map_path(path, NUMBER);
	assert_int_equal(mkfifo(path, 0644), 0);
	writer = fork();
	if (!writer)
		_exit(open(path, O_WRONLY) < 0);
	usleep(100000);
	assert_string_equal(read_name(), "");
	/* nor are they opened: the writer still waits for a reader */
	kill(writer, SIGKILL);
	assert_int_equal(waitpid(writer, &status, 0), writer);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0755), 0);
	assert_string_equal(read_name(), "");
}

TEST_F(file_of_another_user_is_not_read)
{
	char path[64];

	write_map(NUMBER, "1000 4 name\n");
	map_path(path, NUMBER);
	if (!geteuid())
		assert_int_equal(chown(path, 65532, 0), 0);
	else
		source.user++;
	assert_string_equal(read_name(), "");
}

TEST_F(older_file_is_of_another_process)
{
	struct timespec times[2] = { 0 };
	char path[64];

	write_map(NUMBER, "1000 4 name\n");
	map_path(path, NUMBER);
	times[0].tv_sec = times[1].tv_sec = source.since_s - 60;
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	assert_string_equal(read_name(), "");
	times[0].tv_sec = times[1].tv_sec = source.since_s;
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	assert_string_equal(read_name(), "name");
}

/* A forked child runs code that its parent has made, until it makes its own. */
TEST_F(code_of_the_parent_has_names)
{
	source.parent_number = NUMBER - 1;
	source.parent_since_s = source.since_s;
	write_map(NUMBER - 1, "1000 1004 parent\n");
	write_map(NUMBER, "2000 4 child\n");
	assert_string_equal(read_name(), "parent");
	assert_string_equal(names.of[1].name, "child");
}

TEST_F(dump_is_read)
{
	static const char dump[] =
		"DTiJ\1\0\0\0\50\0\0\0\76\0\0\0\0\0\0\0\0\0\0\0" "\0\0\0\0\0\0\0\0" "\0\0\0\0\0\0\0\0"
		"\0\0\0\0\75\0\0\0" "\0\0\0\0\0\0\0\0" "\0\0\0\0\0\0\0\0" "\0\20\0\0\0\0\0\0"
		"\0\20\0\0\0\0\0\0" "\4\0\0\0\0\0\0\0" "\0\0\0\0\0\0\0\0" "name";
	FILE *file = fopen("jit-1.dump", "w");

	assert_non_null(file);
	assert_int_equal(fwrite(dump, 1, sizeof(dump), file), sizeof(dump));
	assert_int_equal(fclose(file), 0);
	source.dump = strdup("/jit-1.dump");
	assert_string_equal(read_name(), "name");
}

TEST_F(process_is_found)
{
	struct jit_source found = { .root = -1 };
	const time_t before = time(NULL);
	pid_t child = fork();

	if (!child) {
		pause();
		_exit(0);
	}
	jit_source_find(&found, child, getpid(), 1);
	jit_source_open(&found);
	assert_int_equal(found.user, geteuid());
	assert_true(found.number > 0 && found.parent_number > 0);
	assert_int_not_equal(found.number, found.parent_number);
	assert_in_range(found.since_s, before - 5, time(NULL) + 1);
	assert_in_range(found.parent_since_s, 2, time(NULL) + 1);
	assert_true(found.root >= 0);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	/* it stays open */
	assert_int_equal(jit_source_read(&found, &names), 0);
	jit_source_release(&found);
	/* of a process that is gone, only its ID is known */
	jit_source_find(&found, child, 0, 1);
	jit_source_open(&found);
	assert_int_equal(found.number, child);
	assert_int_equal(found.since_s, 1);
	assert_int_equal(found.user, geteuid());
	assert_true(found.root >= 0);
	jit_source_release(&found);
}

/* A file system whose server never answers: a user can mount one. */
TEST_F(reading_ends_in_time)
{
	const int server = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	char options[64];
	time_t start;
	int error;

	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", server);
	if (server < 0 || unshare(CLONE_NEWNS) || mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("test", "tmp", "fuse", 0, options)) {
		close(server);
		skip();
	}
	close(source.root);
	source.root = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	start = time(NULL);
	error = jit_source_read(&source, &names);
	/* now nothing waits for it */
	close(server);
	assert_int_equal(umount2("tmp", MNT_DETACH), 0);
	assert_int_equal(error, -ETIMEDOUT);
	assert_true(time(NULL) - start >= JIT_SOURCE_SECONDS - 1);
	/* this process has no timer */
	assert_int_equal(alarm(0), 0);
}
