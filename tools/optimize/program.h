/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs a program to its end.
 */
#ifndef PROFIL_PROGRAM_H
#define PROFIL_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct program_run - how a program is run, and what came of it
 * @path:   what is executed, as by execvp(3)
 * @argv:   its arguments, from its name on
 * @input:  path of its standard input; NULL: that of this process
 * @output: path of its standard output and standard error, which is truncated; NULL: those of this
 *          process
 * @ends_by_interrupt: SIGINT and SIGQUIT of the terminal are for this program alone: they are a way
 *          to end it
 * @status: out: as from wait(2)
 * @cpu_ns: out: CPU time of it and the processes that it has waited for, in ns
 */
struct program_run {
	const char *path;
	char *const *argv;
	const char *input;
	const char *output;
	bool ends_by_interrupt;
	int status;
	uint64_t cpu_ns;
};

/**
 * program_watch_signals - let signals that end this process end the programs, and come back from
 * program_run(), from now on
 *
 * So that temporary files can be removed. What is ignored, as by nohup(1), stays so. Call it before
 * program_run().
 */
void program_watch_signals(void);

/**
 * program_run - run a program, and wait for its end
 * @run: the program
 *
 * SIGTERM and SIGHUP are sent on to it. A terminal sends SIGINT and SIGQUIT to both.
 *
 * Return: 0; -EINTR: this process got a signal that ends it, now or before; or another -errno: the
 * program was not run.
 */
int program_run(struct program_run *run);

#endif /* PROFIL_PROGRAM_H */
