// SPDX-License-Identifier: GPL-2.0-only
/*
 * The timer clock: a high-resolution timer on each CPU for each kind of profile, for rates
 * above the tick's, for sampling at random points, and for CPUs whose tick is off (nohz_full).
 *
 * When a thread of a profiled process comes to the CPU, the timer is armed for the next point
 * of a grid that depends on the time only (grid.h). When it fires without such a thread, it
 * is not armed again: a CPU without profiled threads gets no more interrupts. A switch does not
 * restart a period, or threads that run for less than a period would never be sampled.
 *
 * A point that is due before the thread leaves the CPU belongs to the thread, however late the
 * interrupt comes. Points are counted at the interrupt or at the switch, whichever is first.
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

#include "clock/grid.h"
#include "clock/hooks.h"
#include "clock/subject.h"
#include "clock/throttle.h"
#include "clock/timer.h"
#include "compat.h"

/* The cost of one sample in this many is measured. */
#define MEASURED	16

/**
 * struct profil_timer - the timer of one CPU for one kind of profile
 * @sampled: the current thread had a profile when it came to the CPU, or has got one since
 * @timer:  queued while a profiled thread is on the CPU, and until the next point after that
 * @since:  time up to which points have been counted, in ns of ktime_get()
 * @grid:   grid of the last profiled thread: of its profiles, the one with the next point
 * @period: period of the next point of @grid
 * @point:  the next point of @grid, in ns
 * @fired:  how often the timer fired, for MEASURED
 */
struct profil_timer {
	bool sampled;
	struct hrtimer timer;
	u64 since;
	struct profil_grid grid;
	u64 period;
	u64 point;
	unsigned int fired;
};

static DEFINE_PER_CPU(struct profil_timer[PROFIL_NR_KINDS], timers);

static __always_inline struct profil_timer *timer_here(enum profil_kind kind)
{
	return &(*this_cpu_ptr(&timers))[kind];
}

/* When the timer fires, or fired last, in ns. */
static __always_inline u64 timer_expires(const struct profil_timer *timer)
{
	return ktime_to_ns(hrtimer_get_expires(&timer->timer));
}

/* The rate of a profile's grid */
static __always_inline u32 timer_rate(const struct profil_subject *subject)
{
	return profil_throttle_rate(&subject->pace->throttle, subject->pace->rate);
}

static __always_inline bool timer_is_random(const struct profil_subject *subject)
{
	return subject->pace->clock == PROFIL_CLOCK_RANDOM;
}

/* Whether @timer has the grid of a profile. */
static __always_inline bool timer_has_grid(const struct profil_timer *timer,
					   const struct profil_subject *subject)
{
	return timer->grid.rate == timer_rate(subject) &&
	       timer->grid.random == timer_is_random(subject);
}

/* Switch to the grid of a profile. */
static __always_inline void timer_set_grid(struct profil_timer *timer,
					   const struct profil_subject *subject)
{
	timer->grid.rate = timer_rate(subject);
	timer->grid.random = timer_is_random(subject);
}

/* Count the points of a profile since the last time. Sets its grid. */
static u64 timer_points_passed(struct profil_timer *timer,
			       const struct profil_subject *subject, u64 now)
{
	u64 since = max(timer->since, subject->timer_start_ns);

	timer_set_grid(timer, subject);
	return now > since ? profil_grid_passed(&timer->grid, since, now) : 0;
}

/* Find the next point of a profile. Sets its grid. */
static __always_inline void timer_set_next_point(struct profil_timer *timer,
						 const struct profil_subject *subject, u64 now)
{
	timer_set_grid(timer, subject);
	timer->point = profil_grid_next(&timer->grid, now, &timer->period);
}

/*
 * Find the next point of all profiles of a thread.
 *
 * @subject: the first one
 */
static __always_inline void timer_find_next_point(struct profil_timer *timer,
						  enum profil_kind kind,
						  struct profil_subject *subject, u64 now)
{
	struct profil_subject *other = subject, *earliest = subject;
	u64 point;

	timer_set_next_point(timer, subject, now);
	point = timer->point;
	while ((other = profil_subject_find_next(kind, other, true))) {
		timer_set_next_point(timer, other, now);
		if (timer->point < point) {
			point = timer->point;
			earliest = other;
		}
	}
	if (timer->point != point)
		timer_set_next_point(timer, earliest, now);
}

/* Move on to the point after @point, which the timer has fired for. */
static __always_inline void timer_step(struct profil_timer *timer)
{
	timer->since = timer->point;
	timer->point = profil_grid_point(&timer->grid, ++timer->period) - timer->grid.shift;
}

