// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds a program, and runs it to its end.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compare/program.h"
#include "util/failure.h"
#include "util/time_ns.h"

static bool is_executable_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

char *program_find(const char *name)
{
	const char *path = getenv("PATH");
	char *found = NULL, *file;
	size_t length;

	if (strchr(name, '/') || !*name)
		return realpath(name, NULL);
	if (!path)
		path = "/bin:/usr/bin";
	for (;;) {
		length = strcspn(path, ":");
		/* an empty one is the current directory */
		if (asprintf(&file, "%.*s%s%s", (int)length, path, length ? "/" : "", name) < 0)
			return NULL;
		if (is_executable_file(file))
			found = realpath(file, NULL);
		free(file);
		errno = ENOENT;
		if (found || !path[length])
			return found;
		path += length + 1;
	}
}

static int open_as(int fd, const char *path, int flags)
{
	const int file = path ? open(path, flags | O_CLOEXEC, 0600) : fd;

	return file < 0 || dup2(file, fd) < 0 ? -1 : 0;
}

/* @failed: takes the errno if the program is not executed */
static void __attribute__((noreturn)) execute(const struct program_run *run, int failed)
{
	int error;

	/* so that nothing runs on that nobody waits for */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	/* if it is ignored from exec on, programs leave no exit status */
	signal(SIGCHLD, SIG_DFL);
	if (!open_as(STDIN_FILENO, run->input, O_RDONLY) &&
	    !open_as(STDOUT_FILENO, run->output, O_WRONLY | O_CREAT | O_TRUNC) &&
	    (!run->output || dup2(STDOUT_FILENO, STDERR_FILENO) >= 0))
		execvp(run->path ? run->path : run->argv[0], run->argv);
	error = errno;
	if (write(failed, &error, sizeof(error)) < 0)
		_exit(1);
	_exit(0);
}

/* Return: 0 or -errno. */
static int wait_for(pid_t pid, struct program_run *run, int failed)
{
	struct rusage usage;
	int error = 0;

	/* end-of-file: the program was executed */
	while (read(failed, &error, sizeof(error)) < 0 && errno == EINTR)
		;
	while (wait4(pid, &run->status, 0, &usage) < 0)
		if (errno != EINTR)
			return -errno;
	run->cpu_ns = time_usage_ns(&usage);
	return -error;
}

int program_run(struct program_run *run)
{
	sighandler_t interrupt = SIG_DFL, quit = SIG_DFL;
	int failed[2], error = 0;
	pid_t pid;

	signal(SIGCHLD, SIG_DFL);
	if (pipe2(failed, O_CLOEXEC))
		return failure_errno();
	fflush(NULL);
	pid = fork();
	if (!pid)
		execute(run, failed[1]);
	error = pid < 0 ? failure_errno() : 0;
	close(failed[1]);
	if (run->ends_by_interrupt) {
		interrupt = signal(SIGINT, SIG_IGN);
		quit = signal(SIGQUIT, SIG_IGN);
	}
	if (!error)
		error = wait_for(pid, run, failed[0]);
	if (run->ends_by_interrupt) {
		signal(SIGINT, interrupt);
		signal(SIGQUIT, quit);
	}
	close(failed[0]);
	return error;
}
