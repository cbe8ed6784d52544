// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who is profiled: the table of sessions, keyed by address space. There is at
 * most one session for each; it is found by the tick without a lock.
 */
#include <linux/hashtable.h>
#include <linux/rculist.h>
#include <linux/spinlock.h>

#include "session.h"
#include "table.h"

#define TABLE_BITS	10

static DEFINE_HASHTABLE(sessions, TABLE_BITS);

/*
 * Serialises writers. A raw lock, held for a few instructions, so that it may be
 * taken in atomic context on PREEMPT_RT too; not in interrupts, which only read.
 */
static DEFINE_RAW_SPINLOCK(sessions_lock);

/**
 * profil_table_may_have - is a closer look worth its cost?
 * @mm: address space
 *
 * Any context. It follows no pointer, so that it needs no RCU. A bucket in which
 * a session stays is at no time empty, whatever is done to its neighbours.
 * Return: false if there is no session of @mm.
 */
bool profil_table_may_have(const struct mm_struct *mm)
{
	unsigned int bucket = hash_min((unsigned long)mm, HASH_BITS(sessions));

	return !hlist_empty(&sessions[bucket]);
}

/**
 * profil_table_find - the session of an address space
 * @mm: address space
 *
 * Any context, also hard interrupts; under rcu_read_lock(). Return: the
 * session, good until rcu_read_unlock() if @mm is current->mm, or NULL.
 */
struct profil_session *profil_table_find(const struct mm_struct *mm)
{
	struct profil_session *session;

	hash_for_each_possible_rcu(sessions, session, node, (unsigned long)mm) {
		if (session->mm == mm)
			return session;
	}
	return NULL;
}

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
	old = profil_table_find(session->mm);
	if (old) {
		profil_session_succeed(session, old);
		/* one store: a tick finds the old one or the new one */
		hlist_replace_rcu(&old->node, &session->node);
	} else {
		hash_add_rcu(sessions, &session->node,
			     (unsigned long)session->mm);
	}
	raw_spin_unlock(&sessions_lock);
	rcu_read_unlock();
	return old;
}

/**
 * profil_table_withdraw - take a session out
 * @mm:   its address space
 * @only: this one and no other; NULL: whichever is there
 *
 * Atomic context, not interrupts. Return: the session, which is the caller's to
 * end; or NULL: it is not there, so somebody else ends it or has done so.
 */
struct profil_session *
profil_table_withdraw(const struct mm_struct *mm,
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
