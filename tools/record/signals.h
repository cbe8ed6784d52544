/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_SIGNALS_H
#define PROFIL_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#define SIGNALS_HANDLED	6	/* number of signals that signals_begin() handles */

/**
 * struct signals - the settings before signals_begin()
 * @action: of each handled signal
 */
struct signals {
	struct sigaction action[SIGNALS_HANDLED];
	sigset_t mask;
};

/**
 * signals_ignore - ignore a signal in this process, but not in the command
 * @number: the signal; not one that signals_begin() handles, except SIGUSR1, which is then
 *          ignored outside a run
 */
void signals_ignore(int number);

/**
 * signals_begin - block all signals, and handle them as a run does
 * @old:         set to the present settings
 * @has_command: the run has a command: SIGINT, SIGQUIT, SIGTERM and SIGHUP are forwarded to it, except
 *               for what keys of the terminal send to the command, too. Else these signals request
 *               the end of the run
 *
 * SIGUSR1 requests a snapshot. SIGTERM and SIGHUP stay ignored if they are.
 */
void signals_begin(struct signals *old, bool has_command);

/**
 * signals_allow - unblock the signals that were not blocked before, except those of requests
 * @command: process ID to which signals are forwarded; 0: none
 * @waiting: set to the signals to block while waiting, as for ppoll(2): a request is only
 *           made while waiting
 */
void signals_allow(const struct signals *old, pid_t command, sigset_t *waiting);

/* Block all signals: nothing is forwarded any more. */
void signals_block(void);

/**
 * signals_hold - the run is over: signals that request its end stay pending from now on
 * @others: further signals to block
 */
void signals_hold(const sigset_t *others);

/* Return: the signals that signals_hold() blocks; none before. */
const sigset_t *signals_held(void);

/* Restore the settings, and forget the signals that are held. */
void signals_end(const struct signals *old);

/* Restore also the signals of signals_ignore(), for exec. */
void signals_restore_ignored(void);

/* Return: whether a snapshot was requested since the last call. */
bool signals_take_snapshot_request(void);

/* Return: whether the end of the run was requested. */
bool signals_end_is_requested(void);

#endif /* PROFIL_SIGNALS_H */
