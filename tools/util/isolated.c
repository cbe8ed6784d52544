// SPDX-License-Identifier: GPL-2.0-only
/*
 * Work that a damaged or changing file may crash, done in a child process.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/isolated.h"

int isolated_run(int (*work)(void *data), void *data, int *killer)
{
	const struct sigaction waited_for = { .sa_handler = SIG_DFL };
	struct sigaction before;
	pid_t child, waited;
	int status = 0;

	*killer = 0;
	/* of a parent that ignored it, children leave nothing to wait for */
	sigaction(SIGCHLD, &waited_for, &before);
	/* what is there is written once */
	fflush(NULL);
	child = fork();
	if (child < 0) {
		sigaction(SIGCHLD, &before, NULL);
		return work(data);
	}
	if (!child) {
		status = work(data);
		fflush(NULL);
		_exit(status);
	}
	do {
		waited = waitpid(child, &status, 0);
	} while (waited < 0 && errno == EINTR);
	sigaction(SIGCHLD, &before, NULL);
	if (waited < 0)
		return EIO;
	if (WIFSIGNALED(status))
		*killer = WTERMSIG(status);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}
