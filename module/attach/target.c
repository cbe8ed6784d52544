// SPDX-License-Identifier: GPL-2.0-only
/*
 * Targets: their table, and how they become and cease to be one.
 *
 * A target is published by ATTACH or by the fork of another target, and unpublished once: by
 * the exit of its process, when its attachment is closed, or when its ATTACH fails. It is freed a
 * grace period later. Its children are not affected.
 */
#include <linux/hashtable.h>
#include <linux/mm_types.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "attach/attachment.h"
#include "attach/target.h"
#include "attach/tracer.h"
#include "stats.h"
#include "trace.h"

/*
 * How many open files may sample a process, so that an interrupt, a switch or a fork does not take
 * long. Those who may trace all programs have no limit and are not counted: users do not notice
 * them. Other users than the process's own can sample it only in a user namespace of theirs.
 */
#define TARGETS_OF_PROCESS	4

DEFINE_HASHTABLE(profil_targets, PROFIL_TARGETS_BITS);

/* Number of targets in the table, for clocks to see that there are none. */
int profil_nr_targets;

/*
 * Serializes changes to the table and to the lists of targets. Raw, because it is taken in
 * probes of tracepoints, also on PREEMPT_RT. Not taken in interrupts.
 */
static DEFINE_RAW_SPINLOCK(targets_lock);

/* --- memory ------------------------------------------------------------------- */

static struct hlist_node *target_alloc(gfp_t gfp)
{
	struct profil_target *target = kzalloc(sizeof(*target), gfp);

	return target ? &target->node : NULL;
}

static void target_free_unused(struct hlist_node *node)
{
	kfree(hlist_entry(node, struct profil_target, node));
}

/* Targets for children */
struct profil_reserve profil_target_reserve = {
	.lock = __RAW_SPIN_LOCK_UNLOCKED(profil_target_reserve.lock),
	.alloc = target_alloc,
	.free = target_free_unused,
	.work = __WORK_INITIALIZER(profil_target_reserve.work, profil_reserve_work),
};

/* Takes over the reference to @tracer. */
static void target_init(struct profil_target *target, struct profil_attachment *attachment,
			struct profil_tracer *tracer, struct pid *process)
{
	target->attachment = attachment;
	target->tracer = tracer;
	target->subject.pace = &attachment->pace;
	target->process = get_pid(process);
	target->pid = pid_nr_ns(process, attachment->pids);
}

/**
 * profil_target_create - allocate a target that is not published
 * @attachment: its attachment
 * @process:    its process
 *
 * It is sampled with the rights of the calling process.
 *
 * Return: the target, or NULL.
 */
struct profil_target *profil_target_create(struct profil_attachment *attachment,
					   struct pid *process)
{
	struct profil_tracer *tracer = profil_tracer_create();
	struct profil_target *target;

	if (!tracer)
		return NULL;
	target = kzalloc(sizeof(*target), GFP_KERNEL_ACCOUNT);
	if (target)
		target_init(target, attachment, tracer, process);
	else
		profil_tracer_put(tracer);
	return target;
}

/* Free a target that was never published. */
void profil_target_free(struct profil_target *target)
{
	put_pid(target->process);
	profil_tracer_put(target->tracer);
	kfree(target);
}

static void target_free_rcu(struct rcu_head *rcu)
{
	profil_target_free(container_of(rcu, struct profil_target, rcu));
}

/* --- the table ---------------------------------------------------------------- */

/* Whether another target of the process may be added. Children inherit all of a process. */
static bool target_may_add(const struct profil_target *target)
{
	struct profil_target *other;
	int others = 0;

	lockdep_assert_held(&targets_lock);
	for (other = profil_target_find(target->process); other;
	     other = profil_target_find_next(other)) {
		if (other->attachment == target->attachment)
			return false;
		others += !profil_tracer_may_trace_all(other->tracer);
	}
	return others < TARGETS_OF_PROCESS || profil_tracer_may_trace_all(target->tracer);
}

/**
 * profil_target_publish - put a target into the table: clocks and hooks use it from here on
 * @target: complete
 * @fork:   its first record, if it is a child; NULL: none
 *
 * Charges a session to the user who attached it, which is uncharged when the target is removed.
 *
 * Return: 0; -ENOSPC: the user's limit; -EBUSY: the process is a target of this attachment already,
 * or of as many others as may be; or -ESRCH: the attachment is closed.
 */
