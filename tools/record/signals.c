// SPDX-License-Identifier: GPL-2.0-only
/*
 * The signals that this process gets during a run.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "record/signals.h"

/* Written only while all signals are blocked */
static volatile pid_t forward_to;

/* A key of the terminal has sent the signal to the command, too. */
static bool is_of_terminal(int number, const siginfo_t *info)
{
	return (number == SIGINT || number == SIGQUIT) && info->si_code > 0;
}

static void forward(int number, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)context;
	if (!is_of_terminal(number, info))
		kill(forward_to, number);
	errno = saved;
}

static volatile sig_atomic_t snapshot_requested, end_requested;

static void request_snapshot(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
	snapshot_requested = 1;
}

static void request_end(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
	end_requested = 1;
}

typedef void handler_fn(int number, siginfo_t *info, void *context);

/*
 * SIGCHLD is set because it may be ignored from exec on: children would leave no zombie.
 * NULL: the default action
 */
static const struct {
	int number;
	handler_fn *with_command;
	handler_fn *alone;
} signals[SIGNALS_HANDLED] = {
	{ SIGINT, forward, request_end },
	{ SIGQUIT, forward, request_end },
	{ SIGTERM, forward, request_end },
	{ SIGHUP, forward, request_end },
	{ SIGUSR1, request_snapshot, request_snapshot },
	{ SIGCHLD, NULL, NULL },
};

/* Those that request an end, once signals_hold() was called */
static sigset_t held;

void signals_block(void)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
}

void signals_begin(struct signals *old, bool has_command)
{
	struct sigaction action = { .sa_flags = SA_RESTART | SA_SIGINFO };
	size_t i;

	sigprocmask(SIG_BLOCK, NULL, &old->mask);
	signals_block();
	snapshot_requested = 0;
	end_requested = 0;
	sigemptyset(&action.sa_mask);
	for (i = 0; i < SIGNALS_HANDLED; i++) {
		handler_fn *handler = has_command ? signals[i].with_command : signals[i].alone;

		sigaction(signals[i].number, NULL, &old->action[i]);
		/* if nohup(1) made this process ignore it, the run must survive it */
		if ((signals[i].number == SIGTERM || signals[i].number == SIGHUP) &&
		    old->action[i].sa_handler == SIG_IGN)
			continue;
		if (handler)
			action.sa_sigaction = handler;
		else
			action.sa_handler = SIG_DFL;
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

void signals_hold(const sigset_t *others)
{
	sigset_t mask = *others;
	struct sigaction action;
	size_t i;

	sigemptyset(&held);
	for (i = 0; i < SIGNALS_HANDLED; i++) {
		sigaction(signals[i].number, NULL, &action);
		if (signals[i].alone != request_end || action.sa_handler == SIG_IGN)
			continue;
		sigaddset(&held, signals[i].number);
		sigaddset(&mask, signals[i].number);
	}
	sigprocmask(SIG_SETMASK, &mask, NULL);
}

const sigset_t *signals_held(void)
{
	return &held;
}

void signals_end(const struct signals *old)
{
	const struct timespec now = { 0 };
	size_t i;

	/* what has been held has had its effect */
	while (sigtimedwait(&held, NULL, &now) > 0)
		;
	sigemptyset(&held);
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
