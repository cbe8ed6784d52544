/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who is profiled: the table of sessions, keyed by address space. There is at
 * most one session for each; it is found by the clocks without a lock.
 */
#ifndef _PROFIL_TABLE_H
#define _PROFIL_TABLE_H

#include <linux/hashtable.h>
#include <linux/mm_types.h>
#include <linux/rculist.h>
#include <linux/sched.h>

#include "clock.h"
#include "compat.h"
#include "session.h"

/*
 * 128 KiB. With 10,000 sessions there are 0.6 in a bucket: each is a cache line that a tick
 * or a switch of somebody else fetches.
 */
#define PROFIL_TABLE_BITS	14

/* Written by table.c only. */
extern struct hlist_head profil_table[1 << PROFIL_TABLE_BITS];

/**
 * profil_table_may_have - is a closer look worth its cost?
 * @mm: address space
 *
 * Any context. It follows no pointer, so that it needs no RCU. A bucket in which
 * a session stays is at no time empty, whatever is done to its neighbours.
 * Return: false if there is no session of @mm.
 */
static __always_inline bool profil_table_may_have(const struct mm_struct *mm)
{
	unsigned int bucket = hash_min((unsigned long)mm, PROFIL_TABLE_BITS);

	return !hlist_empty(&profil_table[bucket]);
}

/**
 * profil_table_find - the session of an address space
 * @mm: address space
 *
 * Any context, also hard interrupts; under rcu_read_lock(), or with interrupts
 * off. Return: the session, good until then if @mm is current->mm, or NULL.
 */
static __always_inline struct profil_session *
profil_table_find(const struct mm_struct *mm)
{
	struct profil_session *session;

	hash_for_each_possible_rcu(profil_table, session, node,
				   (unsigned long)mm) {
		if (session->mm == mm)
			return session;
	}
	return NULL;
}

/**
 * profil_table_find_sampled - the session that a clock samples on this CPU
 * @task:  the current thread of this CPU
 * @timer: the clock is the timer, not the tick
 *
 * With interrupts off, which is an RCU read-side section. For a thread that is not
 * profiled the cost is one lookup. Return: the session, or NULL.
 */
static __always_inline struct profil_session *
profil_table_find_sampled(struct task_struct *task, bool timer)
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

struct profil_session *profil_table_publish(struct profil_session *session);
struct profil_session *
profil_table_unpublish(const struct mm_struct *mm,
		       const struct profil_session *only);

#endif /* _PROFIL_TABLE_H */
