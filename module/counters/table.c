// SPDX-License-Identifier: GPL-2.0-only
/*
 * Changes to the table of sessions, as they start and end. table.h has the lookups.
 */
#include <linux/hashtable.h>
#include <linux/rculist.h>
#include <linux/spinlock.h>

#include "counters/session.h"
#include "counters/table.h"

DEFINE_HASHTABLE(profil_table, PROFIL_TABLE_BITS);

/*
 * Serializes writers. Raw, so that it may be taken in atomic context on PREEMPT_RT too. Held
 * for a few instructions. Not taken in interrupts: they only read the table.
 */
static DEFINE_RAW_SPINLOCK(sessions_lock);

/**
 * profil_table_publish - put a session into the table
 * @session: complete: the clocks use it from here on
 *
 * Does not sleep; not in interrupts.
 *
 * Return: the session of the same address space that it replaces, which the caller must end,
 * or NULL.
 */
struct profil_session *profil_table_publish(struct profil_session *session)
{
	struct profil_session *old;

	rcu_read_lock();
	raw_spin_lock(&sessions_lock);
	/*
	 * With the lock held, the caller cannot be preempted between this and its entry in
	 * the table. Otherwise it would be charged for points while it is off its CPU: a
	 * switch ignores sessions that are not yet in the table.
	 */
	profil_subject_mark_start(&session->subject);
	old = profil_table_find(session->mm);
	if (old) {
		profil_session_inherit(session, old);
		/* a single store: a clock finds the old session or the new one */
		hlist_replace_rcu(&old->node, &session->node);
	} else {
		hash_add_rcu(profil_table, &session->node, (unsigned long)session->mm);
	}
	raw_spin_unlock(&sessions_lock);
	rcu_read_unlock();
	return old;
}

/**
 * profil_table_unpublish - remove a session from the table
 * @session: session
 *
 * Does not sleep; not in interrupts.
 *
 * Return: whether the caller must end it. If it is not there, another caller ends it or has ended
 * it.
 */
bool profil_table_unpublish(struct profil_session *session)
{
	bool found;

	rcu_read_lock();
	raw_spin_lock(&sessions_lock);
	found = profil_table_find(session->mm) == session;
	if (found)
		hash_del_rcu(&session->node);
	raw_spin_unlock(&sessions_lock);
	rcu_read_unlock();
	return found;
}