/* Return: false: the timer has not fired for the next point of this grid. */
static __always_inline bool timer_is_at_point(const struct profil_timer *timer,
					      const struct profil_subject *subject)
{
	return likely(timer_has_grid(timer, subject)) &&
	       likely(timer_expires(timer) == timer->point) &&
	       likely(timer->point > subject->timer_start_ns);
}

/* Take samples for points that passed while @task, of @subject, was on the CPU. */
static __always_inline void timer_sample(enum profil_kind kind, struct profil_subject *subject,
					 struct task_struct *task, u64 points, bool in_user)
{
	/* a session may be replaced on another CPU: then sample for the new one */
	while (points && subject && !profil_subject_point(kind, subject, task, points, in_user))
		subject = profil_subject_find(kind, task, true);
}

/* Take samples for the points up to @now of all profiles of @task; @subject: the first one. */
static __always_inline void timer_sample_passed(struct profil_timer *timer,
						enum profil_kind kind,
						struct profil_subject *subject,
						struct task_struct *task, u64 now, bool in_user)
{
	for (; subject; subject = profil_subject_find_next(kind, subject, true))
		timer_sample(kind, subject, task, timer_points_passed(timer, subject, now),
			     in_user);
	timer->since = now;
	/* of no grid: has passed */
	timer->point = 0;
}

/* Arm the timer for all profiles of a thread; @subject: the first one. */
static __always_inline void timer_arm(struct profil_timer *timer, enum profil_kind kind,
				      struct profil_subject *subject, u64 now)
{
	/* of a single profile, a point of the same grid in the future is still the next one */
	if (!timer_has_grid(timer, subject) || timer->point <= now ||
	    profil_subject_find_next(kind, subject, true))
		timer_find_next_point(timer, kind, subject, now);
	/* a timer that fires earlier arms itself again */
	if (hrtimer_is_queued(&timer->timer) && timer_expires(timer) <= timer->point)
		return;
	hrtimer_start(&timer->timer, ns_to_ktime(timer->point), HRTIMER_MODE_ABS_PINNED_HARD);
}

static __always_inline void timer_switch(enum profil_kind kind, struct task_struct *prev,
					 struct task_struct *next)
{
	struct profil_timer *timer = timer_here(kind);
	struct profil_subject *subject;
	u64 now = 0;

	/* most threads are not profiled: then this saves a lookup */
	subject = timer->sampled ? profil_subject_find(kind, prev, true) : NULL;
	if (subject) {
		now = ktime_get_ns();
		/* a later timer is armed for the next point: no point has passed */
		if (timer_expires(timer) <= now)
			timer_sample_passed(timer, kind, subject, prev, now, false);
	}
	subject = profil_subject_find(kind, next, true);
	timer->sampled = subject;
	if (subject) {
		now = now ?: ktime_get_ns();
		timer->since = now;
		timer_arm(timer, kind, subject, now);
	}
}

/*
 * At each switch, with the runqueue's lock held: nothing here may wake a thread, and kicking a
 * worker would. The thread that leaves the CPU is in the kernel. Each kind has its probe, which is
 * attached while there are profiles of that kind: switches of all threads take the time of each.
 */
static void timer_probe_session_switch(COMPAT_SWITCH_ARGS)
{
	timer_switch(PROFIL_KIND_SESSION, prev, next);
}

static void timer_probe_target_switch(COMPAT_SWITCH_ARGS)
{
	timer_switch(PROFIL_KIND_TARGET, prev, next);
}

/* How many profiles share the CPU time that may be taken: those of users who may not trace all. */
static __always_inline u32 timer_shares(enum profil_kind kind, struct profil_subject *subject)
{
	u32 shares = 0;

	for (; subject; subject = profil_subject_find_next(kind, subject, true))
		shares += profil_subject_is_users(kind, subject);
	return shares;
}

/*
 * Take samples for all points up to now. Reading the clock is expensive, so this is not done each
 * time, unless a thread has profiles of different rates. If several points have passed, it saves an
 * interrupt for each of the others. The cost is measured, to throttle the rate.
 *
 * @first: the first profile of the current thread
 */
static __always_inline void timer_sample_by_clock(struct profil_timer *timer,
						  enum profil_kind kind,
						  struct profil_subject *first,
						  bool in_user)
{
	u64 now = ktime_get_ns(), begin = now, end;
	u32 shares = timer_shares(kind, first);
	struct profil_subject *subject = first;
	struct profil_pace *pace;

	for (; subject; subject = profil_subject_find_next(kind, subject, true)) {
		/* freed with the profile, a grace period later, if that ends now */
		pace = subject->pace;
		timer_sample(kind, subject, current, timer_points_passed(timer, subject, now),
			     in_user);
		end = ktime_get_ns();
		profil_throttle_account(&pace->throttle, pace->rate, end - begin,
					profil_subject_is_users(kind, subject) ? shares : 1);
		begin = end;
	}
	timer->since = now;
	timer_find_next_point(timer, kind, first, now);
}

