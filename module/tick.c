// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tick clock: a ftrace callback on update_process_times(), which every CPU
 * calls in hard interrupt context at every scheduler tick, on all kernels. No
 * interrupt is added.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/ftrace.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/kernel_stat.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/signal.h>
#include <linux/timekeeping.h>

#include <asm/irq_regs.h>

#include "compat.h"
#include "sampler.h"
#include "session.h"
#include "table.h"
#include "tick.h"
#include "ticks.h"

/**
 * struct profil_tick - what a CPU's last ticks were, to charge late ones
 * @grid: tick grid, as profil_tick_advance() keeps it; at the last sampled tick
 * @idle: the CPU's idle time by then, see tick_idle_time()
 * @mm:   what the last tick of all found, NULL if it was not sampled,
 * @task: and which thread; compared, never followed
 * @came: when that came to the CPU, see compat_on_cpu_since()
 * @late: ticks that are charged after this one, by @work,
 * @in_user: as this one found it in user mode,
 * @steal: but for the part that a hypervisor took: CPUTIME_STEAL before it is known
 * @work: charges them
 *
 * Written only by its own CPU in hard interrupts, so with interrupts off.
 */
struct profil_tick {
	u64 grid;
	u64 idle;
	const struct mm_struct *mm;
	const struct task_struct *task;
	u64 came;
	u64 late;
	bool in_user;
	u64 steal;
	struct irq_work work;
};

static DEFINE_PER_CPU(struct profil_tick, last_tick);

/* Moves when the CPU was idle over a tick, also when there was no tick then. */
static __always_inline u64 tick_idle_time(void)
{
	const u64 *times = kcpustat_this_cpu->cpustat;

	return times[CPUTIME_IDLE] + times[CPUTIME_IOWAIT];
}

/*
 * When the current thread came to its CPU, on the clock of ktime_get_ns(). The scheduler
 * has noted it in local_clock()'s, which may be behind here: where it is not stable, it is
 * moved to the present by this tick, after the hook. So it is not read for a thread that the
 * last tick found, and that has not left since; and otherwise it makes the thread come
 * later than it did, so that less is charged.
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
 * How many ticks the one at hand stands for. One that was held up by more than a
 * period (interrupts off, or a virtual machine off its CPU) comes once. The thread that
 * it finds is charged what was due since it came to the CPU. Where the process has other
 * threads that are sampled, and the last tick found one of them all, and the CPU has not
 * been idle since, the process is taken to have run through the gap, and is charged all
 * that was due; so is a lone thread, on a kernel that does not know when it came. What
 * was due before the session began is not charged.
 */
static __always_inline u64 tick_passed(struct profil_tick *last,
				       const struct profil_session *session)
{
	u64 now = ktime_get_ns();
	u64 ticks = profil_tick_advance(&last->grid, now, TICK_NSEC);
	u64 idle = tick_idle_time();

	if (unlikely(ticks > 1)) {
		/*
		 * Other threads may end meanwhile. Only a thread of the process
		 * adds threads: where this one reads 1, it is alone.
		 */
		int threads = data_race(get_nr_threads(current));
		bool alone = session->thread || threads == 1;
		bool same = alone ? last->task == current :
				    last->mm == current->mm;
		u64 since = session->tick_start_ns;
		u64 came = tick_came(last, now);

		if (!same || last->idle != idle || (alone && came != U64_MAX))
			since = max(since, came);
		ticks = min(ticks, profil_tick_since(last->grid, since,
						     TICK_NSEC));
	}
	last->idle = idle;
	return ticks;
}

/* Interrupts are off, so that it is an RCU read-side section. */
static __always_inline void tick_charge(struct profil_session *session,
					u64 ticks, bool in_user)
{
	/* replaced on another CPU: then its successor is there */
	while (session && !profil_sampler_tick(session, ticks, in_user))
		session = profil_table_find_sampled(current, false);
}

/*
 * Of a tick that stands for several, all but itself are charged by this, in an interrupt of
 * its own: a hypervisor may have taken a part of what has passed, and the kernel finds out in
 * this tick, but after the hook. The interrupt comes before the CPU goes on to another thread.
 */
static void tick_charge_late(struct irq_work *work)
{
	struct profil_tick *last = container_of(work, struct profil_tick, work);
	u64 steal = kcpustat_this_cpu->cpustat[CPUTIME_STEAL] - last->steal;
	u64 ticks = profil_tick_unstolen(last->late, steal, TICK_NSEC);

	last->late = 0;
	if (ticks && last->task == current)
		tick_charge(profil_table_find_sampled(current, false), ticks,
			    last->in_user);
}

/* Have them charged. What an earlier tick has queued has been charged by now, or is dropped. */
static noinline void tick_queue_late(struct profil_tick *last, u64 late,
				     bool in_user)
{
	last->late = late;
	last->in_user = in_user;
	last->steal = kcpustat_this_cpu->cpustat[CPUTIME_STEAL];
	irq_work_queue(&last->work);
}

