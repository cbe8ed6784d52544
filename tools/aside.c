// SPDX-License-Identifier: GPL-2.0-only
/*
 * Work that a damaged or changing file may crash, done in a child process.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aside.h"

int aside_run(int (*work)(void *data), void *data, int *killer)
{
	pid_t child, waited;
	int status = 0;

	*killer = 0;
	/* what is there is written once */
	fflush(NULL);
	child = fork();
	if (child < 0)
		return work(data);
	if (!child) {
		status = work(data);
		fflush(NULL);
		_exit(status);
	}
	do {
		waited = waitpid(child, &status, 0);
	} while (waited < 0 && errno == EINTR);
	if (WIFSIGNALED(status))
		*killer = WTERMSIG(status);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}
