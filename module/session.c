// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a session is: its memory, its worker, its figures, and the ways in which it
 * ends by itself. How it begins and ends otherwise is in lifecycle.c.
 *
 * Memory is freed last, by a worker: leaving the notifier's list waits for its
 * callbacks, so that it may not be done from within one.
 */
#include <linux/atomic.h>
#include <linux/build_bug.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "buffer.h"
#include "compat.h"
#include "config.h"
#include "session.h"
#include "stats.h"
#include "trace.h"

/*
 * Of all workers: none waits for what a user could hold up, so that they need no queue
 * for each user. Of normal priority: the time that a worker takes is not the user's.
 */
static struct workqueue_struct *queue;

/* Sessions from when they count as such until they are freed, and one: see exit */
static atomic_t nr_unfreed = ATOMIC_INIT(1);
static DECLARE_COMPLETION(all_freed);

static void session_free_work(struct work_struct *work);

static void session_kick_work(struct irq_work *work)
{
	profil_session_kick(container_of(work, struct profil_session,
					 kick_work));
}

/* What every sample reads is one cache line, which no sample writes. */
static_assert(offsetofend(struct profil_session, unpublished) <= 64);

/**
 * profil_session_alloc - memory for a session
 * @gfp: GFP_KERNEL_ACCOUNT, or GFP_NOWAIT where one may not wait
 *
 * Return: a session that nobody knows of yet, or NULL.
 */
struct profil_session *profil_session_alloc(gfp_t gfp)
{
	struct profil_session *session = kzalloc(sizeof(*session), gfp);

	if (!session)
		return NULL;
	profil_cpus_init(&session->cpus);
	refcount_set(&session->ref, 1);
	session->state = PROFIL_STATE_RUNNING;
	profil_pending_init(&session->pending);
	mutex_init(&session->service_mutex);
	INIT_HLIST_HEAD(&session->spares);
	raw_spin_lock_init(&session->spares_lock);
	/* a thread might come when the memory has gone, and what waits with it */
	compat_init_irq_work_hard(&session->kick_work, session_kick_work);
	INIT_RCU_WORK(&session->free_work, session_free_work);
	return session;
}

/**
 * profil_session_free - what profil_session_alloc() made
 * @session: that nobody knows of
 */
void profil_session_free(struct profil_session *session)
{
	profil_cpus_free(&session->cpus);
	profil_pending_free(&session->pending);
	kfree(session);
}

/**
 * profil_session_reserve_pending - have room for what waits at first
 * @session: of the calling process, not begun
 *
 * May sleep. At high rates its threads can hit many counters before the worker comes; if
 * none is pinned, each hit waits.
 */
void profil_session_reserve_pending(struct profil_session *session)
{
	const struct profil_config *config = session->config;
	u32 cpus = min_t(u32, get_nr_threads(current), num_online_cpus());
	u32 want = profil_pending_want(config->rate, cpus);

	if (config->flags & PROFIL_PIN_ON_HIT)
		want = max_t(u32, want, PROFIL_PENDING_LEAST);
	profil_pending_grow(&session->pending, want, GFP_KERNEL_ACCOUNT);
}

/**
 * profil_session_grow - have room for many CPUs, where there are many
 * @session: with its service_mutex held
 *
 * May sleep; does not wait for memory, which is charged to the process. A worker that comes
 * after that has gone has no cgroup to charge.
 */
void profil_session_grow(struct profil_session *session)
{
	const gfp_t gfp = GFP_NOWAIT | __GFP_NOWARN | __GFP_ACCOUNT;
	u32 wanted;

	if (READ_ONCE(session->unpublished) ||
	    READ_ONCE(session->state) != PROFIL_STATE_RUNNING ||
	    (session->mm != current->mm && !compat_has_active_memcg()))
		return;
	if (profil_cpus_crowded(&session->cpus))
		profil_cpus_grow(&session->cpus, gfp);
	if (!profil_pending_crowded(&session->pending))
		return;
	wanted = profil_pending_want(session->config->rate, num_online_cpus());
	profil_pending_grow(&session->pending,
			    max_t(u32, PROFIL_PENDING_LEAST, wanted), gfp);
}

static void session_freed(void)
{
	if (atomic_dec_and_test(&nr_unfreed))
		complete(&all_freed);
}

/**
 * profil_session_hold_module - unloading waits until this session has been freed
 *
 * Any context; the caller holds the module. From here on it is freed by
 * profil_session_put() only.
 */
void profil_session_hold_module(void)
{
	atomic_inc(&nr_unfreed);
}

/* No thread can fork from @session any more. */
static void session_free_spares(struct profil_session *session)
{
	struct profil_session *spare;
	struct hlist_node *next;

	hlist_for_each_entry_safe(spare, next, &session->spares, node)
		profil_session_free(spare);
}

