/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The profiled command as a child process: start, signals, end, CPU time.
 */
#ifndef PROFIL_CHILD_H
#define PROFIL_CHILD_H

#include <stdint.h>
#include <sys/types.h>

/**
 * struct child_end - how a command ended
 * @pid:        its process ID
 * @exec_error: errno of execvp(), and nothing ran; or 0
 * @status:     as from wait(2)
 * @cpu_ns:     CPU time of all its threads, in ns; without its children
 * @children_cpu_ns: CPU time of the children that it waited for, and those that
 *              these waited for, in ns
 * @start_time_ns:   when it was started, in ns since 1970 UTC
 * @elapsed_ns: from then to its end, in ns
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
 * struct child_watch - what to do while a command runs
 * @interval_ms: how often; 0: never
 * @look:        to call, with the command's process ID
 * @data:        its argument
 * @snapshot:    what to do when SIGUSR1 comes, by how the command is then: it has not ended
 *               and its children's CPU time is not known; NULL: nothing
 * @of:          with that
 */
struct child_watch {
	int interval_ms;
	void (*look)(void *data, pid_t pid);
	void *data;
	void (*snapshot)(void *of, const struct child_end *so_far);
	void *of;
};

/**
 * child_ignore - ignore a signal from now on, but not in the command
 * @number: of the signal. SIGUSR1 may be one: it is ignored then but while child_run()
 *          waits; of the others that child_run() names, none
 */
void child_ignore(int number);

/**
 * child_run - run a command to its end
 * @argv:  the command, looked for in PATH, and its arguments
 * @env:   its environment
 * @watch: what to do while it runs; NULL: nothing
 * @end:   filled in on success, which includes a failed exec
 *
 * While it runs, SIGINT and SIGQUIT are ignored, as the terminal sends them to
 * the command as well, SIGTERM and SIGHUP are passed on to it, and SIGUSR1 is for
 * @watch. It starts
 * with the signal settings that the caller had, before child_ignore() too.
 *
 * Return: 0 or -errno.
 */
int child_run(char *const argv[], char *const env[],
		const struct child_watch *watch, struct child_end *end);

/**
 * child_exit_status - the exit status that stands for a command's end
 * @end: from child_run()
 *
 * Return: what a shell would have in $?: 0 to 255.
 */
int child_exit_status(const struct child_end *end);

#endif /* PROFIL_CHILD_H */
