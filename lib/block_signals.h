/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_BLOCK_SIGNALS_H
#define PROFIL_BLOCK_SIGNALS_H

#include <signal.h>
#include <stddef.h>

/*
 * Let signals wait while this thread holds a lock: a handler that forks, or calls the
 * library, would wait for this very thread. Those that the thread itself causes do not
 * wait: the kernel kills a thread that causes one while it is blocked. *before: what
 * pthread_sigmask() is to set again.
 */
static inline void profil_block_signals(sigset_t *before)
{
	static const int of_thread[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS };
	sigset_t others;
	size_t i;

	sigfillset(&others);
	for (i = 0; i < sizeof(of_thread) / sizeof(of_thread[0]); i++)
		sigdelset(&others, of_thread[i]);
	pthread_sigmask(SIG_BLOCK, &others, before);
}

#endif /* PROFIL_BLOCK_SIGNALS_H */