/*
 * Hard interrupt context. Interrupts are off, so that it is an RCU read-side section.
 * Nothing that it calls is a function that it is called by: it cannot recurse.
 */
static void notrace tick_hook(unsigned long ip, unsigned long parent_ip,
			      struct ftrace_ops *ops, compat_ftrace_regs *regs)
{
	struct profil_tick *last = this_cpu_ptr(&last_tick);
	struct profil_session *session = profil_table_find_sampled(current, false);

	if (session) {
		bool in_user = user_mode(get_irq_regs());
		u64 ticks = tick_passed(last, session);

		tick_charge(session, 1, in_user);
		if (unlikely(ticks > 1))
			tick_queue_late(last, ticks - 1, in_user);
		last->mm = current->mm;
		last->task = current;
		last->came = compat_on_cpu_since();
	} else {
		/* also a worker that has borrowed the memory: it has not advanced @grid */
		last->mm = NULL;
		last->task = NULL;
	}
}

/*
 * RECURSION_SAFE, on kernels that would guard against it otherwise.
 * PERMANENT: kernel.ftrace_enabled=0 must not stop sampling unseen. It is
 * refused while the clock is attached, and attaching is while it is set.
 */
static struct ftrace_ops clock_ops = {
	.func = tick_hook,
	.flags = COMPAT_FTRACE_RECURSION_SAFE | FTRACE_OPS_FL_PERMANENT,
};

/*
 * An empty filter means every function, so none may be registered. ftrace_set_filter()
 * returns 0 also where it had no memory for the function's entry: to its caller
 * match_records() with -ENOMEM is a match. Nothing in ftrace's interface says what a
 * filter holds: only ftrace_set_filter_ip() reports an entry that is not there, and that
 * wants the function's address, which is not exported. (A kprobe that is never armed
 * would find it; that is more of another subsystem, and wants CONFIG_KPROBES.) So the
 * hash's address is compared with that of the empty one; what it points to is not
 * looked at. It is not registered, so nobody else changes it.
 *
 * Return: 0 or an error.
 */
static int tick_set_filter(void)
{
	static unsigned char function[] = "update_process_times";
	const void *empty;
	int err;

	err = ftrace_set_filter(&clock_ops, NULL, 0, 1);
	if (err)
		return err;
	empty = rcu_access_pointer(clock_ops.func_hash->filter_hash);
	err = ftrace_set_filter(&clock_ops, function, strlen(function), 1);
	if (!err &&
	    rcu_access_pointer(clock_ops.func_hash->filter_hash) == empty)
		err = -ENOMEM;
	if (err && err != -ENOMEM)
		pr_err("this kernel does not let ftrace have %s: %d\n",
		       function, err);
	return err;
}

/**
 * profil_tick_attach - have every tick call the sampler
 *
 * May sleep; not twice. Return: 0, -EOPNOTSUPP if the kernel cannot, or -ENOMEM.
 */
int profil_tick_attach(void)
{
	static bool clock_filtered;
	int cpu, err;

	if (!clock_filtered) {
		for_each_possible_cpu(cpu)
			compat_init_irq_work_hard(&per_cpu(last_tick, cpu).work,
						  tick_charge_late);
		err = tick_set_filter();
		if (err)
			return err == -ENOMEM ? err : -EOPNOTSUPP;
		clock_filtered = true;
	}
	err = register_ftrace_function(&clock_ops);
	if (err == -EBUSY)
		pr_err_ratelimited("no clock: sysctl kernel.ftrace_enabled is 0\n");
	else if (err == -ENODEV)
		pr_err_ratelimited("no clock: ftrace has turned itself off, see above\n");
	return err && err != -ENOMEM ? -EOPNOTSUPP : err;
}

/* ftrace would not take its call out: the callback is called until a reboot. */
static bool tick_stuck;

/*
 * May sleep. When it returns, no CPU is in the callback, but where ftrace has turned
 * itself off (ftrace_kill()). Then its call stays in the kernel's text, and this code
 * must stay too: one reference to the module is never put. Attaching fails from there
 * on, so that this is not reached twice. If the module is already being removed, it has
 * no references any more, and profil_tick_exit() keeps it.
 */
void profil_tick_detach(void)
{
	int err = unregister_ftrace_function(&clock_ops);
	int cpu;

	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu(last_tick, cpu).work);

	if (!err)
		return;
	tick_stuck = true;
	__module_get(THIS_MODULE);
	pr_err("ftrace has turned itself off (%d), and calls this module until a reboot: it cannot be removed\n",
	       err);
}

/*
 * May sleep. Not attached any more; else the module's end never comes, since the code
 * is freed after it. No lock is held here, and no session is left: the callback finds
 * nobody to count for.
 */
void profil_tick_exit(void)
{
	while (tick_stuck)
		schedule_timeout_idle(MAX_SCHEDULE_TIMEOUT);
	compat_ftrace_free_filter(&clock_ops);
}
