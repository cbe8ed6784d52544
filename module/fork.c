// SPDX-License-Identifier: GPL-2.0-only
/*
 * Following fork. It is met twice:
 *
 * 1. when fork write-protects the parent's memory (notifier.c): there one may not
 *    wait for memory, but may allocate; also on PREEMPT_RT. A spare session is
 *    made, for this thread's fork.
 * 2. at the tracepoint sched_process_fork, when the child is complete but does not
 *    run yet: there one may not even allocate on PREEMPT_RT, whose allocator sleeps.
 *    The spare becomes the child's session. From its first tick on, the child is
 *    profiled; its ticks wait in the session's log until the worker has subscribed
 *    to its memory (worker.c).
 *
 * A child that forks before the worker has come to it meets 2 without 1, as does a
 * fork for whose spare there was no memory. Then one is allocated, but on PREEMPT_RT:
 * there it comes from a small reserve, which the worker fills. When many fork
 * before a worker gets a CPU, nothing is left there, and the child is denied.
 *
 * A child that cannot be followed is not profiled, and is counted as denied; fork
 * itself never fails for our sake.
 */
#include <linux/gfp.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include <trace/events/sched.h>

#include "clock.h"
#include "config.h"
#include "fork.h"
#include "hooks.h"
#include "lifecycle.h"
#include "session.h"
#include "table.h"
#include "stats.h"
#include "trace.h"
#include "tracepoints.h"

/*
 * Of one session, about. The list is searched with interrupts off; who finds it full
 * takes from the reserve.
 */
#define MOST_SPARES	64

/**
 * profil_fork_prepare - have a spare session ready for a fork of this thread
 * @session: of current->mm
 *
 * Called for each mapping that fork copies: more than once for a fork, and, as
 * it may fail then, for none at all. A thread has at most one spare, which waits
 * for its next fork. If there is no memory, neither is there a spare.
 */
void profil_fork_prepare(struct profil_session *session)
{
	/* not GFP_KERNEL: reclaiming memory would come back to notifiers */
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
	if (spare || nr >= MOST_SPARES)
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

#define RESERVE	16

/* Protects the reserve: raw, as it is used at the tracepoint. */
static DEFINE_RAW_SPINLOCK(reserve_lock);
static struct hlist_head reserve = HLIST_HEAD_INIT;
/* Also read without the lock, by who fills it: one more or less does no harm. */
static unsigned int nr_reserve;

static struct profil_session *fork_take_reserve(void)
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

static void fork_put_reserve(struct profil_session *spare)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&reserve_lock, flags);
	hlist_add_head(&spare->node, &reserve);
	WRITE_ONCE(nr_reserve, nr_reserve + 1);
	raw_spin_unlock_irqrestore(&reserve_lock, flags);
}

/**
 * profil_fork_fill_reserve - on PREEMPT_RT, have RESERVE spares for any fork
 *
 * Process context, while hooks are attached. Does not wait for memory: if there is none,
 * there are fewer.
 */
void profil_fork_fill_reserve(void)
{
	struct profil_session *spare;

	while (IS_ENABLED(CONFIG_PREEMPT_RT) &&
	       READ_ONCE(nr_reserve) < RESERVE) {
		spare = profil_session_alloc(GFP_NOWAIT | __GFP_NOWARN);
		if (!spare)
			return;
		fork_put_reserve(spare);
	}
}

static void fork_free_reserve(void)
{
	struct profil_session *spare;

	while ((spare = fork_take_reserve()))
		profil_session_free(spare);
}

static struct profil_session *fork_take_spare(struct profil_session *session)
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
	if (!spare)
		spare = fork_take_reserve();
	if (!spare && !IS_ENABLED(CONFIG_PREEMPT_RT))
		spare = profil_session_alloc(GFP_NOWAIT | __GFP_NOWARN |
					     __GFP_ACCOUNT);
	return spare;
}

/* Back to where it came from, so that neither list grows by forks that are denied. */
static void fork_put_spare(struct profil_session *session,
			   struct profil_session *spare)
{
	unsigned long flags;

	if (!spare->spare_for) {
		fork_put_reserve(spare);
		return;
	}
	raw_spin_lock_irqsave(&session->spares_lock, flags);
	hlist_add_head(&spare->node, &session->spares);
	raw_spin_unlock_irqrestore(&session->spares_lock, flags);
}

