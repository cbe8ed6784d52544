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
#include <linux/workqueue.h>

#include "config.h"
#include "pending.h"
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

/* Sessions in the reserve. */
#define RESERVE	16

/* Protects the reserve. Raw, because it is taken in the tracepoint's probe. */
static DEFINE_RAW_SPINLOCK(reserve_lock);
static struct hlist_head reserve = HLIST_HEAD_INIT;
/* Also read without the lock when refilling: one more or less does no harm. */
static unsigned int nr_reserve;

static struct profil_session *spare_take_reserve(void)
{
	struct profil_session *spare;
	unsigned long flags;

	raw_spin_lock_irqsave(&reserve_lock, flags);
	spare = hlist_entry_safe(reserve.first, struct profil_session, node);
	if (spare) {
		hlist_del(&spare->node);
		WRITE_ONCE(nr_reserve, nr_reserve - 1);
	}
	raw_spin_unlock_irqrestore(&reserve_lock, flags);
	return spare;
}

static void spare_put_reserve(struct profil_session *spare)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&reserve_lock, flags);
	hlist_add_head(&spare->node, &reserve);
	WRITE_ONCE(nr_reserve, nr_reserve + 1);
	raw_spin_unlock_irqrestore(&reserve_lock, flags);
}

/**
 * profil_spare_fill_reserve - on PREEMPT_RT, fill the reserve up to RESERVE
 *
 * Process context. Does not wait for memory: without it, the reserve stays smaller.
 */
void profil_spare_fill_reserve(void)
{
	struct profil_session *spare;

	while (IS_ENABLED(CONFIG_PREEMPT_RT) &&
	       READ_ONCE(nr_reserve) < RESERVE) {
		spare = profil_session_alloc(GFP_NOWAIT | __GFP_NOWARN);
		if (!spare)
			return;
		spare_put_reserve(spare);
	}
}

static void spare_refill(struct work_struct *work)
{
	profil_spare_fill_reserve();
}

static DECLARE_WORK(refill_work, spare_refill);

/**
 * profil_spare_free_reserve - free the reserve
 *
 * May sleep. No CPU takes spares any more.
 */
void profil_spare_free_reserve(void)
{
	struct profil_session *spare;

	cancel_work_sync(&refill_work);
	while ((spare = spare_take_reserve()))
		profil_session_free(spare);
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

	spare = spare_take_reserve();
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		schedule_work(&refill_work);
	else if (!spare)
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
		spare_put_reserve(spare);
		return;
	}
	/* GCOV_EXCL_START: fork fails before the worker ran */
	raw_spin_lock_irqsave(&session->spares_lock, flags);
	hlist_add_head(&spare->node, &session->spares);
	raw_spin_unlock_irqrestore(&session->spares_lock, flags);
	/* GCOV_EXCL_STOP */
}
