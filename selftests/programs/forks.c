// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that knows nothing of profiling, for the tests of the profil
 * command: it forks a child, which uses CPU time in a function of its own and
 * then forks the next, so that all but the first are children of children. Each
 * waits for the one that it forked.
 *
 * usage: forks CHILDREN SECONDS [exit | _exit | kill | clone | exec PROGRAM [ARG...]]
 *
 * SECONDS are the program's and each child's. The word says how children end;
 * clone: as exit, but they are made by the bare system call, which tells nobody.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The same work in two functions, which no compiler may make one. */
#define SPIN(name)							\
	void __attribute__((noinline, noclone)) name(double seconds)	\
	{								\
		double until = cpu_seconds() + seconds;			\
		unsigned long i;					\
									\
		while (cpu_seconds() < until)				\
			for (i = 0; i < 400000; i++)			\
				sink += i;				\
	}

void spin_parent(double seconds);
void spin_child(double seconds);
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
		spin_child(seconds);
	}
	if (!is_child)
		spin_parent(seconds);
	/* the last one has nobody to wait for */
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
