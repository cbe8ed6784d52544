/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_GUARD_H
#define PROFIL_GUARD_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * A mutex for functions that signal handlers call, and that any thread calls while another one
 * forks. Inline, because the dialect libraries cannot call hidden functions of libprofil.
 *
 * The thread that holds it receives no signal: a handler that calls the library again, or forks,
 * would wait for its own thread. It cannot be cancelled: nobody else would unlock the mutex.
 *
 * fork() waits until no thread holds it, so that the child finds it free and what it protects
 * complete. Its owner registers fork handlers: profil_guard_before_fork() and _after_fork(), the
 * latter in parent and child. A child of _Fork() or clone(2) gets neither.
 */
struct profil_guard {
	pthread_mutex_t mutex;
	sigset_t forking;	/* mask of the thread that forks; protected by the mutex */
	int cancel_forking;	/* cancel state of that thread; likewise */
};

#define PROFIL_GUARD_INIT	{ .mutex = PTHREAD_MUTEX_INITIALIZER }

/* What a thread gets back when it leaves */
struct profil_guard_before {
	sigset_t signals;
	int cancel;
};

/*
 * These signals stay unblocked: if a thread causes one that it blocks, the kernel kills the
 * process. SIGSEGV is blocked nevertheless: the kernel also sends it to a process, for
 * PROFIL_FAULT_SIGNAL, within the very call that finds the fault. So code in a guard reads and
 * writes only memory that the caller has been able to access.
 */
static inline void profil_guard_enter(struct profil_guard *guard,
				      struct profil_guard_before *before)
{
	static const int synchronous[] = { SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS };
	sigset_t others;
	size_t i;

	sigfillset(&others);
	for (i = 0; i < sizeof(synchronous) / sizeof(synchronous[0]); i++)
		sigdelset(&others, synchronous[i]);
	pthread_sigmask(SIG_BLOCK, &others, &before->signals);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before->cancel);
	pthread_mutex_lock(&guard->mutex);
}

/* The signals last: a handler that runs then may never return. */
static inline void profil_guard_leave(struct profil_guard *guard,
				      const struct profil_guard_before *before)
{
	pthread_mutex_unlock(&guard->mutex);
	pthread_setcancelstate(before->cancel, NULL);
	pthread_sigmask(SIG_SETMASK, &before->signals, NULL);
}

static inline void profil_guard_before_fork(struct profil_guard *guard)
{
	struct profil_guard_before before;

	profil_guard_enter(guard, &before);
	guard->forking = before.signals;
	guard->cancel_forking = before.cancel;
}

static inline void profil_guard_after_fork(struct profil_guard *guard)
{
	const struct profil_guard_before before = {
		.signals = guard->forking,
		.cancel = guard->cancel_forking,
	};

	profil_guard_leave(guard, &before);
}

/*
 * The guards of libprofil, in the order in which they are taken. fork_guards.c has their fork
 * handlers.
 */
extern struct profil_guard profil_guard_state;	/* what a function remembers of earlier calls */
extern struct profil_guard profil_guard_device;	/* the descriptor of the device */
extern struct profil_guard profil_guard_timer;	/* timer.c */

/*
 * False in a child of vfork(), which shares memory but has its own descriptor table; also in a
 * child of _Fork().
 */
bool profil_guard_is_own_process(void);

/*
 * Register what happens to the locks at a fork. The library does so when it is loaded; who
 * registers handlers before that calls it first.
 */
void profil_guard_watch_forks(void);

#endif /* PROFIL_GUARD_H */
