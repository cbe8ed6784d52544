// SPDX-License-Identifier: GPL-2.0-only
/*
 * An unmodified program for the tests of the profil command: three quarters of its CPU time are in
 * spin_much(), one quarter in spin_less().
 *
 * usage: spin [read] SECONDS [exit STATUS | _exit | kill | exec]
 *
 * With "read", it first waits for a byte on standard input.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The same work in two functions, which the compiler must not merge. */
#define SPIN(name)							\
	void __attribute__((noinline, noclone)) name(double until)	\
	{								\
		unsigned long i;					\
									\
		while (cpu_seconds() < until)				\
			for (i = 0; i < 400000; i++)			\
				sink += i;				\
	}

void spin_much(double until);
void spin_less(double until);
SPIN(spin_much)
SPIN(spin_less)

int main(int argc, char **argv)
{
	double seconds, begin;
	const char *end;
	char byte;

	if (argc > 1 && !strcmp(argv[1], "read")) {
		argc--;
		argv++;
		if (read(STDIN_FILENO, &byte, 1) != 1)
			return 1;
	}
	seconds = argc > 1 ? atof(argv[1]) : 1;
	end = argc > 2 ? argv[2] : "exit";
	begin = cpu_seconds();
	spin_much(begin + seconds * 0.75);
	spin_less(begin + seconds);
	if (!strcmp(end, "_exit"))
		_exit(0);
	if (!strcmp(end, "kill"))
		raise(SIGKILL);
	if (!strcmp(end, "exec"))
		execl("/bin/true", "true", NULL);
	return argc > 3 ? atoi(argv[3]) : 0;
}
