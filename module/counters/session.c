// SPDX-License-Identifier: GPL-2.0-only
/*
 * The session object: allocating and freeing it, queueing its worker, stopping a profile that
 * ends by itself, and adding up counts. lifecycle.c starts and ends sessions.
 *
 * A work item frees the session, because removing the notifier waits for the notifier's
 * callbacks, and the last reference may be put in one of them.
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

#include "compat.h"
#include "counters/buffer.h"
#include "counters/config.h"
#include "counters/session.h"
#include "stats.h"
#include "trace.h"

/*
 * For all workers. One queue is enough for all users, since no worker waits for anything
 * that a user could hold up, except for a millisecond (notifier.c). Normal priority, because a
 * worker's CPU time is not accounted to the user.
 */
static struct workqueue_struct *queue;

/* Sessions that are active or not yet freed, plus one until profil_session_exit(). */
static atomic_t nr_unfreed = ATOMIC_INIT(1);
static DECLARE_COMPLETION(all_freed);

static void session_free_work(struct work_struct *work);

static void session_kick_work(struct irq_work *work)
{
	profil_session_kick(container_of(work, struct profil_session, kick_work));
}

/* What every sample reads fits in one cache line, which no sample writes. */
static_assert(offsetofend(struct profil_session, unpublished) <= 64);

/**
 * profil_session_alloc - allocate a session
 * @gfp: GFP_KERNEL_ACCOUNT, which may sleep, or GFP_NOWAIT in atomic context
 *
 * Return: the session, or NULL.
 */
struct profil_session *profil_session_alloc(gfp_t gfp)
{
	struct profil_session *session = kzalloc(sizeof(*session), gfp);

	if (!session)
		return NULL;
	profil_cpus_init(&session->cpus);
	refcount_set(&session->ref, 1);
	session->state = PROFIL_STATE_RUNNING;
	session->retry_delay = 1;
	profil_pending_init(&session->pending);
	mutex_init(&session->service_mutex);
	/* hard: the process could end before a thread runs, and its pending samples with it */
	compat_init_irq_work_hard(&session->kick_work, session_kick_work);
	INIT_RCU_WORK(&session->free_work, session_free_work);
	return session;
}

/* Free the memory of a session. @session: never activated, or not used any more. */
void profil_session_free(struct profil_session *session)
{
	profil_cpus_free(&session->cpus);
	profil_pending_free(&session->pending);
	kfree(session);
}

/**
 * profil_session_reserve_pending - make room for the first pending samples
 * @session: of the calling process, not yet active
 *
 * May sleep. At high rates the threads can hit many counters before the worker runs. With
 * PROFIL_PIN_ON_HIT no page is pinned at first, so that each hit is pending.
 */
void profil_session_reserve_pending(struct profil_session *session)
{
	const struct profil_config *config = profil_session_config(session);
	u32 cpus = min_t(u32, get_nr_threads(current), num_online_cpus());
	u32 ms = config->flags & PROFIL_PIN_ON_HIT ? PROFIL_PENDING_HITS_MS : PROFIL_PENDING_MS;

	profil_pending_grow(&session->pending, profil_pending_want(config->pace.rate, cpus, ms),
			    GFP_KERNEL_ACCOUNT);
}

/**
 * profil_session_grow - give CPUs their own slots and the queue more entries, if needed
 * @session: session
 *
 * Does not wait for memory. The memory is charged to the process. A worker that runs after
 * the process has exited has no cgroup to charge, and allocates nothing.
 */
void profil_session_grow(struct profil_session *session)
{
	const gfp_t gfp = GFP_NOWAIT | __GFP_NOWARN | __GFP_ACCOUNT;
	u32 wanted;

	lockdep_assert_held(&session->service_mutex);
	if (READ_ONCE(session->unpublished) ||
	    READ_ONCE(session->state) != PROFIL_STATE_RUNNING ||
	    (session->mm != current->mm && !compat_has_active_memcg()))
		return;
	if (profil_cpus_wants_grow(&session->cpus))
		profil_cpus_grow(&session->cpus, gfp);
	if (!profil_pending_wants_grow(&session->pending))
		return;
	wanted = profil_pending_want(session->subject.pace->rate, num_online_cpus(),
				     PROFIL_PENDING_MS);
	profil_pending_grow(&session->pending, max_t(u32, PROFIL_PENDING_MIN, wanted), gfp);
}

static void session_freed(void)
{
	if (atomic_dec_and_test(&nr_unfreed))
		complete(&all_freed);
}

/**
 * profil_session_hold_module - make unloading wait until a session has been freed
 *
 * Any context; the caller holds the module. After this, only profil_session_put() may free
 * the session.
 */
void profil_session_hold_module(void)
{
	atomic_inc(&nr_unfreed);
}

