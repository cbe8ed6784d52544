// SPDX-License-Identifier: GPL-2.0-only
/*
 * Running a function in a child process, where a crash does no harm.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/isolated.h"

int isolated_run(int (*work)(void *data), void *data, int *killer)
{
	const struct sigaction default_action = { .sa_handler = SIG_DFL };
	struct sigaction before;
	pid_t child, waited;
	int status = 0;

	*killer = 0;
	/* while SIGCHLD is ignored, there is no zombie for waitpid() */
	sigaction(SIGCHLD, &default_action, &before);
	/* otherwise the child would write buffered text a second time */
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
