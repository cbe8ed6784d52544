// SPDX-License-Identifier: GPL-2.0-only
/*
 * The timer clock: one high-resolution timer on each CPU, for rates above the tick's, for
 * sampling at random points, and for CPUs whose tick is off (nohz_full).
 *
 * When a thread of a profiled process comes to the CPU, the timer is armed for the next point
 * of a grid that depends on the time only (grid.h). When it fires without such a thread, it
 * is not armed again: a CPU without profiled threads gets no more interrupts. A switch does not
 * restart a period, or threads that run for less than a period would never be sampled.
 *
 * A point that is due before the thread leaves the CPU belongs to the thread, however late
 * the interrupt comes. Points are counted at the interrupt or at the switch, whichever is
 * first.
 *
 * All of this runs with interrupts off on the CPU concerned. That protects struct
 * profil_timer, and is also an RCU read-side section.
 */
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>
#include <linux/tracepoint.h>

#include <trace/events/sched.h>

#include <asm/irq_regs.h>

#include "compat.h"
#include "config.h"
#include "grid.h"
#include "sampler.h"
#include "session.h"
#include "table.h"
#include "throttle.h"
#include "timer.h"
#include "tracepoints.h"

/* The cost of one sample in this many is measured. */
#define MEASURED	16

/**
 * struct profil_timer - the timer of one CPU
 * @timer:  queued while a profiled thread is on the CPU, and until the next point after that
 * @since:  time up to which points have been counted, in ns of ktime_get()
 * @grid:   grid of the last profiled thread
 * @period: period of the next point of @grid
 * @point:  the next point of @grid, in ns
 * @fired:  how often the timer fired, for MEASURED
 */
struct profil_timer {
	struct hrtimer timer;
	u64 since;
	struct profil_grid grid;
	u64 period;
	u64 point;
	unsigned int fired;
};

static DEFINE_PER_CPU(struct profil_timer, timers);

/* When the timer fires, or fired last, in ns. */
static __always_inline u64 timer_expires(const struct profil_timer *timer)
{
	return ktime_to_ns(hrtimer_get_expires(&timer->timer));
}

/* Switch to the grid of a session. Return: whether @timer already had this grid. */
static __always_inline bool timer_set_grid(struct profil_timer *timer,
					   const struct profil_session *session)
{
	u32 rate = profil_throttle_rate(&session->config->throttle,
					session->config->rate);
	bool random = session->config->clock == PROFIL_CLOCK_RANDOM;
	bool same = timer->grid.rate == rate && timer->grid.random == random;

	timer->grid.rate = rate;
	timer->grid.random = random;
	return same;
}

/* Count the points since the last time, and find the next point. */
static u64 timer_points_passed(struct profil_timer *timer,
			       const struct profil_session *session, u64 now)
{
	u64 since = max(timer->since, session->timer_start_ns);
	u64 points = 0;

	timer_set_grid(timer, session);
	if (now > since)
		points = profil_grid_passed(&timer->grid, since, now);
	timer->since = now;
	timer->point = profil_grid_next(&timer->grid, now, &timer->period);
	return points;
}

/*
 * Move on by one point, without reading the clock. Return: false if the timer has not fired
 * for the next point of this grid.
 */
static __always_inline bool timer_is_at_point(struct profil_timer *timer,
					      const struct profil_session *session)
{
	if (unlikely(!timer_set_grid(timer, session) ||
		     timer_expires(timer) != timer->point ||
		     timer->point <= session->timer_start_ns))
		return false;
	timer->since = timer->point;
	timer->point = profil_grid_point(&timer->grid, ++timer->period) -
		       timer->grid.shift;
	return true;
}

/* Take samples for points that passed while @task, of @session, was on the CPU. */
static __always_inline void timer_sample(struct profil_session *session,
					 struct task_struct *task, u64 points,
					 bool in_user)
{
	/* the session may be replaced on another CPU: then sample for the new one */
	while (points && session &&
	       !profil_sampler_point(session, task, points, in_user))
		session = profil_table_find_sampled(task, true);
}

