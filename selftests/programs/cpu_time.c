// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a command, and prints the CPU time of it and of all that it has waited for, in microseconds.
 *
 * usage: cpu_time COMMAND [ARG...]
 *
 * The command's own output is discarded. The exit status is 1 if it cannot be run, or fails.
 */
#include <err.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static long microseconds(const struct timeval *time)
{
	return time->tv_sec * 1000000 + time->tv_usec;
}

int main(int argc, char **argv)
{
	posix_spawn_file_actions_t actions;
	struct rusage used;
	int status, error;
	pid_t pid;

	if (argc < 2)
		errx(1, "usage: cpu_time COMMAND [ARG...]");
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	error = posix_spawnp(&pid, argv[1], &actions, NULL, argv + 1, environ);
	if (error)
		errx(1, "%s: error %d", argv[1], error);
	if (waitpid(pid, &status, 0) < 0 || getrusage(RUSAGE_CHILDREN, &used))
		err(1, "%s", argv[1]);
	printf("%ld\n", microseconds(&used.ru_utime) + microseconds(&used.ru_stime));
	return status != 0;
}
