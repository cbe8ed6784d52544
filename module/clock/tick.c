// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tick clock: an ftrace callback on update_process_times(), which every CPU calls in hard
 * interrupt context at each scheduler tick, on all kernels. It adds no interrupts.
 */
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/kernel_stat.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/signal.h>
#include <linux/timekeeping.h>

#include <asm/irq_regs.h>

#include "clock/cycles.h"
#include "clock/function.h"
#include "clock/hooks.h"
#include "clock/subject.h"
#include "clock/tick.h"
#include "clock/tick_math.h"
#include "compat.h"

/**
 * struct profil_tick - state of a CPU's last ticks, to account for late ones
 * @grid: the last point of the tick's grid, at the last sampled tick
 * @idle: the CPU's idle time at that tick (tick_idle_time())
 * @mm:   memory that the very last tick found; NULL if that was not sampled
 * @task: thread that the very last tick found; only compared, never dereferenced
 * @came: when that thread came to the CPU (compat_on_cpu_since())
 * @late: missed ticks before @grid's point that @work must still charge
 * @since: time from which they are charged, in ns of ktime_get()
 * @thread_since: the same for a profile of a single thread
 * @in_user: the tick that queued them interrupted user mode
 * @steal: CPUTIME_STEAL before the kernel has added the time that a hypervisor took
 * @work: charges @late
 *
 * Written only by its own CPU in hard interrupts, so with interrupts off.
 */
struct profil_tick {
	struct profil_tick_grid grid;
	u64 idle;
	const struct mm_struct *mm;
	const struct task_struct *task;
	u64 came;
	u64 late;
	u64 since;
	u64 thread_since;
	bool in_user;
	u64 steal;
	struct irq_work work;
};

static DEFINE_PER_CPU(struct profil_tick, last_tick);

/* Changes if the CPU was idle over a tick, also if the tick was stopped. */
static __always_inline u64 tick_idle_time(void)
{
	const u64 *times = kcpustat_this_cpu->cpustat;

	return times[CPUTIME_IDLE] + times[CPUTIME_IOWAIT];
}

/*
 * When the current thread was scheduled in, in ktime_get_ns() time. The scheduler recorded it on
 * local_clock(). If that clock is unstable, it may be behind here, because this tick corrects it
 * only after the hook. So it is not read for a thread that the last tick found and that has stayed
 * on the CPU since. For other threads the result then errs late, which undercharges.
 */
static u64 tick_came(const struct profil_tick *last, u64 now)
{
	u64 came = compat_on_cpu_since();

	if (came == U64_MAX)
		return U64_MAX;
	if (last->task == current && last->came == came)
		return 0;
	return profil_tick_convert(now, local_clock(), came);
}

/*
 * Number of ticks to charge. After a delay of more than one period (interrupts
 * off, or a virtual machine not running) there is only one tick. The thread that it finds is
 * charged for the ticks that were due since it came to the CPU.
 *
 * The whole delay is charged if the process probably ran through it: it has other threads
 * that are sampled, the last tick found one of them, and the CPU has not been idle since.
 * A single-threaded process is charged the whole delay, too, if the kernel does not record when
 * its thread was scheduled in. Time before a profile started is never charged (tick_charge_late()).
 *
 * ktime_get_ns() is the same on all CPUs and does not jump with the clock of a CPU. It is
 * right even before the tick has updated the timekeeper. It takes some 30 ns, or a
 * microsecond where the clock is a device.
 */
static noinline u64 tick_late(struct profil_tick *last)
{
	u64 now = ktime_get_ns();
	u64 ticks = profil_tick_measure(&last->grid, now, profil_cycles(), profil_cycles_khz(),
					TICK_NSEC);
	bool awake = last->idle == tick_idle_time();
	int threads;
	u64 came;

	if (likely(ticks == 1))
		return 1;
	came = tick_came(last, now);
	last->thread_since = last->task == current && awake && came == U64_MAX ? 0 : came;
	/*
	 * Other threads may exit now, but only threads of the process can create new ones: a thread
	 * that reads 1 is alone.
	 */
	threads = data_race(get_nr_threads(current));
	last->since = last->thread_since;
	if (threads != 1 && current->mm && last->mm == current->mm && awake)
		last->since = 0;
	return min(ticks, profil_tick_since(last->grid.ns, min(last->since, last->thread_since),
					    TICK_NSEC));
}

static __always_inline u64 tick_passed(struct profil_tick *last)
{
	u64 gap;

	if (unlikely(!profil_tick_is_on_time(&last->grid, profil_cycles(), &gap)))
		return tick_late(last);
	profil_tick_move(&last->grid, gap, TICK_NSEC);
	return 1;
}

/* Interrupts are off, so this is an RCU read-side section. */
static __always_inline void tick_charge(enum profil_kind kind, struct profil_subject *subject,
					u64 ticks, bool in_user)
{
	/* a session may be replaced on another CPU: then charge the new one */
	while (subject && !profil_subject_tick(kind, subject, ticks, in_user))
		subject = profil_subject_find(kind, current, false);
}

/* Charge the missed ticks to the profiles of one kind of the current thread. */
static __always_inline void tick_charge_late_kind(enum profil_kind kind,
						  const struct profil_tick *last)
{
	u64 steal = kcpustat_this_cpu->cpustat[CPUTIME_STEAL] - last->steal;
	struct profil_subject *subject = profil_subject_find(kind, current, false);
	u64 late, since;

	for (; subject; subject = profil_subject_find_next(kind, subject, false)) {
		since = max(subject->thread ? last->thread_since : last->since,
			    subject->tick_start_ns);
		/* without the tick itself, which has been charged */
		late = min(last->late, profil_tick_since(last->grid.ns, since, TICK_NSEC) - 1);
		late = profil_tick_unstolen(late, steal, TICK_NSEC);
		if (late)
			tick_charge(kind, subject, late, last->in_user);
	}
}