int profil_target_publish(struct profil_target *target, struct profil_record_fork *fork)
{
	const struct profil_rights *rights = &target->tracer->rights;
	struct profil_attachment *attachment = target->attachment;
	unsigned long flags;
	int err;

	err = profil_charge(rights, PROFIL_CHARGED_SESSIONS, 1, 0);
	if (err)
		return err;
	raw_spin_lock_irqsave(&targets_lock, flags);
	if (attachment->closed) {
		err = -ESRCH; /* GCOV_EXCL_LINE: closed on another CPU */
	} else if (!target_may_add(target)) {
		err = -EBUSY;
	} else {
		hash_add_rcu(profil_targets, &target->node, (unsigned long)target->process);
		hlist_add_head(&target->of_attachment, &attachment->targets);
		WRITE_ONCE(profil_nr_targets, profil_nr_targets + 1);
		WRITE_ONCE(attachment->nr_targets, attachment->nr_targets + 1);
		WRITE_ONCE(attachment->log.ended, false);
		atomic_long_inc(&profil_stats[PROFIL_SESSIONS]);
		if (fork)
			profil_log_write(&attachment->log, &fork->head, PROFIL_RECORD_FORK,
					 sizeof(*fork), NULL, 0);
	}
	raw_spin_unlock_irqrestore(&targets_lock, flags);
	if (err)
		profil_uncharge(rights, PROFIL_CHARGED_SESSIONS, 1);
	return err;
}

static void target_remove(struct profil_target *target)
{
	lockdep_assert_held(&targets_lock);
	hash_del_rcu(&target->node);
	/* clocks look at it without the lock */
	hlist_del_init_rcu(&target->of_attachment);
	WRITE_ONCE(profil_nr_targets, profil_nr_targets - 1);
	WRITE_ONCE(target->attachment->nr_targets, target->attachment->nr_targets - 1);
	profil_uncharge(&target->tracer->rights, PROFIL_CHARGED_SESSIONS, 1);
	atomic_long_dec(&profil_stats[PROFIL_SESSIONS]);
	call_rcu(&target->rcu, target_free_rcu);
}

/**
 * profil_target_confirm - let a target be sampled whose process has been checked
 * @target:    published, not confirmed, under rcu_read_lock()
 * @from_exec: only from its next exec on
 *
 * Counts its threads: all that have not left signal->live, which they do before the hook of exit.
 * That takes the lock, so each of them is taken off the count later. If the number were too high,
 * EXIT would never come. It may be too low, by threads that start or exit meanwhile.
 *
 * Return: false: the process has executed another program since the check, or has ended.
 */
bool profil_target_confirm(struct profil_target *target, bool from_exec)
{
	struct task_struct *leader = pid_task(target->process, PIDTYPE_TGID);
	unsigned long flags;
	bool confirmed;

	raw_spin_lock_irqsave(&targets_lock, flags);
	confirmed = leader && !target->left && !hlist_unhashed(&target->of_attachment);
	if (confirmed) {
		atomic_set(&target->threads, atomic_read(&leader->signal->live));
		/* in this order: who is counted is older than this start; litmus: target-count */
		smp_rmb();
		profil_subject_mark_start(&target->subject);
		/* pairs with the acquire in profil_target_skip_unsampled(); litmus: target-waits */
		smp_store_release(&target->waits, from_exec);
		/*
		 * Pairs with the acquires in hooks, which look at the other members then.
		 * litmus: target-confirmed
		 */
		smp_store_release(&target->confirmed, true);
	}
	raw_spin_unlock_irqrestore(&targets_lock, flags);
	return confirmed;
}

/*
 * The process has another memory than the one that was checked: do not confirm its target. Return:
 * false: it is confirmed already. litmus: target-refuse
 */
bool profil_target_refuse_exec(struct profil_target *target)
{
	unsigned long flags;
	bool refused;

	raw_spin_lock_irqsave(&targets_lock, flags);
	refused = !target->confirmed;
	if (refused)
		target->left = true;
	raw_spin_unlock_irqrestore(&targets_lock, flags);
	return refused;
}

/**
 * profil_target_unpublish - remove a target from the table, and free it a grace period later
 * @target: under rcu_read_lock()
 * @exit:   last record of the target, if it is confirmed; NULL: none
 *
 * Does nothing if it has been removed already. Ends the log with the last target.
 *
 * No sample follows @exit: see target_sample().
 */
void profil_target_unpublish(struct profil_target *target, struct profil_record_exit *exit)
{
	struct profil_attachment *attachment = target->attachment;
	unsigned long flags;

	raw_spin_lock_irqsave(&targets_lock, flags);
	/* while a target is in the list, its attachment is not closed, and the log is open */
	if (!hlist_unhashed(&target->of_attachment)) {
		target_remove(target);
		if (exit && target->confirmed)
			profil_log_write(&attachment->log, &exit->head, PROFIL_RECORD_EXIT,
					 sizeof(*exit), NULL, 0);
		if (!attachment->nr_targets)
			profil_log_end(&attachment->log);
	}
	raw_spin_unlock_irqrestore(&targets_lock, flags);
}

/**
 * profil_target_unpublish_all - remove all targets of an attachment that is closed
 * @attachment: attachment
 *
 * None is added afterwards.
 */