/* Whether it has fired for the next point of all profiles of a thread; @subject: the first. */
static __always_inline bool timer_is_at_all_points(const struct profil_timer *timer,
						   enum profil_kind kind,
						   struct profil_subject *subject)
{
	while (subject && timer_is_at_point(timer, subject))
		subject = profil_subject_find_next(kind, subject, true);
	return !subject;
}

static __always_inline enum hrtimer_restart timer_fire(struct profil_timer *timer,
						       enum profil_kind kind,
						       bool in_user)
{
	struct profil_subject *subject = profil_subject_find(kind, current, true);

	if (!subject)
		return HRTIMER_NORESTART;
	if (++timer->fired % MEASURED && timer_is_at_all_points(timer, kind, subject)) {
		/* without reading the clock */
		timer_step(timer);
		for (; subject; subject = profil_subject_find_next(kind, subject, true))
			timer_sample(kind, subject, current, 1, in_user);
	} else {
		timer_sample_by_clock(timer, kind, subject, in_user);
	}
	hrtimer_set_expires(&timer->timer, ns_to_ktime(timer->point));
	return HRTIMER_RESTART;
}

/*
 * Sample the session of a thread, if the last sample of this CPU has found all that is needed. Then
 * the timer's grid is its grid: @fast has only sessions that were sampled, and their grid is set
 * when the thread comes to the CPU. If the rate is lowered meanwhile, the next measured sample sees
 * that.
 */
static __always_inline bool timer_sample_session(struct task_struct *task, bool refill)
{
	struct profil_fast *fast = profil_fast_here(PROFIL_FAST_TIMER);

	return profil_fast_has(fast, task) && profil_fast_sample(fast, task, false, refill);
}

/* Sample the only target of a thread. */
static __always_inline bool timer_sample_target(const struct profil_timer *timer,
						struct task_struct *task, bool in_user)
{
	struct profil_target *target = profil_target_find_sampled(task, true);

	if (unlikely(!target) || unlikely(profil_target_find_next(target)) ||
	    !timer_is_at_point(timer, &target->subject))
		return false;
	if (unlikely(!profil_target_sample_fast(target, task, false, in_user)))
		profil_target_sample(target, task, 0, 1, in_user);
	return true;
}

/* Sample the current thread, if it is at a point of its grid. Return: false: nothing was done. */
static __always_inline bool timer_fire_fast(struct profil_timer *timer, enum profil_kind kind,
					    bool in_user, bool refill)
{
	if (unlikely((timer->fired + 1) % MEASURED == 0) ||
	    unlikely(timer_expires(timer) != timer->point) ||
	    !(kind == PROFIL_KIND_SESSION ? timer_sample_session(current, refill) :
					    timer_sample_target(timer, current, in_user)))
		return false;
	timer->fired++;
	timer_step(timer);
	hrtimer_set_expires(&timer->timer, ns_to_ktime(timer->point));
	return true;
}

static noinline enum hrtimer_restart timer_fire_session_slowly(struct profil_timer *timer,
							       bool in_user)
{
	/* perhaps only the region or the page differs */
	return timer_fire_fast(timer, PROFIL_KIND_SESSION, in_user, true) ? HRTIMER_RESTART :
		timer_fire(timer, PROFIL_KIND_SESSION, in_user);
}

static noinline enum hrtimer_restart timer_fire_target_slowly(struct profil_timer *timer,
							      bool in_user)
{
	return timer_fire(timer, PROFIL_KIND_TARGET, in_user);
}

/* Return: HRTIMER_RESTART: armed for the next point. */
static __always_inline enum hrtimer_restart timer_fired(struct hrtimer *hrtimer,
							enum profil_kind kind)
{
	struct profil_timer *timer = container_of(hrtimer, struct profil_timer, timer);
	struct pt_regs *regs = get_irq_regs();

	/*
	 * The timer was migrated from a CPU that went offline, or fired for such a CPU: before
	 * 6.7, a thread does that, without an interrupt.
	 */
	if (unlikely(timer != timer_here(kind) || !regs))
		return HRTIMER_NORESTART;
	if (timer_fire_fast(timer, kind, user_mode(regs), false))
		return HRTIMER_RESTART;
	return kind == PROFIL_KIND_SESSION ? timer_fire_session_slowly(timer, user_mode(regs)) :
					     timer_fire_target_slowly(timer, user_mode(regs));
}

static enum hrtimer_restart profil_timer_fire_session(struct hrtimer *hrtimer)
{
	return timer_fired(hrtimer, PROFIL_KIND_SESSION);
}