/* A grace period after the last reference: no clock and no fork uses the session. */
static void session_free_work(struct work_struct *work)
{
	struct profil_session *session =
		container_of(to_rcu_work(work), struct profil_session, free_work);
	struct profil_config *config = profil_session_config(session);

	/* none is queued any more: no clock can find the session */
	irq_work_sync(&session->kick_work);
	/* before the rest is freed: the notifier's callbacks use it */
	if (session->buffer.watched)
		mmu_interval_notifier_remove(&session->buffer.notifier);
	mmdrop(session->mm);
	put_pid(session->process);
	put_pid(session->subject.thread);
	profil_session_free(session);
	profil_config_put(config);
	session_freed();
}

/**
 * profil_session_put - put a reference
 * @session: session
 *
 * Any context: after the last reference, a work item frees the session.
 */
void profil_session_put(struct profil_session *session)
{
	if (refcount_dec_and_test(&session->ref))
		queue_rcu_work(queue, &session->free_work);
}

/* The caller has just set SESSION_KICKED. Takes over the caller's reference. */
static void session_queue(struct profil_session *session, unsigned long delay)
{
	/* it was already queued for later, with a reference of its own */
	if (mod_delayed_work(queue, &session->work, delay))
		profil_session_put(session);
}

/**
 * profil_session_kick - run the worker now, for a pending sample
 * @session: under rcu_read_lock(), or held otherwise
 *
 * Any context in which a thread may be woken. If the memory is not watched, no notifier would
 * report its end, and the last pending samples of a short-lived child would be lost, even in
 * shared memory. So this takes mm_users and the cgroup to charge for the worker. If mm_users
 * is already 0, only the end of the session remains to be handled.
 */
void profil_session_kick(struct profil_session *session)
{
	/* a full barrier: pairs with the one in profil_session_take_mm(); litmus: session-kick */
	if (test_and_set_bit(SESSION_KICKED, &session->flags))
		return;
	if (!refcount_inc_not_zero(&session->ref))
		return; /* GCOV_EXCL_LINE: the last user has just exited */
	if (!READ_ONCE(session->buffer.watched) && mmget_not_zero(session->mm)) {
		session->memcg = compat_get_mem_cgroup_of(session->mm);
		set_bit(SESSION_HOLDS_MM, &session->flags);
	}
	session_queue(session, 0);
}

/**
 * profil_session_take_mm - get the process's memory for its worker
 * @session: session
 * @memcg:   out: the memory cgroup to charge, with a reference; NULL if none is known
 *
 * Called by the worker, which sees all samples that are pending now; later ones kick it again.
 *
 * Return: whether the memory has users: then the caller holds mm_users.
 */
bool profil_session_take_mm(struct profil_session *session, struct mem_cgroup **memcg)
{
	bool held = test_and_clear_bit(SESSION_HOLDS_MM, &session->flags);

	*memcg = held ? session->memcg : NULL;
	/*
	 * The next caller that sets SESSION_KICKED may set SESSION_HOLDS_MM and @memcg: after
	 * our loads. Our later loads see what samples stored before their kick.
	 * litmus: session-hold
	 */
	smp_mb__before_atomic();
	clear_bit(SESSION_KICKED, &session->flags);
	/* pairs with the barrier in profil_session_kick(); litmus: session-kick */
	smp_mb__after_atomic();
	if (held)
		return true;
	if (!mmget_not_zero(session->mm))
		return false;
	*memcg = compat_get_mem_cgroup_of(session->mm);
	return true;
}

/**
 * profil_session_requeue - run the worker again, @retry_delay later
 * @session: session
 * @memcg:   as profil_session_take_mm() returned it
 *
 * Called by the worker.
 *
 * Return: true if mm_users and @memcg now belong to the next run of the worker; false if the
 * caller keeps them, because a notifier reports the end of the memory, or because a kick has
 * already taken them again.
 */
bool profil_session_requeue(struct profil_session *session, struct mem_cgroup *memcg)
{
	if (READ_ONCE(session->buffer.watched) ||
	    test_and_set_bit(SESSION_KICKED, &session->flags)) {
		profil_session_kick_later(session, session->retry_delay);
		return false;
	}
	refcount_inc(&session->ref);
	session->memcg = memcg;
	set_bit(SESSION_HOLDS_MM, &session->flags);
	session_queue(session, session->retry_delay);
	return true;
}

/**
 * profil_session_kick_from_switch - run the worker soon, from where nothing may be woken
 * @session: under rcu_read_lock()
 *
 * Any context, also with a runqueue's lock held. An interrupt kicks the worker.
 */
void profil_session_kick_from_switch(struct profil_session *session)
{
	irq_work_queue(&session->kick_work);
}

/**
 * profil_session_kick_later - run the worker after a delay, unless it is queued already
 * @session: held by the caller
 * @delay:   in jiffies
 *
 * Any context. For work that no sample depends on: stale pages, and children that have exited.
 */
