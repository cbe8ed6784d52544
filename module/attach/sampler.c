// SPDX-License-Identifier: GPL-2.0-only
/*
 * The slow path of a sample of another process, from the clock to the log (fast.h).
 */
#include <linux/mm_types.h>
#include <linux/percpu.h>
#include <linux/pid_namespace.h>
#include <linux/ptrace.h>
#include <linux/sched/task_stack.h>

#include "attach/attachment.h"
#include "attach/stack.h"
#include "attach/target.h"
#include "clock/tick_math.h"
#include "irqlock.h"
#include "stats.h"

/* Return: how many samples ticks and points of the timer stand for. */
static u64 target_samples(const struct profil_attachment *attachment,
			  struct profil_log_slot *slot, u64 ticks, u64 points)
{
	const struct profil_pace *pace = &attachment->pace;
	u64 samples = points;

	lockdep_assert_held(&slot->lock);
	if (ticks)
		samples = profil_accumulate(&slot->phase, ticks, pace->rate, HZ);
	return profil_clock_limit(pace, false, samples, &slot->skipped);
}

/*
 * The pc of a thread in user mode, or 0 if it is not known whether it may be sampled: the thread
 * executes a program, and the target hook has not seen the new memory. Normally it sees that at
 * the first mapping, when the registers are still those of the old program. But if kprobes are
 * switched off, it comes only after the registers have been set up. The kernel fills in env_end
 * in between, in this thread, so in this order.
 */
static u64 target_pc(const struct profil_target *target, struct task_struct *task)
{
	const struct mm_struct *mm = task->mm;

	if (unlikely(mm && mm != READ_ONCE(target->mm) && READ_ONCE(mm->env_end)))
		return 0;
	return instruction_pointer(task_pt_regs(task));
}

/* The number of a thread in the PID namespace of an attachment. */
static pid_t target_tid(const struct profil_attachment *attachment, struct task_struct *task)
{
	/* 0 if another CPU has just released the thread; the struct pid stays for a grace period */
	return pid_nr_ns(data_race(task_pid(task)), attachment->pids);
}

/* Return: false: the sample is lost. */
static bool target_write(struct profil_target *target, struct task_struct *task,
			 struct profil_log_slot *slot, struct profil_log_sample *sample)
{
	struct profil_attachment *attachment = target->attachment;

	if (profil_stack_is_possible() && attachment->stack_bytes)
		return profil_stack_write(target, task, slot, sample);
	return profil_log_write_sample(&attachment->log, slot, *sample);
}

/**
 * profil_target_sample - take samples of a thread, and write them to the log
 * @target:  target of its process
 * @task:    the thread, current or about to leave the CPU
 * @ticks:   number of ticks, or 0
 * @points:  number of points of the timer, or 0
 * @in_user: it is in user mode
 *
 * A record is of one event, so all its samples are in one mode: points that passed before a late
 * interrupt, or before a switch, are in the mode that this found.
 *
 * In a system call, and in exit, the registers are those of the call. In exec they are those of
 * the old program until the new one is set up, which the target hook notices before (follow.c),
 * or the pc is 0.
 */
void profil_target_sample(struct profil_target *target, struct task_struct *task,
			  u64 ticks, u64 points, bool in_user)
{
	struct profil_attachment *attachment = target->attachment;
	struct profil_log *log = &attachment->log;
	struct profil_log_slot *slot;
	struct profil_log_sample sample;
	u64 samples;

	if (attachment->flags & (in_user ? PROFIL_KERNEL_ONLY : PROFIL_USER_ONLY))
		return;
	slot = this_cpu_ptr(log->slots);
	/*
	 * For the reader, and for profil_log_close(), after which no target is in the list.
	 * litmus: log-close
	 */
	profil_irq_lock(&slot->lock);
	/*
	 * In this order: if EXIT is before this place, the target is seen to be removed.
	 * litmus: log-place
	 */
	sample.place = smp_load_acquire(&log->place);
	if (hlist_unhashed_lockless(&target->of_attachment))
		goto unlock;
	samples = target_samples(attachment, slot, ticks, points);
	if (!samples)
		goto unlock;
	this_cpu_add(profil_cpu_stats.samples, samples);
	if (!in_user)
		sample.place |= PROFIL_LOG_IN_KERNEL;
	sample.pid = target->pid;
	sample.pc = target_pc(target, task);
	sample.samples = samples;
	sample.tid = target_tid(attachment, task);
	if (likely(target_write(target, task, slot, &sample)))
		this_cpu_add(profil_cpu_stats.counted, samples);
	else
		this_cpu_add(profil_cpu_stats.lost, samples);
unlock:
	profil_irq_unlock(&slot->lock);
}
