// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds sessions whose address space ended without a notifier: the memory of a forked child
 * is watched only from its first sample on (lifecycle.c). While there is such a session, the
 * reaper looks at all sessions once a second. That costs less than a timer for each.
 */
#include <linux/atomic.h>
#include <linux/hashtable.h>
#include <linux/mm_types.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "counters/reaper.h"
#include "counters/session.h"
#include "counters/table.h"

static void reaper_work(struct work_struct *work);

static DECLARE_DELAYED_WORK(reaper, reaper_work);

/* Return: whether a session in the bucket is not watched, and its memory is still in use. */
static bool reaper_look(struct hlist_head *bucket)
{
	struct profil_session *session;
	bool later = false;

	/* a session holds its mm until a grace period after it has left the table */
	rcu_read_lock();
	hlist_for_each_entry_rcu(session, bucket, node) {
		if (READ_ONCE(session->buffer.watched))
			continue;
		if (atomic_read(&session->mm->mm_users))
			later = true;
		else
			profil_session_kick(session);
	}
	rcu_read_unlock();
	return later;
}

static void reaper_work(struct work_struct *work)
{
	bool later = false;
	unsigned int i;

	for (i = 0; i < HASH_SIZE(profil_table); i++) {
		later |= reaper_look(&profil_table[i]);
		cond_resched();
	}
	if (later)
		profil_reaper_start();
}

/* Look for sessions that are not watched, in a second. Any context. */
void profil_reaper_start(void)
{
	schedule_delayed_work(&reaper, HZ);
}

/* No sessions are left. May sleep. */
void profil_reaper_exit(void)
{
	cancel_delayed_work_sync(&reaper);
}
