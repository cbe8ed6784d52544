// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading /proc: the user, the command line and the children of a process.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <record/procfs.h>
#include <record/procmaps.h>

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

static void *wait_for_signal(void *unused)
{
	pause();
	return unused;
}

/* Such a process has no memory, unless a thread that goes on is asked. */
TEST(first_thread_may_have_ended)
{
	char program[4096], own[4096], path[PROCFS_PATH], letter[] = "S";
	const pid_t child = fork();
	char *maps, **command;
	int error;

	assert_true(child >= 0);
	if (!child) {
		pthread_t thread;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pthread_create(&thread, NULL, wait_for_signal, NULL);
		syscall(SYS_exit, 0);
	}
	snprintf(path, sizeof(path), "/proc/%d/stat", child);
	while (*letter != 'Z') {
		FILE *file = fopen(path, "r");

		assert_int_equal(fscanf(file, "%*d (%*[^)]) %1s", letter), 1);
		fclose(file);
	}
	procfs_path(child, "mem", path);
	assert_non_null(strstr(path, "/task/"));
	assert_int_equal(access(path, F_OK), 0);
	assert_true(procfs_read_exe(child, program, sizeof(program)));
	assert_true(procfs_read_exe(getpid(), own, sizeof(own)));
	assert_string_equal(program, own);
	maps = procmaps_copy(child, &error);
	assert_non_null(strstr(maps, own));
	free(maps);
	command = procfs_read_command(child);
	assert_true(command[0][0] != '[');
	procfs_free_command(command);
	stop(child);
	procfs_path(child, "mem", path);
	assert_null(strstr(path, "/task/"));
}

static int add_child(void *data, pid_t child)
{
	pid_t *children = data;

	if (children[0] && children[1])
		return -ECANCELED;
	children[!!children[0]] = child;
	return 0;
}

static void *start_in_thread(void *child)
{
	char *argv[] = { "sleep", "100", NULL };

	*(pid_t *)child = start("sleep", argv);
	pause();
	return NULL;
}

/* Those that other threads have forked are children of the process, too. */
TEST(children_of_all_threads_are_found)
{
	pid_t children[2] = { 0 }, expected[2] = { 0 };
	char *argv[] = { "sleep", "100", NULL };
	pthread_t thread;

	expected[0] = start("sleep", argv);
	assert_int_equal(pthread_create(&thread, NULL, start_in_thread, &expected[1]), 0);
	while (!__atomic_load_n(&expected[1], __ATOMIC_ACQUIRE))
		sched_yield();
	assert_int_equal(procfs_each_child(getpid(), add_child, children), 0);
	assert_memory_equal(children, expected, sizeof(expected));
	assert_int_equal(procfs_each_child(expected[0], add_child, children), 0);
	assert_int_equal(procfs_each_child(getpid(), add_child, children), -ECANCELED);
	stop(expected[0]);
	stop(expected[1]);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
}