/*
 * Charge the missed ticks, in an interrupt of its own: a hypervisor may have taken part of
 * the time, and the kernel only learns that later in this tick, after the hook. The
 * interrupt comes before the CPU switches to another thread.
 */
static void tick_charge_late(struct irq_work *work)
{
	struct profil_tick *last = container_of(work, struct profil_tick, work);

	if (last->task == current) {
		tick_charge_late_kind(PROFIL_KIND_SESSION, last);
		tick_charge_late_kind(PROFIL_KIND_TARGET, last);
	}
	last->late = 0;
}

/* Queue missed ticks. Those of an earlier tick have been charged by now, or are dropped. */
static noinline void tick_queue_late(struct profil_tick *last, u64 late, bool in_user)
{
	last->late = late;
	last->in_user = in_user;
	last->steal = kcpustat_this_cpu->cpustat[CPUTIME_STEAL];
	irq_work_queue(&last->work);
}

/* Note what this tick has found, and sampled. */
static __always_inline void tick_note(struct profil_tick *last, const struct task_struct *task)
{
	last->idle = tick_idle_time();
	last->mm = task->mm;
	last->task = task;
	last->came = compat_on_cpu_since();
}

/*
 * Sample the session of the current thread, which has no other profile, if the tick is on time.
 * @refill: look up its region and its page, which the last samples may not have found. Return:
 * false: nothing was done.
 */
static __always_inline bool tick_sample_fast(struct profil_tick *last, struct task_struct *task,
					     bool refill)
{
	struct profil_fast *fast = profil_fast_here(PROFIL_FAST_TICK);
	u64 gap;

	if (!profil_fast_has(fast, task) ||
	    unlikely(!profil_tick_is_on_time(&last->grid, profil_cycles(), &gap)) ||
	    !profil_fast_sample(fast, task, true, refill))
		return false;
	profil_tick_move(&last->grid, gap, TICK_NSEC);
	tick_note(last, task);
	return true;
}

/* Sample the current thread for all its profiles; @target: its first target, or NULL. */
static noinline void tick_sample_all(struct profil_tick *last, struct task_struct *task,
				     struct profil_subject *target)
{
	struct profil_subject *session;
	bool in_user;
	u64 ticks;

	if (!target && tick_sample_fast(last, task, true))
		return;
	session = profil_subject_find(PROFIL_KIND_SESSION, task, false);
	if (!session && !target) {
		/* also for a kernel worker that uses the memory: @grid has not advanced */
		last->mm = NULL;
		last->task = NULL;
		return;
	}
	in_user = user_mode(get_irq_regs());
	ticks = tick_passed(last);
	if (session)
		tick_charge(PROFIL_KIND_SESSION, session, 1, in_user);
	for (; target; target = profil_subject_find_next(PROFIL_KIND_TARGET, target, false))
		tick_charge(PROFIL_KIND_TARGET, target, 1, in_user);
	if (unlikely(ticks > 1))
		tick_queue_late(last, ticks - 1, in_user);
	tick_note(last, task);
}

/*
 * The same, while there are targets; in fewer steps for a thread with a session or one target, but
 * not both, if the tick is on time.
 */
static noinline void tick_sample_beside_targets(struct profil_tick *last, struct task_struct *task)
{
	struct profil_target *target = profil_target_find_sampled(task, false);
	u64 gap;

	if (!target && tick_sample_fast(last, task, false))
		return;
	if (!target || profil_target_find_next(target) || profil_table_may_have(task->mm) ||
	    !profil_tick_is_on_time(&last->grid, profil_cycles(), &gap) ||
	    !profil_target_sample_fast(target, task, true, user_mode(get_irq_regs()))) {
		tick_sample_all(last, task, target ? &target->subject : NULL);
		return;
	}
	profil_tick_move(&last->grid, gap, TICK_NSEC);
	tick_note(last, task);
}

/*
 * Called at each tick, in hard interrupt context. Interrupts are off, so this is an RCU
 * read-side section. It cannot recurse: nothing that it calls uses update_process_times(),
 * the only function that is hooked.
 */
static void notrace tick_hook(unsigned long ip, unsigned long parent_ip,
			      struct ftrace_ops *ops, struct compat_ftrace_regs *regs)
{
	struct profil_tick *last = this_cpu_ptr(&last_tick);
	struct task_struct *task = current;

	if (unlikely(READ_ONCE(profil_nr_targets)))
		tick_sample_beside_targets(last, task);
	else if (unlikely(!tick_sample_fast(last, task, false)))
		tick_sample_all(last, task, NULL);
}

static struct profil_function tick_function =
	PROFIL_FUNCTION("update_process_times", tick_hook);

void __init profil_tick_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		compat_init_irq_work_hard(&per_cpu(last_tick, cpu).work, tick_charge_late);
	profil_function_init(&tick_function);
}

static void tick_sync_late(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu(last_tick, cpu).work);
}

static int tick_attach(void)
{
	return profil_function_attach(&tick_function);
}

static void tick_detach(void)
{
	profil_function_detach(&tick_function);
	tick_sync_late();
}

const struct profil_hook_ops profil_tick_hook = {
	.attach = tick_attach,
	.detach = tick_detach,
};

/* May sleep, for ever: profil_function_exit(). */
void profil_tick_exit(void)
{
	profil_function_exit(&tick_function);
}
