// SPDX-License-Identifier: GPL-2.0-only
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/sched.h>

#include "compat.h"
#include "concurrent.h"

static int worker_main(void *data)
{
	struct worker *worker = data;

	wait_for_completion(&worker->begin);
	if (worker->run)
		worker->run(worker);
	complete(&worker->done);
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

void run_workers(struct kunit *test, struct worker *workers, unsigned int nr,
		 void (*run)(struct worker *worker), void *data)
{
	int cpu = cpumask_first(cpu_online_mask);
	unsigned int i, there;

	for (there = 0; there < nr; there++) {
		struct worker *worker = &workers[there];

		worker->run = run;
		worker->data = data;
		worker->number = there;
		init_completion(&worker->begin);
		init_completion(&worker->done);
		worker->thread = kthread_create(worker_main, worker,
						"profil_kunit/%u", there);
		if (IS_ERR(worker->thread))
			break;
		kthread_bind(worker->thread, cpu);
		wake_up_process(worker->thread);
		cpu = cpumask_next(cpu, cpu_online_mask);
		if (cpu >= nr_cpu_ids)
			cpu = cpumask_first(cpu_online_mask);
	}
	/* if a thread could not be created, the others do nothing and exit */
	for (i = 0; i < there; i++) {
		if (there < nr)
			workers[i].run = NULL;
		complete(&workers[i].begin);
	}
	for (i = 0; i < there; i++) {
		wait_for_completion(&workers[i].done);
		kthread_stop(workers[i].thread);
	}
	KUNIT_ASSERT_EQ_MSG(test, there, nr, "cannot create more threads");
}

/*
 * From the end of an interrupt to the next one, so that the interrupted code makes progress
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
