// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Preserves the program's SIGPROF action and ITIMER_PROF while the C library arms its own and is
 * made to disarm them at once.
 *
 * The C library saves the program's timer and action, and restores them when it disarms, but in
 * two steps: in between, the program's action may receive a signal of the C library's timer. The
 * program would take it for a signal of its own timer, or, without a handler, be killed. Therefore:
 *
 * - The program's timer is read and stopped in one step: it raises no signal from then on.
 * - A signal that it raised before and that is pending in this thread is removed, and sent again
 *   at the end.
 * - SIGPROF is ignored when the C library arms its timer, so the C library restores "ignore".
 *   Ignoring a signal discards pending ones in all threads: the last signals of the C library's
 *   timer do not reach the program.
 * - At the end, all is restored, the timer last.
 *
 * This thread blocks SIGPROF until then: otherwise a handler of the program that rearms its timer
 * could run in between, without effect. Other threads need not block it: each signal meets the
 * action of the timer that raised it. Only this is lost: changes that other threads make to SIGPROF
 * and its timer in between, and a SIGPROF that is not raised by a timer.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "gmon/proftimer.h"

static const struct itimerval off;

void profil_proftimer_save(struct profil_proftimer *saved)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	const struct timespec now = { 0 };
	int error = errno;
	sigset_t sigprof;

	sigemptyset(&sigprof);
	sigaddset(&sigprof, SIGPROF);
	pthread_sigmask(SIG_BLOCK, &sigprof, &saved->mask);
	setitimer(ITIMER_PROF, &off, &saved->timer);
	saved->pending = sigtimedwait(&sigprof, NULL, &now) == SIGPROF;
	sigaction(SIGPROF, &ignore, &saved->action);
	errno = error;
}

void profil_proftimer_restore(const struct profil_proftimer *saved)
{
	int error = errno;

	sigaction(SIGPROF, &saved->action, NULL);
	if (saved->pending)
		kill(getpid(), SIGPROF);
	setitimer(ITIMER_PROF, &saved->timer, NULL);
	pthread_sigmask(SIG_SETMASK, &saved->mask, NULL);
	errno = error;
}
