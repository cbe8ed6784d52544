/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_PROFTIMER_H
#define PROFIL_PROFTIMER_H

#include <signal.h>
#include <stdbool.h>
#include <sys/time.h>

/**
 * struct profil_proftimer - the program's settings of SIGPROF and ITIMER_PROF
 * @timer:   ITIMER_PROF
 * @action:  action of SIGPROF
 * @mask:    signal mask of this thread
 * @pending: a SIGPROF was pending in this thread, and has been removed
 */
struct profil_proftimer {
	struct itimerval timer;
	struct sigaction action;
	sigset_t mask;
	bool pending;
};

/*
 * Save SIGPROF and ITIMER_PROF before the C library arms and disarms them, and restore them
 * afterwards. The timer does not count the CPU time in between, that of a few system calls.
 * Neither function changes errno.
 */
void profil_proftimer_save(struct profil_proftimer *saved);
void profil_proftimer_restore(const struct profil_proftimer *saved);

#endif /* PROFIL_PROFTIMER_H */
