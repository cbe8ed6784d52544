// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command as a child process: its start, exit status and CPU time. The child waits on a pipe
 * until this process has attached to it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/child.h"
#include "record/signals.h"
#include "util/time_ns.h"

/**
 * struct start - a command that is being started
 * @process: descriptor of pidfd_open(2)
 * @release: pipe; a byte makes the child execute its program, end-of-file makes it exit
 * @report:  pipe; the child writes the errno of exec to it
 */
struct start {
	pid_t pid;
	int process;
	int release[2];
	int report[2];
};

static void close_if_open(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static ssize_t read_message(int fd, void *message, size_t bytes)
{
	ssize_t length;

	do {
		length = read(fd, message, bytes);
	} while (length < 0 && errno == EINTR);
	return length;
}

static void write_message(int fd, const void *message, size_t bytes)
{
	ssize_t length = write(fd, message, bytes);

	(void)length;
}

static void __attribute__((noreturn))
exec_command(char *const argv[], const struct child_calls *calls, struct start *start,
	     const struct signals *old)
{
	char byte;
	int error;

	close_if_open(&start->release[1]);
	/* otherwise this process has ended, or could not attach */
	if (read_message(start->release[0], &byte, 1) == 1) {
		signals_end(old);
		signals_restore_ignored();
		if (calls->prepare)
			calls->prepare(calls->data);
		execvp(argv[0], argv);
		error = errno;
		write_message(start->report[1], &error, sizeof(error));
	}
	_exit(125);
}

/* Wait for exec: on success, it closes the pipe. Return: 0; or its errno. */
static int read_exec_error(int fd)
{
	int error = 0;

	return read_message(fd, &error, sizeof(error)) == (ssize_t)sizeof(error) ? error : 0;
}

static int wait_for_zombie(pid_t pid)
{
	siginfo_t info;
	int error;

	do {
		error = waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
	} while (error && errno == EINTR);
	return error ? -errno : 0;
}

/* Return: 0 or -errno; then there may be a child that waits. */
static int start_child(struct start *start, char *const argv[], const struct child_calls *calls,
		       const struct signals *old)
{
	if (pipe2(start->release, O_CLOEXEC) || pipe2(start->report, O_CLOEXEC))
		return -errno;
	start->pid = fork();
	if (start->pid < 0)
		return -errno;
	if (!start->pid)
		exec_command(argv, calls, start, old);
	close_if_open(&start->release[0]);
	close_if_open(&start->report[1]);
	start->process = (int)syscall(SYS_pidfd_open, start->pid, 0);
	return start->process < 0 ? -errno : 0;
}

/* Return: 0 or -errno. */
static int reap(struct child_end *end)
{
	struct rusage usage;
	uint64_t used;

	end->cpu_ns = time_cpu_ns(end->pid);
	if (wait4(end->pid, &end->status, 0, &usage) < 0)
		return -errno;
	used = time_usage_ns(&usage);
	if (!end->cpu_ns)
		end->cpu_ns = used;
	else if (used > end->cpu_ns)
		end->children_cpu_ns = used - end->cpu_ns;
	return 0;
}

/* The child waits. Let it execute the program, and wait until it ends. */
static int let_child_run(struct start *start, const struct child_calls *calls,
			 const struct signals *old, struct child_end *end)
{
	const uint64_t began = time_ns(CLOCK_MONOTONIC);
	sigset_t waiting;
	int error;

	end->start_time_ns = time_ns(CLOCK_REALTIME);
	signals_allow(old, start->pid, &waiting);
	write_message(start->release[1], "", 1);
	end->exec_error = read_exec_error(start->report[0]);
	if (calls->meanwhile && !end->exec_error)
		end->is_left = !calls->meanwhile(calls->data, end, start->process, &waiting);
	error = end->is_left ? 0 : wait_for_zombie(start->pid);
	end->elapsed_ns = time_ns(CLOCK_MONOTONIC) - began;
	/* nothing is forwarded after reap(): the process ID may be reused */
	signals_block();
	return error;
}

int child_run(char *const argv[], const struct child_calls *calls, struct child_end *end)
{
	struct start start = { .process = -1, .release = { -1, -1 }, .report = { -1, -1 } };
	struct signals old;
	int error, unreaped;

	memset(end, 0, sizeof(*end));
	signals_begin(&old, true);
	error = start_child(&start, argv, calls, &old);
	end->pid = start.pid;
	if (!error && calls->attach)
		error = calls->attach(calls->data, start.pid);
	if (!error)
		error = let_child_run(&start, calls, &old, end);
	/* a child that still waits exits */
	close_if_open(&start.release[1]);
	if (start.pid > 0 && !end->is_left) {
		unreaped = reap(end);
		if (!error)
			error = unreaped;
	}
	if (!error && !end->exec_error && !end->is_left && calls->ended) {
		signals_hold(&old.mask);
		calls->ended(calls->data, end);
	}
	signals_end(&old);
	close_if_open(&start.process);
	close_if_open(&start.release[0]);
	close_if_open(&start.report[0]);
	close_if_open(&start.report[1]);
	return error;
}

int child_exit_status(const struct child_end *end)
{
	if (end->exec_error)
		return end->exec_error == ENOENT ? 127 : 126;
	if (WIFSIGNALED(end->status))
		return 128 + WTERMSIG(end->status);
	return WEXITSTATUS(end->status);
}
