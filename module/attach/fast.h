/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fast path of a sample of another process: a few stores into the log. It calls nothing, so it
 * saves no registers, and is inlined in the clocks. All else takes the slow path (sampler.c).
 */
#ifndef _PROFIL_ATTACH_FAST_H
#define _PROFIL_ATTACH_FAST_H

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/sched/task_stack.h>

#include "attach/attachment.h"
#include "attach/target.h"
#include "clock/tick_math.h"
#include "irqlock.h"
#include "stats.h"

/**
 * profil_target_sample_fast - take a sample of the current thread
 * @target:  target of its process
 * @task:    the thread
 * @tick:    for a tick; else for a point of the timer
 * @in_user: it is in user mode
 *
 * Hard interrupt context.
 *
 * Return: false: nothing was done, take the slow path.
 */
static __always_inline bool profil_target_sample_fast(struct profil_target *target,
						      struct task_struct *task, bool tick,
						      bool in_user)
{
	struct profil_attachment *attachment = target->attachment;
	struct profil_log *log = &attachment->log;
	struct profil_log_sample *room;
	struct profil_log_slot *slot;
	u32 place;

	if (unlikely(!attachment->is_plain))
		return false;
	slot = this_cpu_ptr(log->slots);
	if (unlikely(!profil_irq_trylock(&slot->lock)))
		return false;
	/* in this order (litmus: log-place); why the memory is compared: profil_target_sample() */
	place = smp_load_acquire(&log->place);
	room = slot->next;
	if (unlikely(hlist_unhashed_lockless(&target->of_attachment)) ||
	    unlikely(task->mm != READ_ONCE(target->mm)) || unlikely(room == slot->end)) {
		profil_irq_unlock(&slot->lock);
		return false;
	}
	if (!tick || profil_accumulate(&slot->phase, 1, attachment->pace.rate, HZ)) {
		this_cpu_inc(profil_cpu_stats.samples);
		this_cpu_inc(profil_cpu_stats.counted);
		profil_log_put(slot, room, (struct profil_log_sample){
			.place = in_user ? place : place | PROFIL_LOG_IN_KERNEL,
			.pid = target->pid,
			.pc = instruction_pointer(task_pt_regs(task)),
			.samples = 1,
			.tid = task_pid_nr(task),
		});
	}
	profil_irq_unlock(&slot->lock);
	return true;
}

#endif /* _PROFIL_ATTACH_FAST_H */
