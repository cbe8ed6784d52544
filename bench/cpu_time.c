// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures the CPU time and the memory of a command.
 *
 *	cpu_time FILE COMMAND [ARGUMENT...]
 *
 * Appends a line to FILE: the CPU time of the command and of the processes that it waited for, in
 * microseconds, and the largest memory of one of them, in KiB. Exits with its status.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void fail(const char *what)
{
	fprintf(stderr, "cpu_time: %s: %s\n", what, strerror(errno));
	exit(125);
}

int main(int argc, char **argv)
{
	struct rusage used;
	int status = 0;
	FILE *file;
	pid_t pid;

	if (argc < 3) {
		fputs("usage: cpu_time FILE COMMAND [ARGUMENT...]\n", stderr);
		return 2;
	}
	pid = fork();
	if (!pid) {
		execvp(argv[2], argv + 2);
		fail(argv[2]);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		fail("fork");
	getrusage(RUSAGE_CHILDREN, &used);
	file = fopen(argv[1], "ae");
	if (!file)
		fail(argv[1]);
	fprintf(file, "%lld %ld\n",
		1000000LL * (used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
		used.ru_utime.tv_usec + used.ru_stime.tv_usec, used.ru_maxrss);
	if (fclose(file))
		fail(argv[1]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
