/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A target: a process that is sampled into the log of an open file (attachment.c). Several open
 * files may sample one process: each has a target of its own for it.
 */
#ifndef _PROFIL_TARGET_H
#define _PROFIL_TARGET_H

#include <linux/atomic.h>
#include <linux/hashtable.h>
#include <linux/list.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/types.h>

#include "clock/clock.h"
#include "compat.h"
#include "reserve.h"

struct profil_tracer;
struct profil_attachment;

/**
 * struct profil_target - a process that is sampled by another one
 * @subject: what clocks read; the pace is the attachment's, and @thread is NULL
 * @node:    entry in the table of targets, or in the reserve
 * @of_attachment: entry in the attachment's list of targets
 * @attachment:   where its records go
 * @tracer:  with whose rights it is sampled; one reference
 * @process: the process, which is the key in the table; one reference
 * @pid:     its process ID in the namespace of the attachment
 * @threads: how many of its threads have not ended, without the workers that the kernel has added
 *           since, or less (profil_target_confirm())
 * @mm:      memory of the program that may be sampled, only compared. exec changes the memory
 *           of the process; the target hook then checks the new program (follow.c)
 * @text:    where its program has code, as in struct profil_attach; if its attachment has stacks
 * @confirmed: its process has the memory @mm, so the caller of ATTACH may trace it. Until then it
 *           @waits, and hooks write nothing and count no thread; written with the lock of the table
 * @waits:   it is not sampled: not @confirmed, or before it executes a program (FROM_EXEC)
 * @left:    it executes a program that is not sampled, or is a child that may not be
 * @in_exec: it has the memory of a new program, which does not run yet
 * @is_new:  no mapping of that program has been logged
 * @rcu:     frees it
 *
 * Clocks and hooks find a target under rcu_read_lock(), which keeps its attachment, too; but the
 * log may be closed. litmus: table-publish, target-free
 *
 * A @confirmed target's @mm and the members after it are written by the process itself.
 */
struct profil_target {
	struct profil_subject subject;
	struct hlist_node node;
	struct hlist_node of_attachment;
	struct profil_attachment *attachment;
	struct profil_tracer *tracer;
	struct pid *process;
	pid_t pid;
	atomic_t threads;
	const struct mm_struct *mm;
	u64 text[4];
	bool confirmed;
	bool waits;
	bool left;
	bool in_exec;
	bool is_new;
	struct rcu_head rcu;
};

/* As for sessions: a user may have thousands of them, which all CPUs look up. */
#define PROFIL_TARGETS_BITS	14

/* Written by target.c only. */
extern struct hlist_head profil_targets[1 << PROFIL_TARGETS_BITS];
extern int profil_nr_targets;
extern struct profil_reserve profil_target_reserve;

static __always_inline struct profil_target *
profil_target_find_from(struct hlist_node *node, const struct pid *process)
{
	struct profil_target *target;

	for (; node; node = rcu_dereference_raw(hlist_next_rcu(node))) {
		target = hlist_entry(node, struct profil_target, node);
		if (target->process == process)
			return target;
	}
	return NULL;
}

/**
 * profil_target_find - find the first target of a process
 * @process: process
 *
 * Any context; under rcu_read_lock() or with interrupts off.
 *
 * Return: the target, or NULL. It is valid until the read-side section ends.
 */
static __always_inline struct profil_target *profil_target_find(const struct pid *process)
{
	struct hlist_head *bucket =
		&profil_targets[hash_min((unsigned long)process, PROFIL_TARGETS_BITS)];

	return profil_target_find_from(rcu_dereference_raw(hlist_first_rcu(bucket)), process);
}

/* Find the next one, in the same read-side section, also if @target has been removed in it. */
static __always_inline struct profil_target *
profil_target_find_next(struct profil_target *target)
{
	return profil_target_find_from(rcu_dereference_raw(hlist_next_rcu(&target->node)),
				       target->process);
}

/* Return: @target, or the next one of its process that a clock samples, or NULL. */
static __always_inline struct profil_target *
profil_target_skip_unsampled(struct profil_target *target, bool timer)
{
	while (target && (profil_clock_is_timer(target->subject.pace) != timer ||
			  /* pairs with the releases where it starts; litmus: target-waits */
			  smp_load_acquire(&target->waits) || READ_ONCE(target->left)))
		target = profil_target_find_next(target);
	return target;
}

/**
 * profil_target_find_sampled - find the first target that a clock samples on this CPU
 * @task:  the current thread of this CPU
 * @timer: the clock is the timer, not the tick
 *
 * With interrupts off. A thread that has released its memory in exit is still sampled: its
 * registers are those of the call that ended it.
 *
 * Return: the target, or NULL.
 */
static __always_inline struct profil_target *
profil_target_find_sampled(struct task_struct *task, bool timer)
{
	struct pid *process;

	/* most of the time there are no targets at all */
	if (!READ_ONCE(profil_nr_targets) || task->flags & COMPAT_PF_WORKERS)
		return NULL;
	/* the parent of a dead process may release it on another CPU: then it is NULL */
	process = data_race(task_tgid(task));
	return profil_target_skip_unsampled(profil_target_find(process), timer);
}

/* Find the next one after a target that has been found, in the same read-side section. */
static __always_inline struct profil_target *
profil_target_find_next_sampled(struct profil_target *target, bool timer)
{
	return profil_target_skip_unsampled(profil_target_find_next(target), timer);
}

/* With interrupts off, also with a runqueue's lock held; in sampler.c. */
void profil_target_sample(struct profil_target *target, struct task_struct *task,
			  u64 ticks, u64 points, bool in_user);

/* May sleep. */
struct profil_target *profil_target_create(struct profil_attachment *attachment,
					   struct pid *process);
void profil_target_free(struct profil_target *target);

/* Atomic context, not in interrupts. */
int profil_target_publish(struct profil_target *target, struct profil_record_fork *fork);
bool profil_target_confirm(struct profil_target *target, bool from_exec);
bool profil_target_refuse_exec(struct profil_target *target);
void profil_target_unpublish(struct profil_target *target, struct profil_record_exit *exit);
void profil_target_fork(struct profil_target *parent, struct task_struct *child);
bool profil_target_end_thread(struct profil_target *target, struct task_struct *thread,
			      struct profil_record_thread *record);

/* May sleep. */
void profil_target_unpublish_all(struct profil_attachment *attachment);

#endif /* _PROFIL_TARGET_H */
