// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a program to its end.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "optimize/program.h"
#include "util/time_ns.h"

static uint64_t to_ns(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * NS_PER_S + (uint64_t)time->tv_usec * 1000;
}

/* Return: 0 or an errno. */
static int add_files(posix_spawn_file_actions_t *actions, const struct program_run *run)
{
	int error = 0;

	if (run->input)
		error = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, run->input,
							 O_RDONLY, 0);
	if (!error && run->output)
		error = posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, run->output,
							 O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (!error && run->output)
		error = posix_spawn_file_actions_adddup2(actions, STDOUT_FILENO, STDERR_FILENO);
	return error;
}

/* Return: 0 or an errno. */
static int start(pid_t *pid, const struct program_run *run, const sigset_t *defaults)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int error = posix_spawn_file_actions_init(&actions);

	if (error)
		return error;
	error = posix_spawnattr_init(&attributes);
	if (error)
		goto destroy_actions;
	error = add_files(&actions, run);
	if (!error)
		error = posix_spawnattr_setsigdefault(&attributes, defaults);
	if (!error)
		error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	if (!error)
		error = posix_spawnp(pid, run->path, &actions, &attributes, run->argv, environ);
	posix_spawnattr_destroy(&attributes);
destroy_actions:
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

int program_run(struct program_run *run)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct sigaction interrupt, quit;
	struct rusage usage = { 0 };
	sigset_t defaults;
	int error;
	pid_t pid = -1;

	sigaction(SIGINT, &ignore, &interrupt);
	sigaction(SIGQUIT, &ignore, &quit);
	/* the program ignores what this process was told to ignore, as with nohup(1) */
	sigemptyset(&defaults);
	if (interrupt.sa_handler != SIG_IGN)
		sigaddset(&defaults, SIGINT);
	if (quit.sa_handler != SIG_IGN)
		sigaddset(&defaults, SIGQUIT);
	error = -start(&pid, run, &defaults);
	while (!error && wait4(pid, &run->status, 0, &usage) < 0)
		if (errno != EINTR)
			error = -errno;
	sigaction(SIGINT, &interrupt, NULL);
	sigaction(SIGQUIT, &quit, NULL);
	run->cpu_ns = to_ns(&usage.ru_utime) + to_ns(&usage.ru_stime);
	return error;
}
