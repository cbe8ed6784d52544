// SPDX-License-Identifier: GPL-2.0-only
/*
 * The signals that this process gets during a run.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "record/signals.h"

/* Written only while all signals are blocked */
static volatile pid_t forward_to;

static void forward(int number)
{
	int saved = errno;

	kill(forward_to, number);
	errno = saved;
}

static volatile sig_atomic_t snapshot_requested, end_requested;

static void request_snapshot(int number)
{
	(void)number;
	snapshot_requested = 1;
}

static void request_end(int number)
{
	(void)number;
	end_requested = 1;
}

/*
 * SIGCHLD is set because it may be ignored from exec on: children would leave no zombie.
 * SIG_ERR: not handled
 */
static const struct {
	int number;
	void (*with_command)(int number);
	void (*alone)(int number);
} signals[SIGNALS_HANDLED] = {
	{ SIGINT, SIG_IGN, request_end },
	{ SIGQUIT, SIG_IGN, SIG_ERR },
	{ SIGTERM, forward, request_end },
	{ SIGHUP, forward, request_end },
	{ SIGUSR1, request_snapshot, request_snapshot },
	{ SIGCHLD, SIG_DFL, SIG_DFL },
};

void signals_block(void)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
}

void signals_begin(struct signals *old, bool has_command)
{
	struct sigaction action = { .sa_flags = SA_RESTART };
	size_t i;

	sigprocmask(SIG_BLOCK, NULL, &old->mask);
	signals_block();
	snapshot_requested = 0;
	end_requested = 0;
	sigemptyset(&action.sa_mask);
	for (i = 0; i < SIGNALS_HANDLED; i++) {
		action.sa_handler = has_command ? signals[i].with_command : signals[i].alone;
		sigaction(signals[i].number, NULL, &old->action[i]);
		/* if nohup(1) made this process ignore it, the run must survive it */
		if (signals[i].with_command == forward && old->action[i].sa_handler == SIG_IGN)
			continue;
		if (action.sa_handler == SIG_ERR)
			continue;
		sigaction(signals[i].number, &action, NULL);
	}
}

void signals_allow(const struct signals *old, pid_t command, sigset_t *waiting)
{
	sigset_t mask = old->mask;
	size_t i;

	forward_to = command;
	*waiting = old->mask;
	sigdelset(waiting, SIGUSR1);
	for (i = 0; i < SIGNALS_HANDLED; i++)
		if (signals[i].number == SIGUSR1 || !command)
			sigaddset(&mask, signals[i].number);
	sigprocmask(SIG_SETMASK, &mask, NULL);
}

void signals_end(const struct signals *old)
{
	size_t i;

	for (i = 0; i < SIGNALS_HANDLED; i++)
		sigaction(signals[i].number, &old->action[i], NULL);
	sigprocmask(SIG_SETMASK, &old->mask, NULL);
}

/* Signals that signals_ignore() ignores, and that were not ignored before */
static sigset_t ignored;

void signals_ignore(int number)
{
	if (signal(number, SIG_IGN) != SIG_IGN)
		sigaddset(&ignored, number);
}

/* exec resets handlers, so only signals that are still ignored must be restored. */
void signals_restore_ignored(void)
{
	int number;

	for (number = 1; number < NSIG; number++)
		if (sigismember(&ignored, number) == 1)
			signal(number, SIG_DFL);
}

bool signals_take_snapshot_request(void)
{
	bool is_requested = snapshot_requested;

	snapshot_requested = 0;
	return is_requested;
}

bool signals_end_is_requested(void)
{
	return end_requested;
}
