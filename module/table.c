// SPDX-License-Identifier: GPL-2.0-only
/*
 * Changes to the table of sessions.
 */
#include <linux/hashtable.h>
#include <linux/rculist.h>
#include <linux/spinlock.h>

#include "session.h"
#include "table.h"

DEFINE_HASHTABLE(profil_table, PROFIL_TABLE_BITS);

/*
 * Serialises writers. A raw lock, held for a few instructions, so that it may be
 * taken in atomic context on PREEMPT_RT too; not in interrupts, which only read.
 */
static DEFINE_RAW_SPINLOCK(sessions_lock);

/**
 * profil_table_publish - put a session in
 * @session: complete: ticks use it from here on
 *
 * Atomic context, not interrupts. Return: the session of the same address space
 * that it takes the place of, which is the caller's to end, or NULL.
 */
struct profil_session *profil_table_publish(struct profil_session *session)
{
	struct profil_session *old;

	rcu_read_lock();
	raw_spin_lock(&sessions_lock);
	/*
	 * The caller is not preempted from here on. Else the points of the time that it
	 * is off its CPU would be charged to it: a switch looks only at sessions that
	 * are in the table.
	 */
	profil_session_mark_start(session);
	old = profil_table_find(session->mm);
	if (old) {
		profil_session_inherit(session, old);
		/* one store: a tick finds the old one or the new one */
		hlist_replace_rcu(&old->node, &session->node);
	} else {
		hash_add_rcu(profil_table, &session->node,
			     (unsigned long)session->mm);
	}
	raw_spin_unlock(&sessions_lock);
	rcu_read_unlock();
	return old;
}

/**
 * profil_table_unpublish - take a session out
 * @mm:   its address space
 * @only: this one and no other; NULL: whichever is there
 *
 * Atomic context, not interrupts. Return: the session, which is the caller's to
 * end; or NULL: it is not there, so somebody else ends it or has done so.
 */
struct profil_session *
profil_table_unpublish(const struct mm_struct *mm,
		       const struct profil_session *only)
{
	struct profil_session *session;

	rcu_read_lock();
	raw_spin_lock(&sessions_lock);
	session = profil_table_find(mm);
	if (session && only && session != only)
		session = NULL;
	if (session)
		hash_del_rcu(&session->node);
	raw_spin_unlock(&sessions_lock);
	rcu_read_unlock();
	return session;
}
