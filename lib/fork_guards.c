// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The locks of libprofil, and what happens to them when the process forks: see guard.h.
 */
#include <pthread.h>
#include <sys/types.h>
#include <unistd.h>

#include "guard.h"
#include "timer.h"

struct profil_guard profil_guard_state = PROFIL_GUARD_INIT;
struct profil_guard profil_guard_device = PROFIL_GUARD_INIT;
struct profil_guard profil_guard_timer = PROFIL_GUARD_INIT;

/* The process that this memory belongs to. Written while no other thread runs. */
static pid_t process;

bool profil_guard_is_own_process(void)
{
	return process == getpid();
}

/* In the order in which calls take them */
static void before_fork(void)
{
	profil_guard_before_fork(&profil_guard_state);
	profil_guard_before_fork(&profil_guard_device);
	profil_guard_before_fork(&profil_guard_timer);
}

static void after_fork(void)
{
	profil_guard_after_fork(&profil_guard_timer);
	profil_guard_after_fork(&profil_guard_device);
	profil_guard_after_fork(&profil_guard_state);
}

static void in_child(void)
{
	process = getpid();
	profil_timer_forked();
	after_fork();
}

void profil_guard_watch_forks(void)
{
	static bool registered;

	if (registered)
		return;
	registered = true;
	process = getpid();
	pthread_atfork(before_fork, after_fork, in_child);
}

/*
 * Priority 101: before constructors without a priority, which may start a profile, and before the
 * library monitor/ registers its handlers. Those that were registered last run first before a
 * fork, so a fork takes the lock of monitor/ before these, as calls do.
 */
static void __attribute__((constructor(101))) register_fork_handlers(void)
{
	profil_guard_watch_forks();
}
