/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_PROGRAM_H
#define PROFIL_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct program_run - how a program is run, and what came of it
 * @path:   what is executed, as by execvp(3); NULL: argv[0]
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

/* Return: the path of a command, as execvp(3) finds it, to free(); NULL: with errno. */
char *program_find(const char *name);

/*
 * Run a program, and wait for its end. If this process ends before it, it gets SIGTERM. Return: 0;
 * or -errno: the program was not run.
 */
int program_run(struct program_run *run);

#endif /* PROFIL_PROGRAM_H */