static void timer_arm(struct profil_timer *timer, const struct profil_session *session,
		      u64 now)
{
	/* a point of the same grid in the future is still the next one */
	if (!timer_set_grid(timer, session) || timer->point <= now)
		timer->point = profil_grid_next(&timer->grid, now,
						&timer->period);
	/* a timer that fires earlier arms itself again */
	if (hrtimer_is_queued(&timer->timer) &&
	    timer_expires(timer) <= timer->point)
		return;
	hrtimer_start(&timer->timer, ns_to_ktime(timer->point),
		      HRTIMER_MODE_ABS_PINNED_HARD);
}

/*
 * At each switch, with the runqueue's lock held: nothing here may wake a thread, and kicking a
 * worker would. The thread that leaves the CPU is in the kernel.
 */
static void timer_probe_switch(COMPAT_SWITCH_ARGS)
{
	struct profil_timer *timer = this_cpu_ptr(&timers);
	struct profil_session *session;
	u64 now = 0;

	session = profil_table_find_sampled(prev, true);
	if (session) {
		now = ktime_get_ns();
		/* a later timer is armed for the next point: no point has passed */
		if (timer_expires(timer) <= now)
			timer_sample(session, prev,
				     timer_points_passed(timer, session, now), false);
	}
	session = profil_table_find_sampled(next, true);
	if (session) {
		now = now ?: ktime_get_ns();
		timer->since = now;
		timer_arm(timer, session, now);
	}
}

/*
 * Take samples for all points up to now. Reading the clock is expensive, so this is not done
 * each time. If several points have passed, it saves an interrupt for each of the others. The
 * cost is measured, to throttle the rate.
 */
static noinline void timer_sample_by_clock(struct profil_timer *timer,
					   struct profil_session *session,
					   bool in_user)
{
	/* freed with the session, a grace period later, if that is replaced now */
	struct profil_config *config = session->config;
	u64 now = ktime_get_ns();

	timer_sample(session, current, timer_points_passed(timer, session, now), in_user);
	profil_throttle_account(&config->throttle, config->rate,
				ktime_get_ns() - now);
}

static enum hrtimer_restart profil_timer_fire(struct hrtimer *hrtimer)
{
	struct profil_timer *timer =
		container_of(hrtimer, struct profil_timer, timer);
	struct pt_regs *regs = get_irq_regs();
	struct profil_session *session;
	bool in_user;

	/*
	 * The timer was migrated from a CPU that went offline, or fired for such a CPU: before
	 * 6.7, a thread does that, without an interrupt.
	 */
	if (unlikely(timer != this_cpu_ptr(&timers) || !regs))
		return HRTIMER_NORESTART;
	in_user = user_mode(regs);
	session = profil_table_find_sampled(current, true);
	if (!session)
		return HRTIMER_NORESTART;
	if (++timer->fired % MEASURED && timer_is_at_point(timer, session))
		timer_sample(session, current, 1, in_user);
	else
		timer_sample_by_clock(timer, session, in_user);
	hrtimer_set_expires(hrtimer, ns_to_ktime(timer->point));
	return HRTIMER_RESTART;
}

/*
 * Arm the timer of this CPU. Points that have passed are counted first, since arming only
 * looks ahead. Whether the thread was in user mode is not known here.
 */
static void timer_arm_here(void *unused)
{
	struct profil_timer *timer = this_cpu_ptr(&timers);
	struct profil_session *session;
	u64 now = ktime_get_ns();

	session = profil_table_find_sampled(current, true);
	if (session) {
		timer_sample(session, current, timer_points_passed(timer, session, now),
			     false);
		timer_arm(timer, session, now);
	}
}

/*
 * Add the CPUs of all threads of a process that run or are queued, if they have the memory
 * @mm. Threads of a process share memory, but exited threads have none. A sleeping thread is
 * found later, at its switch.
 */
