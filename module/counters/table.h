/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of sessions, by address space. An address space has at most one session. The
 * clocks find it without a lock. litmus: table-publish, target-free
 */
#ifndef _PROFIL_TABLE_H
#define _PROFIL_TABLE_H

#include <linux/hashtable.h>
#include <linux/mm_types.h>
#include <linux/rculist.h>
#include <linux/sched.h>

#include "clock/clock.h"
#include "compat.h"
#include "counters/session.h"

/*
 * 128 KiB. With 10,000 sessions a bucket has 0.6 on average. Each of them is a cache line
 * that ticks and switches of other processes fetch.
 */
#define PROFIL_TABLE_BITS	14

/* Written by table.c only. */
extern struct hlist_head profil_table[1 << PROFIL_TABLE_BITS];

/**
 * profil_table_may_have - whether an address space may have a session
 * @mm: address space
 *
 * Any context. It follows no pointer, so it needs no RCU. A bucket is never empty while a
 * session stays in it, even if its neighbours are added or removed.
 *
 * Return: false if @mm has no session.
 */
static __always_inline bool profil_table_may_have(const struct mm_struct *mm)
{
	unsigned int bucket = hash_min((unsigned long)mm, PROFIL_TABLE_BITS);

	return !hlist_empty(&profil_table[bucket]);
}

/**
 * profil_table_find - find the session of an address space
 * @mm: address space
 *
 * Any context, also hard interrupts; under rcu_read_lock() or with interrupts off.
 *
 * Return: the session, or NULL. It is valid until the read-side section ends.
 */
static __always_inline struct profil_session *
profil_table_find(const struct mm_struct *mm)
{
	struct profil_session *session;

	hash_for_each_possible_rcu(profil_table, session, node, (unsigned long)mm) {
		if (session->mm == mm)
			return session;
	}
	return NULL;
}

/**
 * profil_table_find_sampled - find the session that a clock samples on this CPU
 * @task:  the current thread of this CPU
 * @timer: the clock is the timer, not the tick
 *
 * With interrupts off, which is an RCU read-side section. A thread that is not profiled
 * costs one lookup.
 *
 * Return: the session, or NULL.
 */
static __always_inline struct profil_session *
profil_table_find_sampled(struct task_struct *task, bool timer)
{
	const struct mm_struct *mm = task->mm;
	struct profil_session *session;

	if (!mm || task->flags & COMPAT_PF_WORKERS)
		return NULL;
	session = profil_table_find(mm);
	if (!session || profil_clock_is_timer(session->subject.pace) != timer ||
	    !profil_session_samples_task(session, task) ||
	    READ_ONCE(session->state) != PROFIL_STATE_RUNNING)
		return NULL;
	return session;
}

/* Do not sleep; not in interrupts. */
struct profil_session *profil_table_publish(struct profil_session *session);
bool profil_table_unpublish(struct profil_session *session);

#endif /* _PROFIL_TABLE_H */
