/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which clock samples a profile: the tick (tick.c) or the timer (timer.c).
 */
#ifndef _PROFIL_CLOCK_H
#define _PROFIL_CLOCK_H

#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/tick.h>
#include <linux/types.h>

#include "compat.h"
#include "config.h"
#include "throttle.h"
#include "session.h"
#include "table.h"

/*
 * Whether it is the timer's on this CPU: always, or because the CPU has no tick to
 * be relied on. Not to be preempted.
 */
static inline bool profil_clock_is_timer(const struct profil_config *config)
{
	return config->clock != PROFIL_CLOCK_TICK ||
	       tick_nohz_full_cpu(smp_processor_id());
}

/**
 * profil_clock_session - whom a clock samples
 * @task:  the current thread of this CPU
 * @timer: the clock is the timer
 *
 * With interrupts off, which keeps the session. A thread that is not profiled costs
 * a look into the table. Return: the session, or NULL.
 */
static __always_inline struct profil_session *
profil_clock_session(struct task_struct *task, bool timer)
{
	const struct mm_struct *mm = task->mm;
	struct profil_session *session;

	if (!mm || task->flags & COMPAT_PF_WORKERS)
		return NULL;
	session = profil_table_find(mm);
	if (!session || profil_clock_is_timer(session->config) != timer ||
	    !profil_session_samples_task(session, task) ||
	    READ_ONCE(session->state) != PROFIL_STATE_RUNNING)
		return NULL;
	return session;
}

/* Whether the timer is needed for it on any CPU. Any context. */
static inline bool profil_clock_needs_timer(const struct profil_config *config)
{
	return config->clock != PROFIL_CLOCK_TICK || tick_nohz_full_enabled();
}

/* The rate that is had: less than asked for if the guard has lowered it. */
static inline u32 profil_clock_rate(const struct profil_config *config)
{
	return config->clock == PROFIL_CLOCK_TICK ? config->rate :
		profil_throttle_rate(&config->throttle, config->rate);
}

/* May sleep. */
int profil_clock_choose(u32 rate, u32 *clock);

#endif /* _PROFIL_CLOCK_H */
