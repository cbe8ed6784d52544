// SPDX-License-Identifier: GPL-2.0-only
/*
 * The timer clock: one high-resolution timer on each CPU, for rates that the tick
 * cannot give, for points at random, and for CPUs whose tick is off (nohz_full).
 *
 * It is armed when a thread of a profiled process comes to the CPU, for the next
 * point of a grid that runs on by itself (grid.h), and lapses when it finds none: a
 * CPU without profiled threads gets no interrupt. Nothing is restarted at a switch,
 * or threads that run shorter than a period would never be sampled.
 *
 * A point that is due before the thread leaves the CPU is the thread's, however late
 * the interrupt comes: what has passed is counted at the interrupt and at the switch,
 * whichever is first.
 *
 * All of it runs with interrupts off on the CPU that it is about, which is what
 * protects struct profil_timer, and is an RCU read-side section as well.
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
#include "throttle.h"
#include "sampler.h"
#include "session.h"
#include "table.h"
#include "timer.h"
#include "tracepoints.h"

#define MEASURED	16

/**
 * struct profil_timer - of one CPU
 * @timer:  queued while a profiled thread is on the CPU, and until its next point
 *          after that
 * @since:  until when points have been counted, on ktime_get()'s clock
 * @grid:   of the thread that was there last,
 * @period: its next point's, as seen then,
 * @point:  and the point
 * @fired:  how often, of which one in MEASURED is measured
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

/* When it comes, or came last, in ns. */
static __always_inline u64 timer_expires(const struct profil_timer *timer)
{
	return ktime_to_ns(hrtimer_get_expires(&timer->timer));
}

/* Have the timer at the grid of a session. Return: false if it is another one. */
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

/* How many points there are from the last look on to now; look ahead to the next. */
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
 * The same where the timer comes for the point that was next, without a look at the
 * clock. Return: false if that is not so.
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

/* Count points that have passed while @task, of @session, was on the CPU. */
static __always_inline void timer_sample(struct profil_session *session,
					 struct task_struct *task, u64 points,
				   bool in_user)
{
	/* replaced on another CPU: then its successor is there */
	while (points && session &&
	       !profil_sampler_point(session, task, points, in_user))
		session = profil_table_find_sampled(task, true);
}

static void timer_arm(struct profil_timer *timer, const struct profil_session *session,
		      u64 now)
{
	/* one of the same grid that is still to come is the next */
	if (!timer_set_grid(timer, session) || timer->point <= now)
		timer->point = profil_grid_next(&timer->grid, now,
						&timer->period);
	/* one that comes sooner arms itself anew */
	if (hrtimer_is_queued(&timer->timer) &&
	    timer_expires(timer) <= timer->point)
		return;
	hrtimer_start(&timer->timer, ns_to_ktime(timer->point),
		      HRTIMER_MODE_ABS_PINNED_HARD);
}

/*
 * With the runqueue's lock held: nothing here may wake anybody, as the kick of a
 * worker does. The thread that leaves is in the kernel.
 */
static void timer_probe_switch(COMPAT_SWITCH_ARGS)
{
	struct profil_timer *timer = this_cpu_ptr(&timers);
	struct profil_session *session;
	u64 now = 0;

	session = profil_table_find_sampled(prev, true);
	if (session) {
		now = ktime_get_ns();
		/* else the timer, armed for the next point, has none behind it */
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
 * After the last point on to now. Looking at the clock is dear, so it is not done each
 * time; but if the processor was away for long, the timer need not come for each point
 * one by one. What that takes is told to the guard.
 */
static noinline void timer_sample_by_clock(struct profil_timer *timer,
					   struct profil_session *session,
				     bool in_user)
{
	/* kept as the session is, should that be replaced meanwhile */
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
	 * Carried here from a CPU that has gone offline, or fired for it: before 6.7
	 * by a thread, without an interrupt
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
 * With what has passed counted first: arming looks only ahead. In which mode the thread
 * was is not told here.
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
 * Where threads of a process that has the memory are, or are queued. Threads of one process
 * share it; those that have exited have none. One that sleeps comes through the switch.
 */
static void timer_find_threads(struct task_struct *process,
			       const struct mm_struct *mm, struct cpumask *cpus)
{
	const struct mm_struct *has;
	struct task_struct *thread;

	for_each_thread(process, thread) {
		/* compared, never followed */
		has = READ_ONCE(thread->mm);
		if (!has)
			continue;
		if (has != mm)
			return;
		if (READ_ONCE(thread->on_rq))
			cpumask_set_cpu(task_cpu(thread), cpus);
	}
}

/* The same for all that share the caller's memory: more than one process if there was CLONE_VM. */
static void timer_find_cpus(struct cpumask *cpus)
{
	struct mm_struct *mm = current->mm;
	struct task_struct *process;

	/*
	 * The session has been published before we look. A thread that we do not find, or
	 * find on another CPU than it is on, comes to its CPU by a switch that is not over
	 * when we look, and whose probe sees the session. Pairs with the full barrier of
	 * __schedule(), which comes after @on_rq and the CPU have been written, and before
	 * the probe.
	 */
	smp_mb();
	/* keeps tasks from being freed, and lists from being cut off */
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
 * profil_timer_begin - sample the caller's threads that are on CPUs now
 *
 * May sleep. For a session that has just been published: a thread that the scheduler does
 * not switch, as on a CPU of its own, would not be found otherwise. CPUs without such
 * threads are left alone: they may be isolated, or do work in real time.
 */
void profil_timer_begin(void)
{
	cpumask_var_t cpus;

	/* of one thread: only that could make another */
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
 * profil_timer_attach - have threads looked at that come and go
 *
 * May sleep; not twice. Return: 0, -EOPNOTSUPP if the kernel has no such
 * tracepoint, or -ENOMEM.
 */
int profil_timer_attach(void)
{
	/* no code: the compiler compares the probe with the tracepoint */
	check_trace_callback_type_sched_switch(timer_probe_switch);
	if (!switch_tracepoint)
		switch_tracepoint = profil_tracepoint_find("sched_switch");
	if (!switch_tracepoint)
		return -EOPNOTSUPP;
	return tracepoint_probe_register(switch_tracepoint, timer_probe_switch, NULL);
}

/* May sleep. When it returns, no CPU is in the probe or the timer. */
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
