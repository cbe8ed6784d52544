/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_PROFTIMER_H
#define PROFIL_PROFTIMER_H

#include <signal.h>
#include <stdbool.h>
#include <sys/time.h>

/**
 * struct profil_proftimer - what the program has made of SIGPROF and ITIMER_PROF
 * @timer:  the timer
 * @action: of the signal
 * @mask:   signals that this thread blocks
 * @due:    a SIGPROF was waiting, blocked
 */
struct profil_proftimer {
	struct itimerval timer;
	struct sigaction action;
	sigset_t mask;
	bool due;
};

/*
 * Keep SIGPROF and ITIMER_PROF as they are, while the C library arms them and disarms
 * them again, in between: hold, let it do that, release. The CPU time in between, of
 * some system calls, is none of the timer's. Neither changes errno.
 */
void profil_proftimer_hold(struct profil_proftimer *held);
void profil_proftimer_release(const struct profil_proftimer *held);

#endif /* PROFIL_PROFTIMER_H */
