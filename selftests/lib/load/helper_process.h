/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers: processes of other users, which execute requests of the test and return the results. So
 * a test can control several processes line by line. A constructor makes a helper continue after it
 * has executed the program again.
 */
#ifndef SELFTESTS_HELPER_PROCESS_H
#define SELFTESTS_HELPER_PROCESS_H

#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "common.h"
#include "files.h"

#define MAX_REGIONS	4096

enum request {
	START,		/* argument: pages of one region; result: errno */
	START_ON_HIT,	/* the same with PROFIL_PIN_ON_HIT */
	START_REGIONS,	/* argument: number of regions; result: errno */
	STOP,		/* result: the state before */
	STATE,
	FORKS_FOLLOWED,
	FORK_FAILURES,
	PINNED,		/* result: number of pages */
	LOST,		/* argument: samples for which to use CPU time; result: samples lost */
	COUNTED,	/* the same; result: samples counted */
	ERROR,		/* result: status.error */
	FORK,		/* result: 0; the child is another helper */
	END_CHILD,
	FORK_MANY,	/* argument: number of children; result: how many have pages pinned */
	EXEC,		/* result: 0, from the new program */
	SETUID,		/* argument: user; result: errno */
	EXIT,		/* no result */
};

struct message {
	enum request request;
	long argument;
	int generation;		/* 0: for the helper, 1: for its child, ... */
};

/* Special properties of a helper */
#define KEEP_IPC_LOCK	0x1	/* has CAP_IPC_LOCK */
#define KEEP_SETUID	0x2	/* has CAP_SETUID */
#define CONTAINER	0x4	/* root in a user namespace, with all capabilities there */
#define PID_NAMESPACE	0x8

struct helper {
	pid_t pid;
	int socket;
};

/* Sends a request. Returns the result, or -1 if there is none. */
long ask_at(int socket, enum request request, long argument, int generation);

long ask(const struct helper *helper, enum request request, long argument);

long ask_child(const struct helper *helper, enum request request, long argument);

/* Starts a helper. On error, its socket is -1 and errno is set. */
struct helper start_helper(uid_t uid, size_t pages, unsigned int how);

/* Makes the helper exit. Closing its socket is not enough, as later helpers have inherited it. */
void stop_helper(struct helper *helper);

#endif /* SELFTESTS_HELPER_PROCESS_H */