void profil_target_unpublish_all(struct profil_attachment *attachment)
{
	struct profil_target *target;
	bool more = true;

	while (more) {
		/* one at a time: there may be thousands */
		raw_spin_lock_irq(&targets_lock);
		attachment->closed = true;
		target = hlist_entry_safe(attachment->targets.first, struct profil_target,
					  of_attachment);
		if (target)
			target_remove(target);
		more = target;
		raw_spin_unlock_irq(&targets_lock);
		cond_resched();
	}
}

/**
 * profil_target_end_thread - the current thread ends
 * @target: target of its process, under rcu_read_lock()
 * @thread: the thread
 * @record: complete; written if the process is sampled
 *
 * signal->live alone does not tell the last thread: it falls before this call, so two threads that
 * exit at the same time may both find 0. Of these, the one that is last here finds that @threads
 * is not above 0 either. If @threads is too low (profil_target_confirm()), both may be told that
 * they are last; profil_target_unpublish() takes the first. litmus: target-last-thread
 *
 * Return: whether it was the last one of the process.
 */
bool profil_target_end_thread(struct profil_target *target, struct task_struct *thread,
			      struct profil_record_thread *record)
{
	unsigned long flags;
	bool last = false;

	raw_spin_lock_irqsave(&targets_lock, flags);
	/* while a target is in the list, the log is open, and has no EXIT of the process */
	if (!hlist_unhashed(&target->of_attachment)) {
		if (target->confirmed && !target->waits && !target->left)
			profil_log_write(&target->attachment->log, &record->head,
					 PROFIL_RECORD_THREAD, sizeof(*record), NULL, 0);
		/* no hook of fork sees new workers. A worker may be the last thread */
		if (!(thread->flags & COMPAT_PF_WORKERS) ||
		    thread->start_time <= target->subject.timer_start_ns)
			atomic_dec(&target->threads);
		last = atomic_read(&target->threads) <= 0 && !atomic_read(&thread->signal->live);
	}
	raw_spin_unlock_irqrestore(&targets_lock, flags);
	return last;
}

static int target_start_child(struct profil_target *parent, struct task_struct *child,
			      struct profil_record_fork *record)
{
	/* the tracer is charged: the cgroup of the process that forks may be full */
	struct mem_cgroup *old = compat_set_active_memcg(parent->tracer->memcg);
	struct hlist_node *node = profil_reserve_get(&profil_target_reserve);
	struct profil_target *target = hlist_entry_safe(node, struct profil_target, node);
	int err;

	compat_set_active_memcg(old);
	if (!target)
		return -ENOMEM;
	/* @parent has a reference until a grace period after it was removed */
	target_init(target, parent->attachment, profil_tracer_get(parent->tracer),
		    task_tgid(child));
	atomic_set(&target->threads, 1);
	target->mm = child->mm;
	/* other threads of the parent may widen a range: the child has what was mapped before */
	data_race(memcpy(target->text, parent->text, sizeof(target->text)));
	target->waits = parent->waits;
	target->left = record->flags & PROFIL_FORK_DENIED;
	target->confirmed = true;
	profil_subject_mark_start(&target->subject);
	err = profil_target_publish(target, record);
	/* later: on PREEMPT_RT, atomic context must not free memory */
	if (err)
		call_rcu(&target->rcu, target_free_rcu);
	return err;
}

/**
 * profil_target_fork - make a child of a target a target too
 * @parent: target of the parent, under rcu_read_lock()
 * @child:  the child, which does not run yet
 *
 * Atomic context, in fork. Without memory, and beyond the user's limit, the child is not sampled,
 * and LOST says so. Nor is it if the parent, which the child is a copy of, has become undumpable or
 * has got other credentials since: then the child is a target that is @left, so that its end is
 * known.
 */
void profil_target_fork(struct profil_target *parent, struct task_struct *child)
{
	struct profil_attachment *attachment = parent->attachment;
	struct profil_record_fork record = {
		.head.pid = pid_nr_ns(task_tgid(child), attachment->pids),
		.parent = parent->pid,
		.flags = child->mm == current->mm ? PROFIL_FORK_SHARES_MEMORY : 0,
	};
	int err;

	if (!profil_tracer_may_trace_current(parent->tracer, false))
		record.flags |= PROFIL_FORK_DENIED;
	err = target_start_child(parent, child, &record);
	trace_profil_fork(child->tgid, err);
	if (err) {
		atomic_long_inc(&attachment->fork_failures);
		atomic_long_inc(&profil_stats[PROFIL_FORK_FAILURES]);
		profil_log_lose(&attachment->log);
		return;
	}
	atomic_long_inc(&attachment->forks_followed);
	atomic_long_inc(&profil_stats[PROFIL_FORKS_FOLLOWED]);
}
