// SPDX-License-Identifier: GPL-2.0-only
/*
 * Spare sessions: fork.c needs a session for the child in atomic context, where PREEMPT_RT
 * cannot allocate memory. So one is allocated earlier in the same fork, when the kernel
 * write-protects the parent's memory.
 *
 * There is no spare if there was no memory for it, or if the memory of the forking process
 * is not watched yet. Then, without PREEMPT_RT, the session is allocated in the tracepoint's
 * probe. With PREEMPT_RT, it comes from a small reserve, which a work item refills. If many
 * processes fork before the work item runs, the reserve is empty and a child is not followed.
 */
#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "config.h"
#include "pending.h"
#include "reserve.h"
#include "session.h"
#include "spare.h"

/*
 * Limit for one session's spares, because the list is searched with interrupts off. Not
 * exact: several threads may add a spare at once. A thread that finds the list full gets no
 * spare.
 */
#define MAX_SPARES	64

/**
 * profil_spare_prepare - have a spare session ready for a fork of this thread
 * @session: of current->mm
 *
 * Called for each mapping that fork copies, so more than once for one fork. The fork may
 * still fail: then the spare stays for the thread's next fork. A thread has at most one.
 * Without memory there is no spare.
 */
void profil_spare_prepare(struct profil_session *session)
{
	/* not GFP_KERNEL: reclaim would call notifiers again */
	const gfp_t gfp = GFP_NOWAIT | __GFP_NOWARN | __GFP_ACCOUNT;
	struct profil_session *spare;
	unsigned int nr = 0;
	unsigned long flags;

	if (READ_ONCE(session->unpublished) ||
	    READ_ONCE(session->state) != PROFIL_STATE_RUNNING)
		return;
	raw_spin_lock_irqsave(&session->spares_lock, flags);
	hlist_for_each_entry(spare, &session->spares, node) {
		nr++;
		if (spare->spare_for == current)
			break;
	}
	raw_spin_unlock_irqrestore(&session->spares_lock, flags);
	if (spare || nr >= MAX_SPARES)
		return;

	spare = profil_session_alloc(gfp);
	if (!spare)
		return;
	profil_pending_grow(&spare->pending,
			    profil_pending_want(session->config->rate, 1), gfp);
	spare->spare_for = current;
	raw_spin_lock_irqsave(&session->spares_lock, flags);
	hlist_add_head(&spare->node, &session->spares);
	raw_spin_unlock_irqrestore(&session->spares_lock, flags);
}

static struct hlist_node *spare_alloc(void)
{
	struct profil_session *spare = profil_session_alloc(GFP_NOWAIT | __GFP_NOWARN);

	return spare ? &spare->node : NULL;
}

static void spare_free(struct hlist_node *node)
{
	profil_session_free(hlist_entry(node, struct profil_session, node));
}

static struct profil_reserve reserve = {
	.lock = __RAW_SPIN_LOCK_UNLOCKED(reserve.lock),
	.size = 16,
	.alloc = spare_alloc,
	.free = spare_free,
	.work = __WORK_INITIALIZER(reserve.work, profil_reserve_work),
};

/* Process context. Without memory, the reserve stays smaller. */
void profil_spare_fill_reserve(void)
{
	profil_reserve_fill(&reserve);
}

/* May sleep. No CPU takes spares any more. */
void profil_spare_free_reserve(void)
{
	profil_reserve_empty(&reserve);
}

/**
 * profil_spare_take - get a session for the child of this thread's fork
 * @session: the parent's
 *
 * Return: the session, or NULL.
 */
struct profil_session *profil_spare_take(struct profil_session *session)
{
	struct profil_session *spare;
	unsigned long flags;

	raw_spin_lock_irqsave(&session->spares_lock, flags);
	hlist_for_each_entry(spare, &session->spares, node)
		if (spare->spare_for == current)
			break;
	if (spare)
		hlist_del(&spare->node);
	raw_spin_unlock_irqrestore(&session->spares_lock, flags);
	if (spare)
		return spare;

	spare = hlist_entry_safe(profil_reserve_take(&reserve), struct profil_session, node);
	if (!spare && !IS_ENABLED(CONFIG_PREEMPT_RT))
		spare = profil_session_alloc(GFP_NOWAIT | __GFP_NOWARN |
					     __GFP_ACCOUNT);
	return spare;
}

/**
 * profil_spare_put_back - put back a spare that was not used
 * @session: the parent's
 * @spare:   from profil_spare_take()
 *
 * To the list that it came from, or to the reserve if it was allocated on the spot. The next
 * fork takes it from there, so failed forks do not make either list grow.
 */
void profil_spare_put_back(struct profil_session *session,
			   struct profil_session *spare)
{
	unsigned long flags;

	if (!spare->spare_for) {
		profil_reserve_put(&reserve, &spare->node);
		return;
	}
	/* GCOV_EXCL_START: fork fails before the worker ran */
	raw_spin_lock_irqsave(&session->spares_lock, flags);
	hlist_add_head(&spare->node, &session->spares);
	raw_spin_unlock_irqrestore(&session->spares_lock, flags);
	/* GCOV_EXCL_STOP */
}
