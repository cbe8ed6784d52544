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
#include <unistd.h>

#include "spin.h"

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
