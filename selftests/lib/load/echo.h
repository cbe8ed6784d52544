/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A process that answers each byte, so that asking it switches to another process, and back. It
 * ends with its parent.
 */
#ifndef SELFTESTS_ECHO_H
#define SELFTESTS_ECHO_H

#include <stdbool.h>
#include <sys/types.h>

struct echo {
	pid_t pid;
	int to;
	int from;
};

/* Returns 0 or an errno. */
int start_echo(struct echo *echo);

/* Returns whether it has answered. */
bool ask_echo(const struct echo *echo);

/* Does nothing if it was not started: all is 0. */
void end_echo(struct echo *echo);

#endif /* SELFTESTS_ECHO_H */