static void timer_find_threads(struct task_struct *process,
			       const struct mm_struct *mm, struct cpumask *cpus)
{
	const struct mm_struct *has;
	struct task_struct *thread;

	for_each_thread(process, thread) {
		/* only compared, never dereferenced */
		has = READ_ONCE(thread->mm);
		if (!has)
			continue;
		if (has != mm)
			return;
		if (READ_ONCE(thread->on_rq))
			cpumask_set_cpu(task_cpu(thread), cpus);
	}
}

/* The same for all processes that share the caller's memory (CLONE_VM). */
static void timer_find_cpus(struct cpumask *cpus)
{
	struct mm_struct *mm = current->mm;
	struct task_struct *process;

	/*
	 * The session is already published. A thread may be missed here, or be found on
	 * another CPU than it runs on. Then its switch to that CPU is not complete yet, and
	 * the probe in that switch sees the session. Pairs with the full barrier in
	 * __schedule() between the stores to @on_rq and the CPU, and the probe.
	 */
	smp_mb();
	/* keeps tasks from being freed, and keeps the lists intact */
	rcu_read_lock();
	if (atomic_read(&mm->mm_users) <= get_nr_threads(current)) {
		timer_find_threads(current, mm, cpus);
	} else {
		for_each_process(process)
			timer_find_threads(process, mm, cpus);
	}
	rcu_read_unlock();
}

/**
 * profil_timer_start - start sampling threads of the caller that are already on a CPU
 *
 * May sleep. For a session that has just been published: a thread that the scheduler does
 * not switch, for example on a CPU of its own, would not be found otherwise. Other CPUs are
 * not interrupted: they may be isolated or do real-time work.
 */
void profil_timer_start(void)
{
	cpumask_var_t cpus;

	/* a single thread: only that thread could create another */
	if (atomic_read(&current->mm->mm_users) == 1) {
		local_irq_disable();
		timer_arm_here(NULL);
		local_irq_enable();
	} else if (zalloc_cpumask_var(&cpus, GFP_KERNEL)) {
		timer_find_cpus(cpus);
		on_each_cpu_mask(cpus, timer_arm_here, NULL, true);
		free_cpumask_var(cpus);
	} else {
		on_each_cpu(timer_arm_here, NULL, 1);
	}
}

static struct tracepoint *switch_tracepoint;

/**
 * profil_timer_attach - start watching threads that come to a CPU or leave it
 *
 * May sleep. Must not be attached already.
 *
 * Return: 0, -EOPNOTSUPP if the kernel has no such tracepoint, or -ENOMEM.
 */
int profil_timer_attach(void)
{
	/* generates no code: lets the compiler check the probe's type */
	check_trace_callback_type_sched_switch(timer_probe_switch);
	if (!switch_tracepoint)
		switch_tracepoint = profil_tracepoint_find("sched_switch");
	if (!switch_tracepoint)
		return -EOPNOTSUPP;
	return tracepoint_probe_register(switch_tracepoint, timer_probe_switch, NULL);
}

/* May sleep. On return no CPU is in the probe or the timer. */
void profil_timer_detach(void)
{
	int cpu;

	tracepoint_probe_unregister(switch_tracepoint, timer_probe_switch, NULL);
	tracepoint_synchronize_unregister();
	for_each_possible_cpu(cpu)
		hrtimer_cancel(&per_cpu_ptr(&timers, cpu)->timer);
}

void __init profil_timer_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct profil_timer *timer = per_cpu_ptr(&timers, cpu);

		compat_hrtimer_setup(&timer->timer, profil_timer_fire, CLOCK_MONOTONIC,
				     HRTIMER_MODE_ABS_PINNED_HARD);
		get_random_bytes(&timer->grid.key, sizeof(timer->grid.key));
		timer->grid.shift = reciprocal_scale(get_random_u32(), PROFIL_NS);
	}
}
