// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs the code of a test in several threads at once, or interrupted by a timer.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/sched.h>

#include "compat.h"
#include "concurrent.h"

static int thread_main(void *data)
{
	struct test_thread *thread = data;

	wait_for_completion(&thread->begin);
	if (thread->run)
		thread->run(thread);
	complete(&thread->done);
	/* kthread_stop() must not be called for a thread that has exited */
	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (kthread_should_stop())
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

void run_threads(struct kunit *test, struct test_thread *threads, unsigned int nr,
		 void (*run)(struct test_thread *thread), void *data)
{
	int cpu = cpumask_first(cpu_online_mask);
	unsigned int i, there;

	for (there = 0; there < nr; there++) {
		struct test_thread *thread = &threads[there];

		thread->run = run;
		thread->data = data;
		thread->number = there;
		init_completion(&thread->begin);
		init_completion(&thread->done);
		thread->task = kthread_create(thread_main, thread,
					      "profil_kunit/%u", there);
		if (IS_ERR(thread->task))
			break;
		kthread_bind(thread->task, cpu);
		wake_up_process(thread->task);
		cpu = cpumask_next(cpu, cpu_online_mask);
		if (cpu >= nr_cpu_ids)
			cpu = cpumask_first(cpu_online_mask);
	}
	/* if a thread could not be created, the others do nothing and exit */
	for (i = 0; i < there; i++) {
		if (there < nr)
			threads[i].run = NULL;
		complete(&threads[i].begin);
	}
	for (i = 0; i < there; i++) {
		wait_for_completion(&threads[i].done);
		kthread_stop(threads[i].task);
	}
	KUNIT_ASSERT_EQ_MSG(test, there, nr, "cannot create more threads");
}

/*
 * The time from one interrupt's end to the next interrupt: the interrupted code makes progress
 * on slow machines, too. The exact time varies, so that no code keeps in step.
 */
#define PAUSE_NS	100000

static enum hrtimer_restart fire(struct hrtimer *timer)
{
	struct interrupter *interrupter =
		container_of(timer, struct interrupter, timer);
	unsigned int left = interrupter->left - 1;
	u64 pause = PAUSE_NS + left * 37 % 1000;

	interrupter->fire(interrupter);
	/* publishes what fire() did; pairs with interrupter_is_done() */
	smp_store_release(&interrupter->left, left);
	if (!left)
		return HRTIMER_NORESTART;
	hrtimer_set_expires(timer, ktime_add_ns(ktime_get(), pause));
	return HRTIMER_RESTART;
}

void interrupter_start(struct interrupter *interrupter, unsigned int times,
		       void (*function)(struct interrupter *interrupter),
		       void *data)
{
	interrupter->fire = function;
	interrupter->data = data;
	interrupter->left = times;
	compat_hrtimer_setup(&interrupter->timer, fire, CLOCK_MONOTONIC,
			     HRTIMER_MODE_REL_PINNED_HARD);
	hrtimer_start(&interrupter->timer, ns_to_ktime(PAUSE_NS),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

void interrupter_stop(struct interrupter *interrupter)
{
	hrtimer_cancel(&interrupter->timer);
}
