// SPDX-License-Identifier: GPL-2.0-only
/*
 * How a session begins and ends.
 *
 * It is in the table (table.c) from the moment it is complete until it ends.
 * Whoever takes it out of the table owns its end:
 *
 * - stop, and start for the session that it replaces: threads of the process
 *   may be in the sampler on other CPUs. The sampler is an RCU reader, so after
 *   synchronize_rcu() none writes a counter of this session any more.
 * - the end of the address space (exit, or exec's switch to a new one): the
 *   notifier's release comes when mm_users is 0. The sampler runs only where
 *   current->mm is the session's, and such a thread holds mm_users: there is
 *   none. So pins and charge are given back at once, within exit.
 *
 * Both then hand the rest to a worker: leaving the notifier's list waits for its
 * callbacks, so that it may not be done from within one.
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "buffer.h"
#include "clock.h"
#include "config.h"
#include "session.h"
#include "table.h"

/* Own queue: all of its items have returned when destroy_workqueue() has. */
static struct workqueue_struct *free_queue;

static void session_free(struct work_struct *work)
{
	struct profil_session *session =
		container_of(work, struct profil_session, free_work);

	mmu_notifier_unregister(&session->notifier, session->mm);
	free_percpu(session->stats);
	profil_config_put(session->config);
	kfree_rcu(session, rcu);
}

/*
 * End a session that is in no table, and that no CPU can be sampling for.
 *
 * The module's reference goes back here, though the worker is still to come:
 * unloading waits for it in destroy_workqueue(), and it waits for the notifier
 * callback that may be our caller. So rmmod works as soon as a stop has returned
 * or the process has been waited for.
 */
static void finish(struct profil_session *session)
{
	profil_buffer_unpin(session->buffer);
	profil_clock_put();
	queue_work(free_queue, &session->free_work);
	module_put(THIS_MODULE);
}

/* The address space ends: last use of mm_users, see the top of the file. */
static void session_release(struct mmu_notifier *notifier, struct mm_struct *mm)
{
	struct profil_session *session =
		container_of(notifier, struct profil_session, notifier);

	/* else a stop or a replacement has it, and only its worker is to come */
	if (profil_table_withdraw(mm, session))
		finish(session);
}

static const struct mmu_notifier_ops session_notifier_ops = {
	.release = session_release,
};

static struct profil_session *create(struct profil_config *config)
{
	static atomic_t serial;
	struct profil_session *session;
	int cpu, err = -ENOMEM;

	session = kzalloc(sizeof(*session), GFP_KERNEL_ACCOUNT);
	if (!session)
		return ERR_PTR(-ENOMEM);
	session->mm = current->mm;
	session->state = PROFIL_STATE_RUNNING;
	session->config = config;
	INIT_WORK(&session->free_work, session_free);

	session->stats = alloc_percpu_gfp(struct profil_stats,
					  GFP_KERNEL_ACCOUNT);
	if (!session->stats)
		goto free_memory;
	/*
	 * Below the tick's rate a tick earns a part of a sample. Where each CPU
	 * of each session starts between two samples is spread evenly (hash_32
	 * steps by the golden ratio), so that many short sessions get samples in
	 * proportion to their time too.
	 */
	for_each_possible_cpu(cpu)
		per_cpu_ptr(session->stats, cpu)->phase =
			profil_clock_phase(hash_32(atomic_inc_return(&serial),
						   32));

	session->buffer = profil_buffer_pin(config);
	if (IS_ERR(session->buffer)) {
		err = PTR_ERR(session->buffer);
		goto free_stats;
	}
	err = profil_clock_get();
	if (err)
		goto unpin;
	session->started_ns = profil_clock_ns();
	session->notifier.ops = &session_notifier_ops;
	err = mmu_notifier_register(&session->notifier, session->mm);
	if (err)
		goto put_clock;
	/* the open descriptor holds the module now; from here on the session */
	__module_get(THIS_MODULE);
	return session;

put_clock:
	profil_clock_put();
unpin:
	profil_buffer_unpin(session->buffer);
free_stats:
	free_percpu(session->stats);
free_memory:
	kfree(session);
	return ERR_PTR(err);
}

/**
 * profil_session_start - profile the calling process, from now on by @config
 * @config: the caller's reference goes to the session if there is no error
 *
 * May sleep. The earlier session, if any, is replaced in one step, and no CPU
 * counts for it when this returns. Return: 0, or an error, with the earlier
 * session untouched.
 */
int profil_session_start(struct profil_config *config)
{
	struct profil_session *session, *old;

	session = create(config);
	if (IS_ERR(session))
		return PTR_ERR(session);
	old = profil_table_publish(session);
	if (old) {
		synchronize_rcu();
		finish(old);
	}
	return 0;
}

static void read_status(const struct profil_session *session,
			struct profil_status *status)
{
	int cpu;

	status->state = READ_ONCE(session->state);
	status->rate = session->config->rate;
	status->flags = session->config->flags;
	status->pinned_bytes = (u64)session->config->nr_pages << PAGE_SHIFT;
	for_each_possible_cpu(cpu) {
		const struct profil_stats *stats =
			per_cpu_ptr(session->stats, cpu);

		status->counted += READ_ONCE(stats->counted);
		status->out_of_range += READ_ONCE(stats->out_of_range);
		status->lost += READ_ONCE(stats->lost);
		status->ticks += READ_ONCE(stats->ticks);
	}
}

/**
 * profil_session_stop - end the calling process's session
 * @status: zeroed; gets the final figures, or stays zero if there was none
 *
 * May sleep. No CPU counts for the process any more when this returns.
 */
void profil_session_stop(struct profil_status *status)
{
	struct profil_session *session = profil_table_withdraw(current->mm, NULL);

	if (!session)
		return;
	synchronize_rcu();
	read_status(session, status);
	finish(session);
}

/**
 * profil_session_status - figures of the calling process's session so far
 * @status: zeroed; stays zero if there is none
 */
void profil_session_status(struct profil_status *status)
{
	struct profil_session *session;

	/* keeps another thread's stop from freeing what is read here */
	rcu_read_lock();
	session = profil_table_find(current->mm);
	if (session)
		read_status(session, status);
	rcu_read_unlock();
}

int profil_session_init(void)
{
	free_queue = alloc_workqueue("profil", WQ_UNBOUND, 0);
	return free_queue ? 0 : -ENOMEM;
}

/* All sessions are gone: each holds a reference to the module. */
void profil_session_exit(void)
{
	destroy_workqueue(free_queue);
}