/* A grace period after the last reference: no tick and no fork uses it. */
static void session_free_work(struct work_struct *work)
{
	struct profil_session *session =
		container_of(to_rcu_work(work), struct profil_session, free_work);
	struct profil_config *config = session->config;

	/* none is begun any more */
	irq_work_sync(&session->kick_work);
	/* its callbacks use all of the session */
	if (session->buffer.watched)
		mmu_interval_notifier_remove(&session->buffer.notifier);
	session_free_spares(session);
	mmdrop(session->mm);
	put_pid(session->process);
	put_pid(session->thread);
	profil_session_free(session);
	profil_config_put(config);
	session_freed();
}

/**
 * profil_session_put - give a reference back
 * @session: may not be used by the caller from here on
 *
 * Any context: the last one leaves the freeing to a worker.
 */
void profil_session_put(struct profil_session *session)
{
	if (refcount_dec_and_test(&session->ref))
		queue_rcu_work(queue, &session->free_work);
}

/* With PROFIL_KICKED just set by the caller, and the session's reference. */
static void session_queue(struct profil_session *session, unsigned long delay)
{
	/* if it was queued for later, that was with a reference of its own */
	if (mod_delayed_work(queue, &session->work, delay))
		profil_session_put(session);
}

/**
 * profil_session_kick - have the worker come now, for a sample that waits
 * @session: under rcu_read_lock(), or kept otherwise
 *
 * Any context. Before a session is watched, its memory must not end: the release would
 * not be reported, and what a short child's last tick left waiting for shared memory
 * would be lost. So the worker is given mm_users here, and the cgroup to charge. If there
 * are no users any more, nothing is left to be done that the release does not do.
 */
void profil_session_kick(struct profil_session *session)
{
	/* full barrier: pairs with the one in profil_session_take_mm() */
	if (test_and_set_bit(PROFIL_KICKED, &session->flags))
		return;
	if (!refcount_inc_not_zero(&session->ref))
		return;
	if (!READ_ONCE(session->buffer.watched) && mmget_not_zero(session->mm)) {
		session->memcg = compat_get_mem_cgroup_of(session->mm);
		set_bit(PROFIL_HOLDS_MM, &session->flags);
	}
	session_queue(session, 0);
}

/**
 * profil_session_take_mm - what the worker needs of the process
 * @session: whose worker calls
 * @memcg:   out: the memory cgroup to charge, with a reference; NULL if none is known
 *
 * What samples leave from here on kicks again; what they left before is seen by the
 * caller. Return: whether the memory has users, of which the caller is one then.
 */
bool profil_session_take_mm(struct profil_session *session,
			    struct mem_cgroup **memcg)
{
	bool kept = test_and_clear_bit(PROFIL_HOLDS_MM, &session->flags);

	/* whoever sets PROFIL_KICKED next may set that bit, and @memcg */
	*memcg = kept ? session->memcg : NULL;
	/* those stores come after ours; and what we look at next is what they left */
	smp_mb__before_atomic();
	clear_bit(PROFIL_KICKED, &session->flags);
	/* pairs with the barrier in profil_session_kick() */
	smp_mb__after_atomic();
	if (kept)
		return true;
	if (!mmget_not_zero(session->mm))
		return false;
	*memcg = compat_get_mem_cgroup_of(session->mm);
	return true;
}

/**
 * profil_session_requeue - have the worker come at the next tick
 * @session: whose worker calls
 * @memcg:   as it has it
 *
 * Return: whether mm_users and @memcg are the next worker's. They are not where the
 * release is reported, or a kick has come, which has seen to that.
 */
bool profil_session_requeue(struct profil_session *session,
			    struct mem_cgroup *memcg)
{
	if (READ_ONCE(session->buffer.watched) ||
	    test_and_set_bit(PROFIL_KICKED, &session->flags)) {
		profil_session_kick_later(session, 1);
		return false;
	}
	refcount_inc(&session->ref);
	session->memcg = memcg;
	set_bit(PROFIL_HOLDS_MM, &session->flags);
	session_queue(session, 1);
	return true;
}

/**
 * profil_session_kick_from_switch - the same where nothing may be woken
 * @session: under rcu_read_lock()
 *
 * Any context, also with a runqueue's lock held.
 */
void profil_session_kick_from_switch(struct profil_session *session)
{
	irq_work_queue(&session->kick_work);
}

/**
 * profil_session_kick_later - have the worker come in a while, if it does not come before
 * @session: kept by the caller
 * @delay:   in jiffies
 *
 * Any context. For what no sample waits for: stale pages, and a child's subscription.
 */
void profil_session_kick_later(struct profil_session *session, unsigned long delay)
{
	if (test_bit(PROFIL_KICKED, &session->flags) ||
	    !refcount_inc_not_zero(&session->ref))
		return;
	if (!queue_delayed_work(queue, &session->work, delay))
		profil_session_put(session);
}

