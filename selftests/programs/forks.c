// SPDX-License-Identifier: GPL-2.0-only
/*
 * An unmodified program for the tests of the profil command. It forks a child, which uses CPU time
 * in spin_child() and then forks the next child, so each child is the parent of the next. Each
 * process waits for its child.
 *
 * usage: forks CHILDREN SECONDS [exit | _exit | kill | clone | exec PROGRAM [ARG...]]
 *
 * Each process uses SECONDS of CPU time. The third argument is how children end. "clone" is like
 * "exit", but children are created by the bare system call, without fork handlers.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spin.h"

SPIN(spin_parent)
SPIN(spin_child)

static pid_t make_child(int bare)
{
	return bare ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();
}

int main(int argc, char **argv)
{
	int children = argc > 1 ? atoi(argv[1]) : 1;
	double seconds = argc > 2 ? atof(argv[2]) : 1;
	const char *end = argc > 3 ? argv[3] : "exit";
	int is_child = 0, status = 0;

	while (children--) {
		pid_t pid = make_child(!strcmp(end, "clone"));

		if (pid < 0)
			return 1;
		if (pid)
			break;
		is_child = 1;
		spin_child(cpu_seconds() + seconds);
	}
	if (!is_child)
		spin_parent(cpu_seconds() + seconds);
	/* the last child has no child */
	if (wait(&status) > 0 && status && strcmp(end, "kill"))
		return 1;
	if (is_child && !strcmp(end, "kill"))
		raise(SIGKILL);
	if (is_child && !strcmp(end, "_exit"))
		_exit(0);
	if (is_child && !strcmp(end, "exec")) {
		execv(argv[4], argv + 4);
		return 127;
	}
	return 0;
}