static enum hrtimer_restart profil_timer_fire_target(struct hrtimer *hrtimer)
{
	return timer_fired(hrtimer, PROFIL_KIND_TARGET);
}

/*
 * Arm the timer of this CPU. Points that have passed are counted first, since arming only
 * looks ahead. Whether the thread was in user mode is not known here.
 */
static __always_inline void timer_arm_kind_here(enum profil_kind kind)
{
	struct profil_timer *timer = timer_here(kind);
	struct profil_subject *subject;
	u64 now = ktime_get_ns();

	subject = profil_subject_find(kind, current, true);
	timer->sampled = subject;
	if (subject) {
		timer_sample_passed(timer, kind, subject, current, now, false);
		timer_arm(timer, kind, subject, now);
	}
}

static void timer_arm_session_here(void *unused)
{
	timer_arm_kind_here(PROFIL_KIND_SESSION);
}

static void timer_arm_target_here(void *unused)
{
	timer_arm_kind_here(PROFIL_KIND_TARGET);
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
	 * __schedule() between the stores to @on_rq and the CPU, and the probe. litmus: timer-start
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
		timer_arm_session_here(NULL);
		local_irq_enable();
	} else if (zalloc_cpumask_var(&cpus, GFP_KERNEL)) {
		timer_find_cpus(cpus);
		on_each_cpu_mask(cpus, timer_arm_session_here, NULL, true);
		free_cpumask_var(cpus);
	} else {
		on_each_cpu(timer_arm_session_here, NULL, 1);
	}
}

/**
 * profil_timer_start_target - the same for a target that has just been published
 * @process: its process
 * @mm:      memory of the process
 *
 * May sleep.
 */
void profil_timer_start_target(struct pid *process, const struct mm_struct *mm)
{
	struct task_struct *leader;
	cpumask_var_t cpus;

	if (!zalloc_cpumask_var(&cpus, GFP_KERNEL)) {
		on_each_cpu(timer_arm_target_here, NULL, 1);
		return;
	}
	/* pairs with __schedule(), as in timer_find_cpus(); litmus: timer-start */
	smp_mb();
	rcu_read_lock();
	leader = pid_task(process, PIDTYPE_TGID);
	if (leader)
		timer_find_threads(leader, mm, cpus);
	rcu_read_unlock();
	on_each_cpu_mask(cpus, timer_arm_target_here, NULL, true);
	free_cpumask_var(cpus);
}

/* Start sampling the current thread, whose target starts in exec. Process context. */
void profil_timer_start_current(void)
{
	unsigned long flags;

	local_irq_save(flags);
	timer_arm_target_here(NULL);
	local_irq_restore(flags);
}

static int timer_attach(void)
{
	/* generate no code: let the compiler check the type of the probes */
	check_trace_callback_type_sched_switch(timer_probe_session_switch);
	check_trace_callback_type_sched_switch(timer_probe_target_switch);
	return 0;
}

static void timer_cancel_all(enum profil_kind kind)
{
	int cpu;

	for_each_possible_cpu(cpu)
		hrtimer_cancel(&per_cpu(timers, cpu)[kind].timer);
}

static void timer_detach_sessions(void)
{
	timer_cancel_all(PROFIL_KIND_SESSION);
}

static void timer_detach_targets(void)
{
	timer_cancel_all(PROFIL_KIND_TARGET);
}

static struct profil_probe session_probe = { "sched_switch", timer_probe_session_switch };
static struct profil_probe target_probe = { "sched_switch", timer_probe_target_switch };

const struct profil_hook_ops profil_session_timer_hook = {
	.attach = timer_attach,
	.detach = timer_detach_sessions,
	.probes = &session_probe,
	.nr_probes = 1,
};

const struct profil_hook_ops profil_target_timer_hook = {
	.attach = timer_attach,
	.detach = timer_detach_targets,
	.probes = &target_probe,
	.nr_probes = 1,
};

static void __init timer_init(struct profil_timer *timer,
			      enum hrtimer_restart (*fired)(struct hrtimer *))
{
	compat_hrtimer_setup(&timer->timer, fired, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
	get_random_bytes(&timer->grid.key, sizeof(timer->grid.key));
	timer->grid.shift = reciprocal_scale(get_random_u32(), PROFIL_NS);
}

void __init profil_timer_init(void)
{
	struct profil_timer *of_cpu;
	int cpu;

	for_each_possible_cpu(cpu) {
		of_cpu = per_cpu(timers, cpu);
		timer_init(&of_cpu[PROFIL_KIND_SESSION], profil_timer_fire_session);
		timer_init(&of_cpu[PROFIL_KIND_TARGET], profil_timer_fire_target);
	}
}
