// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A sampler for where the kernel cannot be: the handler of a timer's signal counts, as profil() of
 * the C libraries does. Theirs may write to a buffer that another thread has just replaced.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>

#include "guard.h"
#include "timer.h"

#define INTERVAL_US	10000

/* Written with profil_guard_timer held, while @counting is false and @handlers is 0. */
static struct {
	unsigned short *counters;
	size_t nr;
	uintptr_t offset;
	unsigned int scale;
} histogram;

static atomic_bool counting;
static atomic_uint handlers;	/* in progress; each first counts itself, then reads @counting */

/* What the program had, if the timer is ours; likewise with the lock held */
static bool has_timer;
static struct sigaction before_action;
static struct itimerval before_timer;

static uintptr_t pc_of(const ucontext_t *context)
{
#if defined(__x86_64__)
	return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__i386__)
	return (uintptr_t)context->uc_mcontext.gregs[REG_EIP];
#elif defined(__aarch64__)
	return context->uc_mcontext.pc;
#elif defined(__riscv)
	return context->uc_mcontext.__gregs[REG_PC];
#else
#error "the program counter of this machine's ucontext_t is not known"
#endif
}

/* All signals are blocked: so no handler calls the library from here, and waits for itself. */
static void count(int signal, siginfo_t *info, void *context)
{
	unsigned long long i;

	(void)signal;
	(void)info;
	atomic_fetch_add(&handlers, 1);
	if (atomic_load(&counting)) {
		i = (pc_of(context) - histogram.offset) / 2;
		/* i * scale / 65536, without overflow */
		i = i / 65536 * histogram.scale + i % 65536 * histogram.scale / 65536;
		if (i < histogram.nr)
			__atomic_fetch_add(&histogram.counters[i], 1, __ATOMIC_RELAXED);
	}
	atomic_fetch_sub(&handlers, 1);
}

static void take_timer(void)
{
	const struct timeval interval = { .tv_usec = INTERVAL_US };
	const struct itimerval timer = { .it_interval = interval, .it_value = interval };
	struct sigaction action = { .sa_sigaction = count, .sa_flags = SA_SIGINFO | SA_RESTART };

	if (!has_timer) {
		sigfillset(&action.sa_mask);
		sigaction(SIGPROF, &action, &before_action);
		getitimer(ITIMER_PROF, &before_timer);
		has_timer = true;
	}
	/* a forked child has the handler of its parent, and no timer */
	setitimer(ITIMER_PROF, &timer, NULL);
}

/*
 * The timer may have expired while its signal was blocked, by a guard or by the program. The signal
 * would end the process as soon as it is unblocked.
 */
static void return_timer(void)
{
	const struct itimerval none = { .it_value = { 0 } };
	const struct timespec no_time = { 0 };
	sigset_t timer;

	if (!has_timer)
		return;
	setitimer(ITIMER_PROF, &none, NULL);
	sigemptyset(&timer);
	sigaddset(&timer, SIGPROF);
	sigtimedwait(&timer, NULL, &no_time);
	sigaction(SIGPROF, &before_action, NULL);
	setitimer(ITIMER_PROF, &before_timer, NULL);
	has_timer = false;
}

static void wait_for_handlers(void)
{
	/* not sched_yield(): a thread of lower priority would not run */
	const struct timespec moment = { .tv_nsec = 50000 };

	atomic_store(&counting, false);
	while (atomic_load(&handlers))
		nanosleep(&moment, NULL);
}

void profil_timer_count(unsigned short *buf, size_t bufsiz, size_t offset, unsigned int scale)
{
	struct profil_guard_before before;
	const int saved = errno;

	if (!profil_guard_is_own_process())
		return;
	profil_guard_enter(&profil_guard_timer, &before);
	wait_for_handlers();
	if (buf) {
		histogram.counters = buf;
		histogram.nr = bufsiz / sizeof(*buf);
		histogram.offset = offset;
		histogram.scale = scale;
		atomic_store(&counting, true);
		take_timer();
	} else {
		return_timer();
	}
	profil_guard_leave(&profil_guard_timer, &before);
	errno = saved;
}

void profil_timer_forked(void)
{
	atomic_store(&handlers, 0);
}