/**
 * profil_fork_free_spares - free what prepared forks have left
 * @session: that no thread can fork from any more
 */
void profil_fork_free_spares(struct profil_session *session)
{
	struct profil_session *spare;
	struct hlist_node *next;

	hlist_for_each_entry_safe(spare, next, &session->spares, node)
		profil_session_free(spare);
}

static int fork_follow(struct profil_session *parent, struct task_struct *task)
{
	struct profil_session *child = fork_take_spare(parent);
	int err;

	if (!child)
		return -ENOMEM;
	child->config = parent->config;
	/* its pages are charged as it hits them: there may be many children */
	err = profil_charge_session(&child->config->rights, 0);
	if (err)
		goto put_spare;
	if (!profil_hooks_get_for_child(profil_clock_needs_timer(child->config))) {
		err = -ESRCH;
		goto uncharge;
	}
	/* else the parent has just ended, and nobody else has the module */
	if (!try_module_get(THIS_MODULE)) {
		err = -ESRCH;
		goto put_hooks;
	}
	/* else the last one that counted by it has */
	if (!atomic_inc_not_zero(&child->config->sessions)) {
		err = -ESRCH;
		goto put_module;
	}
	/* the parent's is freed only a grace period after it left the table */
	refcount_inc(&child->config->ref);
	/* where the parent's log ended when it was copied, or a little behind */
	atomic64_set(&child->log_used, atomic64_read(&parent->log_used));
	profil_lifecycle_start_child(child, task);
	return 0;

put_module:
	module_put(THIS_MODULE);
put_hooks:
	profil_hooks_put(profil_clock_needs_timer(child->config));
uncharge:
	profil_uncharge_session(&child->config->rights);
put_spare:
	fork_put_spare(parent, child);
	return err;
}

static bool fork_is_followed(const struct profil_session *session,
			     struct task_struct *parent)
{
	return profil_session_samples_task(session, parent) &&
	       READ_ONCE(session->state) == PROFIL_STATE_RUNNING;
}

static void fork_tell(struct profil_session *session,
		      const struct task_struct *child, int err)
{
	if (!err) {
		atomic_long_inc(&session->forks_followed);
		atomic_long_inc(&profil_stats[PROFIL_FORKS_FOLLOWED]);
	} else {
		atomic_long_inc(&session->fork_failures);
		atomic_long_inc(&profil_stats[PROFIL_FORK_FAILURES]);
	}
	trace_profil_fork(child->tgid, err);
}

/*
 * Atomic context, also on PREEMPT_RT. A fork of an unprofiled process costs a
 * glance at the table. Threads and vfork's children share their parent's memory,
 * and with it its session.
 */
static void fork_probe(void *data, struct task_struct *parent,
		       struct task_struct *child)
{
	struct profil_session *session, *ended = NULL;
	int err;

	if (!child->mm || child->mm == parent->mm ||
	    !profil_table_may_have(parent->mm))
		return;
	rcu_read_lock();
	for (;;) {
		session = profil_table_find(parent->mm);
		if (!session || session == ended ||
		    !fork_is_followed(session, parent))
			break;
		err = fork_follow(session, child);
		if (err != -ESRCH) {
			fork_tell(session, child, err);
			break;
		}
		/* it is being ended on another CPU: has it been replaced? */
		ended = session;
	}
	rcu_read_unlock();
}

static struct tracepoint *fork_tracepoint;

/**
 * profil_fork_attach - follow forks from here on
 *
 * May sleep; not twice. Return: 0, -EOPNOTSUPP if the kernel has no such
 * tracepoint, or -ENOMEM.
 */
int profil_fork_attach(void)
{
	int err;

	/* no code: the compiler compares the probe with the tracepoint */
	check_trace_callback_type_sched_process_fork(fork_probe);
	if (!fork_tracepoint)
		fork_tracepoint = profil_tracepoint_find("sched_process_fork");
	if (!fork_tracepoint)
		return -EOPNOTSUPP;
	profil_fork_fill_reserve();
	err = tracepoint_probe_register(fork_tracepoint, fork_probe, NULL);
	if (err)
		fork_free_reserve();
	return err;
}

/* May sleep. No session has hooks any more; when it returns, no CPU is in the probe. */
void profil_fork_detach(void)
{
	tracepoint_probe_unregister(fork_tracepoint, fork_probe, NULL);
	tracepoint_synchronize_unregister();
	fork_free_reserve();
}
