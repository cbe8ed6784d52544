// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command as a child process: its start, signals, exit status and CPU time.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "record/child.h"
#include "util/time_ns.h"

#define NS_PER_S	1000000000ULL

/* Written only while all signals are blocked */
static volatile pid_t forward_to;

static void forward(int number)
{
	int saved = errno;

	kill(forward_to, number);
	errno = saved;
}

static volatile sig_atomic_t snapshot_requested;

static void request_snapshot(int number)
{
	(void)number;
	snapshot_requested = 1;
}

/* SIGCHLD is set because it may be ignored from exec on: children would leave no zombie. */
static const struct {
	int number;
	void (*handler)(int number);
} signals[] = {
	{ SIGINT, SIG_IGN },
	{ SIGQUIT, SIG_IGN },
	{ SIGTERM, forward },
	{ SIGHUP, forward },
	{ SIGUSR1, request_snapshot },
	{ SIGCHLD, SIG_DFL },
};

#define NR_SIGNALS	(sizeof(signals) / sizeof(signals[0]))

struct signal_settings {
	struct sigaction action[NR_SIGNALS];
	sigset_t mask;
};

static void block_signals(struct signal_settings *old)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, old ? &old->mask : NULL);
}

static void set_signals(struct signal_settings *old)
{
	struct sigaction action = { .sa_flags = SA_RESTART };
	size_t i;

	sigemptyset(&action.sa_mask);
	for (i = 0; i < NR_SIGNALS; i++) {
		sigaction(signals[i].number, NULL, &old->action[i]);
		/* if nohup(1) made this process ignore it, both processes must survive it */
		if (signals[i].handler == forward &&
		    old->action[i].sa_handler == SIG_IGN)
			continue;
		action.sa_handler = signals[i].handler;
		sigaction(signals[i].number, &action, NULL);
	}
}

static void restore_signals(const struct signal_settings *old)
{
	size_t i;

	for (i = 0; i < NR_SIGNALS; i++)
		sigaction(signals[i].number, &old->action[i], NULL);
	sigprocmask(SIG_SETMASK, &old->mask, NULL);
}

/* Signals that child_ignore() ignores, and that were not ignored before */
static sigset_t ignored;

void child_ignore(int number)
{
	if (signal(number, SIG_IGN) != SIG_IGN)
		sigaddset(&ignored, number);
}

/* exec resets handlers, so only signals that are still ignored must be restored. */
static void restore_ignored(void)
{
	int number;

	for (number = 1; number < NSIG; number++)
		if (sigismember(&ignored, number) == 1)
			signal(number, SIG_DFL);
}

static void __attribute__((noreturn))
exec_command(char *const argv[], char *const env[], int report_fd,
	     const struct signal_settings *old)
{
	ssize_t written;
	int error;

	restore_signals(old);
	restore_ignored();
	execvpe(argv[0], argv, env);
	error = errno;
	written = write(report_fd, &error, sizeof(error));
	(void)written;
	_exit(125);
}

/* Wait for exec: on success, it closes the pipe. Return: 0; or its errno. */
static int read_exec_error(int fd)
{
	ssize_t length;
	int error = 0;

	do {
		length = read(fd, &error, sizeof(error));
	} while (length < 0 && errno == EINTR);
	return length == (ssize_t)sizeof(error) ? error : 0;
}

/* CPU time of a process and the children it waited for; rounded by the kernel. */
static uint64_t rusage_ns(const struct rusage *usage)
{
	return ((uint64_t)usage->ru_utime.tv_sec +
		(uint64_t)usage->ru_stime.tv_sec) * NS_PER_S +
	       ((uint64_t)usage->ru_utime.tv_usec +
		(uint64_t)usage->ru_stime.tv_usec) * 1000;
}

static int wait_for_zombie(pid_t pid)
{
	siginfo_t info;
	int error;

	do {
		error = waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
	} while (error && errno == EINTR);
	return error;
}

static void take_snapshot(const struct child_watch *watch, const struct child_end *end,
			  uint64_t start)
{
	struct child_end so_far = *end;

	snapshot_requested = 0;
	if (!watch->snapshot)
		return;
	so_far.elapsed_ns = time_ns(CLOCK_MONOTONIC) - start;
	so_far.cpu_ns = time_cpu_ns(end->pid);
	watch->snapshot(watch->snapshot_data, &so_far);
}

/*
 * Call the functions of @watch until the command ends; without pidfd_open(2), none. SIGUSR1 is
 * unblocked only during ppoll().
 */
static void watch_process(const struct child_watch *watch, const struct child_end *end,
			  uint64_t start)
{
	const struct timespec interval = {
		.tv_sec = watch->interval_ms / 1000,
		.tv_nsec = watch->interval_ms % 1000 * 1000000L,
	};
	struct pollfd process = { .events = POLLIN };
	sigset_t user, mask;
	int ready;

	process.fd = (int)syscall(SYS_pidfd_open, end->pid, 0);
	if (process.fd < 0)
		return;
	sigemptyset(&user);
	sigaddset(&user, SIGUSR1);
	sigprocmask(SIG_BLOCK, &user, &mask);
	sigdelset(&mask, SIGUSR1);
	do {
		if (snapshot_requested)
			take_snapshot(watch, end, start);
		ready = ppoll(&process, 1, watch->interval_ms ? &interval : NULL, &mask);
		if (!ready)
			watch->poll(watch->data, end->pid);
	} while (!ready || (ready < 0 && errno == EINTR));
	close(process.fd);
}

int child_run(char *const argv[], char *const env[],
	      const struct child_watch *watch, struct child_end *end)
{
	struct signal_settings old;
	uint64_t start, used;
	struct rusage usage;
	int report[2];
	int error = 0;

	memset(end, 0, sizeof(*end));
	if (pipe2(report, O_CLOEXEC))
		return -errno;
	block_signals(&old);
	snapshot_requested = 0;
	set_signals(&old);
	end->start_time_ns = time_ns(CLOCK_REALTIME);
	start = time_ns(CLOCK_MONOTONIC);
	end->pid = fork();
	if (end->pid < 0) {
		error = -errno;
		goto restore;
	}
	if (!end->pid)
		exec_command(argv, env, report[1], &old);
	close(report[1]);
	report[1] = -1;

	forward_to = end->pid;
	sigprocmask(SIG_SETMASK, &old.mask, NULL);
	end->exec_error = read_exec_error(report[0]);
	if (watch && !end->exec_error)
		watch_process(watch, end, start);
	if (wait_for_zombie(end->pid))
		error = -errno;
	end->elapsed_ns = time_ns(CLOCK_MONOTONIC) - start;
	/* no forward() after wait4(): the process ID may be reused */
	block_signals(NULL);
	if (error)
		goto restore;
	end->cpu_ns = time_cpu_ns(end->pid);
	if (wait4(end->pid, &end->status, 0, &usage) < 0) {
		error = -errno;
		goto restore;
	}
	used = rusage_ns(&usage);
	if (!end->cpu_ns)
		end->cpu_ns = used;
	else if (used > end->cpu_ns)
		end->children_cpu_ns = used - end->cpu_ns;
restore:
	restore_signals(&old);
	close(report[0]);
	if (report[1] >= 0)
		close(report[1]);
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