void profil_session_kick_later(struct profil_session *session, unsigned long delay)
{
	if (test_bit(SESSION_KICKED, &session->flags) || !refcount_inc_not_zero(&session->ref))
		return;
	if (!queue_delayed_work(queue, &session->work, delay))
		profil_session_put(session);
}

/**
 * profil_session_inherit - take over time that has not been sampled yet
 * @session: new session
 * @old:     the session that it replaces
 *
 * Any context. A late tick or timer may stand for time before the replacement. That time is
 * the new session's then.
 *
 * Nothing is taken over if the clocks differ, because the new clock may have last sampled
 * the process long ago. The same is true if @old did not sample the thread. Points of the
 * timer are only taken over at the same rate: others would be counted for time in which
 * their rate was not yet requested.
 */
void profil_session_inherit(struct profil_session *session, const struct profil_session *old)
{
	struct profil_subject *to = &session->subject;
	const struct profil_subject *from = &old->subject;

	if (READ_ONCE(old->state) != PROFIL_STATE_RUNNING ||
	    to->pace->clock != from->pace->clock ||
	    (from->thread && from->thread != to->thread))
		return;
	to->tick_start_ns = from->tick_start_ns;
	if (to->pace->rate == from->pace->rate)
		to->timer_start_ns = from->timer_start_ns;
}

/**
 * profil_session_recheck - make the worker check that the memory is still there
 * @session: session
 *
 * Any context. The caller makes the worker run afterwards.
 */
void profil_session_recheck(struct profil_session *session)
{
	/*
	 * After the marks of stale pages. Pairs with the barrier in service_sweep().
	 * litmus: service-recheck
	 */
	smp_mb__before_atomic();
	set_bit(SESSION_RECHECK, &session->flags);
}

/**
 * profil_session_stop - stop a profile that ends by itself
 * @session: session
 * @state:   PROFIL_STATE_LIMIT, FULL or FAULT
 * @error:   errno, for FAULT
 *
 * Any context. Only the first call sets the state, but after a fault no counter is written,
 * whatever the state is. On return, other CPUs may still be counting a last sample.
 */
void profil_session_stop(struct profil_session *session, u32 state, u32 error)
{
	if (state == PROFIL_STATE_FAULT)
		set_bit(SESSION_FAULTED, &session->flags);
	/* it has already ended: changes to its memory do not matter any more */
	if (READ_ONCE(session->unpinned) || READ_ONCE(session->state) != PROFIL_STATE_RUNNING)
		return;
	/*
	 * Before the state: cmpxchg() pairs with the barrier in lifecycle_read_status().
	 * litmus: session-error
	 */
	if (state == PROFIL_STATE_FAULT)
		WRITE_ONCE(session->error, error);
	if (cmpxchg(&session->state, PROFIL_STATE_RUNNING, state) != PROFIL_STATE_RUNNING)
		return;
	if (state == PROFIL_STATE_FAULT) {
		atomic_long_inc(&profil_stats[PROFIL_FAULT_ENDS]);
		trace_profil_fault(session->tgid, error);
	}
}

/**
 * profil_session_lose - account samples that cannot be counted
 * @session: session
 * @counts:  where to add them, under the lock that protects it
 * @samples: number of samples
 * @error:   errno; 0: the profile has just stopped
 *
 * Any context.
 */
void profil_session_lose(struct profil_session *session,
			 struct profil_counts *counts, u64 samples, u32 error)
{
	counts->lost += samples;
	if (error)
		WRITE_ONCE(session->error, error);
	this_cpu_add(profil_cpu_stats.lost, samples);
	trace_profil_lost(session->tgid, samples, error);
}

/* Account all pending samples as lost. */
void profil_session_lose_pending(struct profil_session *session)
{
	struct profil_sample sample;

	lockdep_assert_held(&session->service_mutex);
	while (profil_pending_first(&session->pending, &sample)) {
		profil_session_lose(session, &session->settled, sample.samples, session->error);
		profil_pending_done(&session->pending, sample.samples);
	}
}

/**
 * profil_session_counts - add up the counts of all CPUs and of samples that were pending
 * @session: session
 *
 * Return: the sums.
 */
struct profil_counts profil_session_counts(struct profil_session *session)
{
	struct profil_counts sum = profil_cpus_counts(&session->cpus);

	lockdep_assert_held(&session->service_mutex);
	profil_counts_add(&sum, &session->settled);
	return sum;
}

int profil_session_init(void)
{
	queue = alloc_workqueue("profil", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	return queue ? 0 : -ENOMEM;
}

/*
 * No session is active: each held a reference to the module. What remains are late kicks,
 * workers that are about to return, and sessions that wait for their grace period. A session
 * is freed after everything that could kick its worker. The wait ends, because changes to the
 * memory of an ended session kick no worker (notifier.c).
 */
void profil_session_exit(void)
{
	session_freed();
	wait_for_completion(&all_freed);
	/* the work items that completed all_freed may not have returned yet */
	destroy_workqueue(queue);
}
