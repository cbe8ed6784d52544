/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Workers: processes of other users than the test's own, which do what they are
 * asked to, and answer. So a test can say in one line after the other what
 * happens in several processes. For one program only: it defines a constructor.
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
	START,		/* argument: pages, of one region; answer: errno */
	START_ON_HIT,	/* the same with PROFIL_PIN_ON_HIT */
	START_REGIONS,	/* argument: regions */
	STOP,		/* answer: the state that was ended */
	STATE,
	FORKS,		/* answer: status.forks_followed */
	DENIED,		/* answer: status.fork_failures */
	PINNED,		/* answer: pages pinned */
	LOST,		/* argument: ms of CPU time to use; answer: samples lost */
	COUNTED,	/* the same, answer: samples counted */
	ERROR,		/* answer: status.error */
	FORK,		/* answer: 0; the child is another worker */
	END_CHILD,
	FORK_MANY,	/* argument: children; answer: how many have pages pinned */
	EXEC,		/* answer: 0, from the new program */
	SETUID,		/* argument: user; answer: errno */
	EXIT,		/* no answer */
};

struct message {
	enum request request;
	long argument;
	int generation;		/* 0: to him, 1: to his child, ... */
};

/* How a worker differs from any process of his user. */
#define KEEP_IPC_LOCK	0x1	/* has CAP_IPC_LOCK */
#define KEEP_SETUID	0x2	/* has CAP_SETUID */
#define CONTAINER	0x4	/* root, with all of root's rights, in a user namespace */
#define PID_NAMESPACE	0x8

struct helper {
	pid_t pid;
	int socket;
};

/* Return: the answer, or -1 if there is none. */
long ask_at(int socket, enum request request, long argument, int generation);

long ask(const struct helper *worker, enum request request, long argument);

long ask_child(const struct helper *worker, enum request request, long argument);

/* ... and here the tests. Return: a worker; without a socket, errno is why. */
struct helper start_helper(uid_t uid, size_t pages, unsigned int how);

/* Not by closing the socket: workers hired later have it too. */
void stop_helper(struct helper *worker);

#endif /* SELFTESTS_HELPER_PROCESS_H */
