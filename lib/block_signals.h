/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_BLOCK_SIGNALS_H
#define PROFIL_BLOCK_SIGNALS_H

#include <signal.h>
#include <stddef.h>

/*
 * Block signals while this thread holds a lock: a handler that forks or calls the library would
 * deadlock. Synchronous signals stay unblocked: if a thread causes one that it blocks, the kernel
 * kills the process. *before receives the mask to restore by pthread_sigmask().
 */
static inline void profil_block_signals(sigset_t *before)
{
	static const int synchronous[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS };
	sigset_t others;
	size_t i;

	sigfillset(&others);
	for (i = 0; i < sizeof(synchronous) / sizeof(synchronous[0]); i++)
		sigdelset(&others, synchronous[i]);
	pthread_sigmask(SIG_BLOCK, &others, before);
}

#endif /* PROFIL_BLOCK_SIGNALS_H */
