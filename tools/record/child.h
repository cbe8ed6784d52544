/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_CHILD_H
#define PROFIL_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct child_end - how a command ended, or its state so far
 * @exec_error: errno of execvp() if it failed; or 0
 * @status:     as from wait(2)
 * @cpu_ns:     CPU time of all its threads, without children, in ns
 * @children_cpu_ns: CPU time of the descendants that were waited for, in ns
 * @start_time_ns: when it was started, in ns since 1970 UTC
 * @elapsed_ns: time from the start to the end, in ns
 * @is_left:    it was left alone, so it has no status
 */
struct child_end {
	pid_t pid;
	int exec_error;
	int status;
	uint64_t cpu_ns;
	uint64_t children_cpu_ns;
	uint64_t start_time_ns;
	uint64_t elapsed_ns;
	bool is_left;
};

/**
 * struct child_calls - functions to call while a command is started and runs
 * @attach:    called before the command executes its program; NULL: none. If it does not
 *             return 0, the program is not executed
 * @prepare:   called in the child, before it executes the program; NULL: none
 * @meanwhile: called when the program has been executed; NULL: none. Gets the state of
 *             the command, a descriptor that is readable once the command has ended
 *             (pidfd_open(2)), and the signals to block while waiting, see signals_allow().
 *             Return: whether to wait for the end of the command; false: it is left alone
 * @ended:     called when the program has ended, with its state, while signals are held
 *             (signals_hold()); NULL: none
 * @data:      argument of all
 */
struct child_calls {
	int (*attach)(void *data, pid_t pid);
	void (*prepare)(void *data);
	bool (*meanwhile)(void *data, const struct child_end *so_far, int process,
			  const sigset_t *waiting);
	void (*ended)(void *data, const struct child_end *end);
	void *data;
};

/**
 * child_run - run a command and wait for its end
 * @argv:  the command, searched in PATH, and its arguments
 * @end:   filled in on success, also if exec failed
 *
 * signals_begin() describes how signals are handled. The command gets the signal settings of
 * the caller, as they were before signals_ignore().
 *
 * Return: 0; what @calls->attach returned, if the program was not executed because of it; or
 * -errno.
 */
int child_run(char *const argv[], const struct child_calls *calls, struct child_end *end);

/*
 * Compute the exit status that a shell would report for a command. Return: 0 to 255; 0 if it was
 * left alone.
 */
int child_exit_status(const struct child_end *end);

#endif /* PROFIL_CHILD_H */
