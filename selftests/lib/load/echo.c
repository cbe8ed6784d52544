// SPDX-License-Identifier: GPL-2.0-only
#include <signal.h>
#include <sys/prctl.h>

#include "child.h"
#include "common.h"
#include "load/echo.h"

static void answer(int from, int to)
{
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(from, &byte, 1) == 1 && write(to, &byte, 1) == 1)
		;
	_exit(0);
}

int start_echo(struct echo *echo)
{
	int to[2], from[2];

	if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
		return errno;
	echo->pid = fork();
	if (!echo->pid) {
		close(to[1]);
		close(from[0]);
		answer(to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	echo->to = to[1];
	echo->from = from[0];
	return echo->pid < 0 ? errno : 0;
}

bool ask_echo(const struct echo *echo)
{
	char byte = 0;

	return write(echo->to, &byte, 1) == 1 && read(echo->from, &byte, 1) == 1;
}

void end_echo(struct echo *echo)
{
	if (echo->pid <= 0)
		return;
	close(echo->to);
	close(echo->from);
	wait_for(echo->pid);
}
