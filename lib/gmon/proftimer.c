// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * SIGPROF and ITIMER_PROF stay the program's while the C library, which wants to
 * sample by them, arms them and is made to disarm them at once.
 *
 * It keeps the earlier timer and action, and puts them back when it disarms: but in
 * two steps, between which a signal of its own timer may find the action that the
 * program had. That would be a sample which the program takes for a signal of its own
 * timer, or, if it has no handler, its death. So here:
 *
 * - The timer is taken out first, in one step with reading it. From then on no signal
 *   of the program's own timer arises.
 * - One that arose before and that this thread blocks is taken, and sent again later.
 * - SIGPROF is ignored when the C library arms its timer, so that is what it comes back
 *   to when it disarms. Ignoring a signal discards those that wait, in all threads: the
 *   C library's last ones. None of them reaches the program.
 * - Then all is put back, the timer last.
 *
 * This thread blocks SIGPROF meanwhile: a handler of the program's that sets its timer
 * anew each time would otherwise do so in between, for nothing. Other threads need not:
 * what they get is the program's, in its own handler, or the C library's, in the C
 * library's. Lost is only what they do to SIGPROF and its timer in between, and a SIGPROF
 * that something else than a timer sends.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "gmon/proftimer.h"

static const struct itimerval off;

void profil_proftimer_hold(struct profil_proftimer *held)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	const struct timespec now = { 0 };
	int saved = errno;
	sigset_t sigprof;

	sigemptyset(&sigprof);
	sigaddset(&sigprof, SIGPROF);
	pthread_sigmask(SIG_BLOCK, &sigprof, &held->mask);
	setitimer(ITIMER_PROF, &off, &held->timer);
	held->due = sigtimedwait(&sigprof, NULL, &now) == SIGPROF;
	sigaction(SIGPROF, &ignore, &held->action);
	errno = saved;
}

void profil_proftimer_release(const struct profil_proftimer *held)
{
	int saved = errno;

	sigaction(SIGPROF, &held->action, NULL);
	if (held->due)
		kill(getpid(), SIGPROF);
	setitimer(ITIMER_PROF, &held->timer, NULL);
	pthread_sigmask(SIG_SETMASK, &held->mask, NULL);
	errno = saved;
}