/**
 * profil_session_mark_start - from here on points are its own
 * @session: that is about to be published
 *
 * Atomic context.
 */
void profil_session_mark_start(struct profil_session *session)
{
	session->tick_start_ns = ktime_get_ns();
	session->timer_start_ns = session->tick_start_ns;
}

/**
 * profil_session_inherit - take what is due to another one, but comes late
 * @session: that takes the place
 * @old:     of this one
 *
 * Any context. From another clock nothing is taken: that one counts from its own last
 * time on, which may be long ago. Nor from one that did not sample the thread, for the
 * same reason. Points of the timer are those of a rate: ones of another would be counted
 * in the time before they were asked for.
 */
void profil_session_inherit(struct profil_session *session,
			    const struct profil_session *old)
{
	const struct profil_config *config = session->config;

	if (READ_ONCE(old->state) != PROFIL_STATE_RUNNING ||
	    config->clock != old->config->clock ||
	    (old->thread && old->thread != session->thread))
		return;
	session->tick_start_ns = old->tick_start_ns;
	if (config->rate == old->config->rate)
		session->timer_start_ns = old->timer_start_ns;
}

/**
 * profil_session_recheck - have the worker look whether the memory is still there
 * @session: to be kicked by the caller
 */
void profil_session_recheck(struct profil_session *session)
{
	set_bit(PROFIL_RECHECK, &session->flags);
}

/**
 * profil_session_stop - the profile ends by itself
 * @session: session
 * @state:   PROFIL_STATE_LIMIT, FULL or FAULT
 * @error:   errno, for FAULT
 *
 * Any context. Only the first end counts, but a fault is respected at any time.
 * Other CPUs may be counting a last sample now.
 */
void profil_session_stop(struct profil_session *session, u32 state, u32 error)
{
	if (state == PROFIL_STATE_FAULT)
		set_bit(PROFIL_FAULTED, &session->flags);
	/* of one that was stopped, what happens to its memory is no news */
	if (READ_ONCE(session->unpinned) ||
	    READ_ONCE(session->state) != PROFIL_STATE_RUNNING)
		return;
	/* first: whoever sees the state sees why. Pairs with read_status() */
	if (state == PROFIL_STATE_FAULT)
		WRITE_ONCE(session->error, error);
	if (cmpxchg(&session->state, PROFIL_STATE_RUNNING, state) !=
	    PROFIL_STATE_RUNNING)
		return;
	if (state == PROFIL_STATE_FAULT) {
		atomic_long_inc(&profil_stats[PROFIL_FAULT_ENDS]);
		trace_profil_fault(session->tgid, error);
	}
}

/**
 * profil_session_lose - note samples that could not be counted
 * @session: session
 * @figures: where to note it
 * @samples: how many
 * @error:   errno; 0: the profile has just ended
 *
 * Any context.
 */
void profil_session_lose(struct profil_session *session,
			 struct profil_figures *figures, u64 samples, u32 error)
{
	figures->lost += samples;
	if (error)
		WRITE_ONCE(session->error, error);
	this_cpu_add(profil_cpu_stats.lost, samples);
	trace_profil_lost(session->tgid, samples, error);
}

/**
 * profil_session_lose_pending - what waits will not be counted
 * @session: with its service_mutex held
 */
void profil_session_lose_pending(struct profil_session *session)
{
	struct profil_sample sample;

	while (profil_pending_first(&session->pending, &sample)) {
		profil_session_lose(session, &session->settled, sample.samples,
				    session->error);
		profil_pending_done(&session->pending, sample.samples);
	}
}

/**
 * profil_session_figures - of all CPUs together, and of what has waited
 * @session: with its service_mutex held
 */
struct profil_figures profil_session_figures(struct profil_session *session)
{
	struct profil_figures sum = profil_cpus_figures(&session->cpus);

	sum.samples += session->settled.samples;
	sum.counted += session->settled.counted;
	sum.out_of_range += session->settled.out_of_range;
	sum.lost += session->settled.lost;
	sum.skipped += session->settled.skipped;
	return sum;
}

int profil_session_init(void)
{
	queue = alloc_workqueue("profil", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	return queue ? 0 : -ENOMEM;
}

/*
 * All sessions are finished: each held a reference to the module. What is left are
 * kicks that come late, workers on their way out, the grace periods they begin, and the
 * freeing after those, which waits for all that may kick. There is an end to it: what
 * the process does to its memory kicks nobody any more (notifier.c).
 */
void profil_session_exit(void)
{
	session_freed();
	wait_for_completion(&all_freed);
	/* waits for the end of the functions that have told so */
	destroy_workqueue(queue);
}
