// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading /proc: the user and the command line of a process.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <record/procfs.h>

#include "support/test.h"

/* Start a command that waits. Return: its process ID. */
static pid_t start(const char *file, char *const argv[])
{
	int ends[2];
	pid_t child;
	char byte;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	child = fork();
	if (!child) {
		execvp(file, argv);
		_exit(1);
	}
	close(ends[1]);
	/* exec closes the other end */
	assert_int_equal(read(ends[0], &byte, 1), 0);
	close(ends[0]);
	return child;
}

static void stop(pid_t child)
{
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

TEST(arguments_are_read)
{
	char *argv[] = { "a name", "100", NULL };
	pid_t child = start("sleep", argv);
	char **command = procfs_read_command(child);

	assert_non_null(command);
	assert_string_equal(command[0], "a name");
	assert_string_equal(command[1], "100");
	assert_null(command[2]);
	procfs_free_command(command);
	stop(child);
}

/* As after a process has changed its title */
TEST(empty_arguments_at_the_end_are_omitted)
{
	char *argv[] = { "title", "-c", "kill -STOP $$", "", "", NULL };
	pid_t child = start("sh", argv);
	char **command = procfs_read_command(child);

	assert_non_null(command);
	assert_string_equal(command[2], "kill -STOP $$");
	assert_null(command[3]);
	procfs_free_command(command);
	stop(child);
}

static void assert_only(pid_t pid, const char *expected)
{
	char **command = procfs_read_command(pid);

	assert_non_null(command);
	assert_string_equal(command[0], expected);
	assert_null(command[1]);
	procfs_free_command(command);
}

TEST(process_without_arguments_has_a_name)
{
	char *argv[] = { "sleep", "100", NULL };
	pid_t child = start("sleep", argv);
	char text[16];
	siginfo_t end;

	kill(child, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)child, &end, WEXITED | WNOWAIT), 0);
	assert_only(child, "[sleep]");
	stop(child);
	snprintf(text, sizeof(text), "%d", child);
	assert_only(child, text);
}

TEST(user_is_the_effective_one)
{
	uid_t user = geteuid() + 1;

	assert_true(procfs_read_user(getpid(), &user));
	assert_int_equal(user, geteuid());
	assert_false(procfs_read_user(0x7fffffff, &user));
	assert_int_equal(procfs_read_process(getpid()), getpid());
	assert_int_equal(procfs_read_process(0x7fffffff), 0);
}
