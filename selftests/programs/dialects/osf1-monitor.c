/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * monstartup(), moncontrol() and monitor() of OSF/1; compiled with -p, linked without. With
 * "again", a second profile by monitor(), with a buffer that has no call counts.
 *
 * usage: osf1-monitor [again]
 */
#include <mon.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

#define INSTRUCTION	4

void unseen()
{
	int i;

	for (i = 0; i < 4 * LOOPS; i++)
		sum += i;
}

/* A child of vfork() is another process, which has no profile. */
void change_in_borrower()
{
	int status = -1, pid = vfork();

	if (pid == 0)
		_exit(moncontrol(0) || moncontrol(1) || monitor((char *)0, (char *)0, (char *)0, 0, 0) ||
		      monstartup(&__executable_start, (char *)etext));
	waitpid(pid, &status, 0);
	check("calls of a child of vfork()", status, 0);
}

int main(argc, argv)
	int argc;
	char **argv;
{
	char *buffer;
	size_t size;
	int i;

	check("moncontrol before all", moncontrol(1), 0);
	check("end before all", monitor((char *)0, (char *)0, (char *)0, 0, 0), 0);
	check("empty range", monitor((char *)main, (char *)main, (char *)0, 0, 0), -1);
	check("monstartup", monstartup(&__executable_start, (char *)etext), 0);
	work(ROUNDS / 2);
	check("moncontrol off", moncontrol(0), 1);
	for (i = 0; i < ROUNDS; i++)
		unseen();
	check("moncontrol off again", moncontrol(0), 0);
	check("moncontrol on", moncontrol(1), 0);
	check("moncontrol on again", moncontrol(1), 1);
	change_in_borrower();
	check("moncontrol after vfork", moncontrol(1), 1);
	work(ROUNDS / 2);
	check("end", monitor((char *)0, (char *)0, (char *)0, 0, 0), 0);
	check("moncontrol after the end", moncontrol(1), 0);
	unseen();
	if (argc > 1) {
		printf("again\n");
		size = ((char *)finish - (char *)much) / INSTRUCTION * sizeof(short);
		buffer = calloc(size, 1);
		check("monitor", monitor((char *)much, (char *)finish, buffer, size, 0), 0);
		work(ROUNDS);
		check("end", monitor((char *)0, (char *)0, (char *)0, 0, 0), 0);
	}
	exit(0);
}
