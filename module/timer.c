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
#include <linux/hrtimer.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/tracepoint.h>

#include <asm/irq_regs.h>

#include "clock.h"
#include "compat.h"
#include "config.h"
#include "grid.h"
#include "guard.h"
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

/* What most threads are asked, at each switch; needs no RCU. */
static bool may_be_sampled(const struct task_struct *task)
{
	return task->mm && profil_table_may_have(task->mm);
}

/* The session that the timer is to sample a thread for, or NULL. */
static struct profil_session *find(struct task_struct *task)
{
	struct profil_session *session;

	if (!may_be_sampled(task) || task->flags & COMPAT_PF_WORKERS)
		return NULL;
	session = profil_table_find(task->mm);
	if (!session || !profil_clock_is_timer(session->config) ||
	    !profil_session_covers(session, task) ||
	    READ_ONCE(session->state) != PROFIL_STATE_RUNNING)
		return NULL;
	return session;
}

/* Have the timer at the grid of a session. Return: false if it is another one. */
static bool set_grid(struct profil_timer *timer,
		     const struct profil_session *session)
{
	u32 rate = profil_guard_rate(session->config->rate);
	bool random = session->config->clock == PROFIL_CLOCK_RANDOM;
	bool same = timer->grid.rate == rate && timer->grid.random == random;

	timer->grid.rate = rate;
	timer->grid.random = random;
	return same;
}

/*
 * How many points there are from the last look on to now, and which is the next. Nearly
 * always it is the one that was next.
 */
static u64 points_passed(struct profil_timer *timer,
			 const struct profil_session *session, u64 now)
{
	u64 since = max(timer->since, session->started_ktime);
	u64 next, points = 0;

	timer->since = now;
	if (set_grid(timer, session) && since < timer->point &&
	    timer->point <= now) {
		next = profil_grid_point(&timer->grid, timer->period + 1) -
		       timer->grid.shift;
		if (now < next) {
			timer->period++;
			timer->point = next;
			return 1;
		}
	}
	if (now > since)
		points = profil_grid_passed(&timer->grid, since, now);
	timer->point = profil_grid_next(&timer->grid, now, &timer->period);
	return points;
}

/* Count the points that have passed while @task, of @session, was on the CPU. */
static void sample(struct profil_timer *timer, struct profil_session *session,
		   struct task_struct *task, u64 now, bool in_user)
{
	u64 points = points_passed(timer, session, now);

	/* replaced on another CPU: then its successor is there */
	while (points && session &&
	       !profil_sampler_point(session, task, points, in_user))
		session = find(task);
}

static void arm(struct profil_timer *timer, const struct profil_session *session,
		u64 now)
{
	set_grid(timer, session);
	timer->point = profil_grid_next(&timer->grid, now, &timer->period);
	/* one that comes sooner arms itself anew */
	if (hrtimer_is_queued(&timer->timer) &&
	    hrtimer_get_expires_ns(&timer->timer) <= timer->point)
		return;
	hrtimer_start(&timer->timer, ns_to_ktime(timer->point),
		      HRTIMER_MODE_ABS_PINNED_HARD);
}

/*
 * With the runqueue's lock held: nothing here may wake anybody, as the kick of a
 * worker does. The thread that leaves is in the kernel.
 */
static void probe_switch(COMPAT_SWITCH_ARGS)
{
	struct profil_timer *timer = this_cpu_ptr(&timers);
	struct profil_session *session;
	u64 now = 0;

	if (!may_be_sampled(prev) && !may_be_sampled(next))
		return;
	rcu_read_lock();
	session = find(prev);
	if (session) {
		now = ktime_get_ns();
		/* else the timer, armed for the next point, has none behind it */
		if (hrtimer_get_expires_ns(&timer->timer) <= now)
			sample(timer, session, prev, now, false);
	}
	session = find(next);
	if (session) {
		now = now ?: ktime_get_ns();
		timer->since = now;
		arm(timer, session, now);
	}
	rcu_read_unlock();
}

static enum hrtimer_restart fire(struct hrtimer *hrtimer)
{
	struct profil_timer *timer =
		container_of(hrtimer, struct profil_timer, timer);
	enum hrtimer_restart restart = HRTIMER_NORESTART;
	struct profil_session *session;
	u64 now;

	/* carried here from a CPU that has gone offline */
	if (timer != this_cpu_ptr(&timers))
		return HRTIMER_NORESTART;

	session = find(current);
	if (session) {
		now = ktime_get_ns();
		sample(timer, session, current, now,
		       user_mode(get_irq_regs()));
		hrtimer_set_expires(hrtimer, ns_to_ktime(timer->point));
		/* dear itself: so not each time */
		if (!(++timer->fired % MEASURED))
			profil_guard_account(session->config->rate,
					     ktime_get_ns() - now);
		restart = HRTIMER_RESTART;
	}
	return restart;
}

/* With what has passed counted first: arming looks only ahead. */
static void arm_here(void *unused)
{
	struct profil_timer *timer = this_cpu_ptr(&timers);
	struct profil_session *session;
	u64 now = ktime_get_ns();

	rcu_read_lock();
	session = find(current);
	if (session) {
		sample(timer, session, current, now, false);
		arm(timer, session, now);
	}
	rcu_read_unlock();
}

/**
 * profil_timer_begin - sample the threads that are on CPUs now
 *
 * May sleep. For a session that has just been published: whom the scheduler does not
 * switch, as on a CPU of its own, would not be found otherwise.
 */
void profil_timer_begin(void)
{
	on_each_cpu(arm_here, NULL, 1);
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
	if (!switch_tracepoint)
		switch_tracepoint = profil_tracepoint_find("sched_switch");
	if (!switch_tracepoint)
		return -EOPNOTSUPP;
	return tracepoint_probe_register(switch_tracepoint, probe_switch, NULL);
}

/* May sleep. When it returns, no CPU is in the probe or the timer. */
void profil_timer_detach(void)
{
	int cpu;

	tracepoint_probe_unregister(switch_tracepoint, probe_switch, NULL);
	tracepoint_synchronize_unregister();
	for_each_possible_cpu(cpu)
		hrtimer_cancel(&per_cpu_ptr(&timers, cpu)->timer);
	profil_guard_reset();
}

void __init profil_timer_init(void)
{
	u64 seed;
	int cpu;

	get_random_bytes(&seed, sizeof(seed));
	for_each_possible_cpu(cpu) {
		struct profil_timer *timer = per_cpu_ptr(&timers, cpu);

		compat_hrtimer_setup(&timer->timer, fire, CLOCK_MONOTONIC,
				     HRTIMER_MODE_ABS_PINNED_HARD);
		timer->grid.seed = seed;
		timer->grid.shift = profil_grid_mix(seed + cpu) % PROFIL_NS;
	}
}
