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
#include <time.h>
#include <unistd.h>

#include "optimize/program.h"
#include "util/time_ns.h"

/* Signals that end this process, and SIGCHLD. They are blocked, and taken one by one. */
static sigset_t watched;

/* The mask of signals for the programs */
static sigset_t unblocked;

static bool is_ended;	/* by one of these signals */

void program_watch_signals(void)
{
	static const int ending[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };
	struct sigaction action;
	size_t i;

	sigemptyset(&watched);
	for (i = 0; i < sizeof(ending) / sizeof(ending[0]); i++)
		if (!sigaction(ending[i], NULL, &action) && action.sa_handler != SIG_IGN)
			sigaddset(&watched, ending[i]);
	/* if it is ignored from exec on, programs leave no exit status */
	signal(SIGCHLD, SIG_DFL);
	sigaddset(&watched, SIGCHLD);
	sigprocmask(SIG_BLOCK, &watched, &unblocked);
}

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
static int start(pid_t *pid, const struct program_run *run)
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
		error = posix_spawnattr_setsigmask(&attributes, &unblocked);
	if (!error)
		error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	if (!error)
		error = posix_spawnp(pid, run->path, &actions, &attributes, run->argv, environ);
	posix_spawnattr_destroy(&attributes);
destroy_actions:
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

static void take_signal(int number, const struct program_run *run, pid_t pid)
{
	const bool is_of_terminal = number == SIGINT || number == SIGQUIT;

	if (number <= 0 || number == SIGCHLD || (is_of_terminal && run->ends_by_interrupt))
		return;
	is_ended = true;
	if (pid > 0 && !is_of_terminal)
		kill(pid, number);
}

/* Take the signals that have come, without waiting. */
static void take_signals(const struct program_run *run)
{
	const struct timespec none = { 0 };
	int number;

	while ((number = sigtimedwait(&watched, NULL, &none)) > 0)
		take_signal(number, run, -1);
}

/* Return: 0 or -errno. */
static int wait_for(pid_t pid, struct program_run *run)
{
	struct rusage usage;
	pid_t ended;

	while (!(ended = wait4(pid, &run->status, WNOHANG, &usage)))
		take_signal(sigwaitinfo(&watched, NULL), run, pid);
	if (ended < 0)
		return -errno;
	run->cpu_ns = to_ns(&usage.ru_utime) + to_ns(&usage.ru_stime);
	return 0;
}

int program_run(struct program_run *run)
{
	int error = 0;
	pid_t pid = -1;

	take_signals(&(struct program_run){ 0 });
	if (!is_ended)
		error = -start(&pid, run);
	if (pid > 0)
		error = wait_for(pid, run);
	take_signals(run);
	return is_ended ? -EINTR : error;
}
