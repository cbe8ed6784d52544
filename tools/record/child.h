/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command as a child process: its start, signals, exit status and CPU time.
 */
#ifndef PROFIL_CHILD_H
#define PROFIL_CHILD_H

#include <stdint.h>
#include <sys/types.h>

/**
 * struct child_end - how a command ended, or its state so far
 * @pid:        its process ID
 * @exec_error: errno of execvp() if it failed; or 0
 * @status:     as from wait(2)
 * @cpu_ns:     CPU time of all its threads, without children, in ns
 * @children_cpu_ns: CPU time of the descendants that were waited for, in ns
 * @start_time_ns: when it was started, in ns since 1970 UTC
 * @elapsed_ns: time from the start to the end, in ns
 */
struct child_end {
	pid_t pid;
	int exec_error;
	int status;
	uint64_t cpu_ns;
	uint64_t children_cpu_ns;
	uint64_t start_time_ns;
	uint64_t elapsed_ns;
};

/**
 * struct child_watch - functions to call while the command runs
 * @interval_ms: how often @poll is called; 0: never
 * @poll:        gets @data and the command's process ID
 * @data:        argument of @poll
 * @snapshot:    called on SIGUSR1, with @snapshot_data and the state of the command, in which
 *               @status and @children_cpu_ns are unknown; NULL: none
 * @snapshot_data: argument of @snapshot
 */
struct child_watch {
	int interval_ms;
	void (*poll)(void *data, pid_t pid);
	void *data;
	void (*snapshot)(void *data, const struct child_end *so_far);
	void *snapshot_data;
};

/**
 * child_ignore - ignore a signal in this process, but not in the command
 * @number: the signal; not one that child_run() handles, except SIGUSR1, which is then
 *          ignored outside child_run()
 */
void child_ignore(int number);

/**
 * child_run - run a command and wait for its end
 * @argv:  the command, searched in PATH, and its arguments
 * @env:   its environment
 * @watch: functions to call while it runs; NULL: none
 * @end:   filled in on success, also if exec failed
 *
 * While the command runs, SIGINT and SIGQUIT are ignored, as the terminal sends them to the
 * command too. SIGTERM and SIGHUP are forwarded to it, and SIGUSR1 calls @watch->snapshot. The
 * command gets the signal settings of the caller, as they were before child_ignore().
 *
 * Return: 0 or -errno.
 */
int child_run(char *const argv[], char *const env[],
	      const struct child_watch *watch, struct child_end *end);

/**
 * child_exit_status - compute the exit status that a shell would report for a command
 * @end: from child_run()
 *
 * Return: 0 to 255.
 */
int child_exit_status(const struct child_end *end);

#endif /* PROFIL_CHILD_H */
