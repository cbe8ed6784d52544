// SPDX-License-Identifier: GPL-2.0-only
/*
 * How a session begins and ends: start, stop, status, fork's child, exit.
 *
 * It is in the table (table.c) from the moment it is complete until it ends.
 * Whoever takes it out of the table owns its end:
 *
 * - stop, and start for the session that it replaces: threads of the process
 *   may be in the sampler on other CPUs. They see that it is withdrawn, or are
 *   waited for (profil_cpus_barrier()); so no counter is written any more when
 *   the call returns.
 * - the end of the address space (exit, or exec's switch to a new one): the
 *   notifier's release comes when mm_users is 0. The sampler runs only where
 *   current->mm is the session's, and such a thread holds mm_users: there is
 *   none. What still waits is counted (drain.c). Pins and charge are given back at
 *   once: within exit, or by the worker where that held the memory last.
 * - the worker, for a session whose end no notifier reports: a child's, before the
 *   worker has come to watch its memory.
 *
 * A profile that ends by itself (limit, full, fault) stays in the table for its
 * status, but gives back at once what it holds (worker.c).
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>

#include "buffer.h"
#include "clock.h"
#include "compat.h"
#include "config.h"
#include "hooks.h"
#include "drain.h"
#include "lifecycle.h"
#include "reaper.h"
#include "worker.h"
#include "session.h"
#include "table.h"
#include "timer.h"
#include "stats.h"
#include "trace.h"

/* The calling process's session, or NULL. */
static struct profil_session *lifecycle_get_own(void)
{
	struct profil_session *session;

	rcu_read_lock();
	session = profil_table_find(current->mm);
	if (session && !refcount_inc_not_zero(&session->ref))
		session = NULL;
	rcu_read_unlock();
	return session;
}

/* End ticks for a session that has left the table. */
static void lifecycle_stop_sampling(struct profil_session *session)
{
	WRITE_ONCE(session->unpublished, true);
	profil_cpus_barrier(&session->cpus);
}

/*
 * What the caller's own session has, this one takes the place of: it is charged
 * only beyond that, so that a profile can be replaced at the cap too. Regions that
 * forked children still count by are not given back by that.
 */
static int lifecycle_charge(struct profil_config *config)
{
	struct profil_session *own = lifecycle_get_own();
	u32 sessions = 0, regions = 0;
	int err;

	if (own && own->config->rights.user == config->rights.user) {
		sessions = 1;
		if (atomic_read(&own->config->sessions) == 1)
			regions = own->config->nr_ranges;
	}
	if (own)
		profil_session_put(own);

	err = profil_charge_session(&config->rights, sessions);
	if (err)
		return err;
	err = profil_charge_regions(&config->rights, config->nr_ranges, regions);
	if (err) {
		profil_uncharge_session(&config->rights);
		return err;
	}
	atomic_set(&config->sessions, 1);
	return 0;
}

/* Of one session; with the last one that counts by @config go its regions. */
static void lifecycle_uncharge(struct profil_config *config)
{
	profil_uncharge_session(&config->rights);
	if (atomic_dec_and_test(&config->sessions))
		profil_uncharge_regions(&config->rights, config->nr_ranges);
}

/* The end of a withdrawn session. Under its service_mutex; the caller buries it. */
static void lifecycle_unpin_uncharge(struct profil_session *session)
{
	struct profil_figures figures;

	profil_worker_unpin(session);
	lifecycle_uncharge(session->config);
	atomic_long_dec(&profil_stats[PROFIL_SESSIONS]);
	figures = profil_session_figures(session);
	trace_profil_stop(session->tgid, session->state, figures.samples,
			  figures.lost);
}

/* The last reference to a finished session but for those at work, and its module's. */
static void lifecycle_put(struct profil_session *session)
{
	profil_session_put(session);
	/*
	 * Unloading waits until it has been freed, and that for the notifier
	 * callback that may be our caller: so rmmod works as soon as a stop has
	 * returned or the process has been waited for; or a little later, if a
	 * worker held its memory last; or within a second, if it was not watched
	 * (reaper.c).
	 */
	module_put(THIS_MODULE);
}

/* The end of a withdrawn session. What waits is not counted any more. */
static void lifecycle_discard(struct profil_session *session)
{
	mutex_lock(&session->service_mutex);
	profil_session_lose_pending(session);
	lifecycle_unpin_uncharge(session);
	mutex_unlock(&session->service_mutex);
	lifecycle_put(session);
}

/*
 * Whether a forked child needs no repair, as no sample has waited for a page. Its memory is
 * not watched before: most children execute another program or end sooner, and take none
 * of the locks that a subscription takes. PREEMPT_RT has only a reserve for children of
 * children that are not watched (fork.c), so that there it is not put off.
 */
static bool lifecycle_is_unsampled(struct profil_session *session)
{
	return !IS_ENABLED(CONFIG_PREEMPT_RT) &&
	       !READ_ONCE(session->buffer.watched) &&
	       READ_ONCE(session->state) == PROFIL_STATE_RUNNING &&
	       !profil_pending_sum(&session->pending);
}

/*
 * mmap_lock for reading, and the memory watched, if that is to be had without a wait: a
 * thread may hold the lock for as long as a page takes to come.
 */
static bool lifecycle_try_lock_mm(struct profil_session *session)
{
	if (READ_ONCE(session->buffer.watched) || READ_ONCE(session->unpinned))
		return mmap_read_trylock(session->mm);
	if (!compat_mmap_write_trylock(session->mm))
		return false;
	profil_worker_watch_locked(session);
	compat_mmap_write_downgrade(session->mm);
	return true;
}

/* Return: whether there is more to be done now. */
static bool lifecycle_try_pass(struct profil_session *session)
{
	bool again = true;

	if (!lifecycle_try_lock_mm(session))
		return true;
	if (mutex_trylock(&session->service_mutex)) {
		again = profil_worker_pass(session);
		mutex_unlock(&session->service_mutex);
	}
	mmap_read_unlock(session->mm);
	return again;
}

/*
 * lifecycle_work - the worker: what needs process context, and no call does
 * @work: of a session, with its reference
 */
static void lifecycle_work(struct work_struct *work)
{
	struct profil_session *session =
		container_of(to_delayed_work(work), struct profil_session, work);
	struct mem_cgroup *memcg = NULL, *old;
	bool gone = true, again = false;

	if (profil_session_take_mm(session, &memcg)) {
		gone = false;
		/*
		 * What is allocated (page tables too) is charged to the process, also
		 * where the memory ends here
		 */
		old = compat_set_active_memcg(memcg);
		if (lifecycle_is_unsampled(session))
			profil_reaper_begin();
		else
			again = lifecycle_try_pass(session);
		if (!again || !profil_session_requeue(session, memcg)) {
			mmput(session->mm);
			mem_cgroup_put(memcg);
		}
		compat_set_active_memcg(old);
	}
	/* no notifier reports the end of memory that is not watched */
	if (!READ_ONCE(session->buffer.watched) &&
	    (gone || READ_ONCE(session->state) != PROFIL_STATE_RUNNING) &&
	    profil_table_unpublish(session->mm, session)) {
		lifecycle_stop_sampling(session);
		lifecycle_discard(session);
	}
	if (test_and_clear_bit(PROFIL_ABANDONED, &session->flags))
		lifecycle_discard(session);
	profil_session_put(session);
}

/*
 * lifecycle_exit - the address space ends
 * @session: of it; see the top of the file
 *
 * In the notifier's callback, with mm_users at 0.
 */
static void lifecycle_exit(struct profil_session *session)
{
	/* else a stop or a replacement has it, or it has not begun */
	if (!profil_table_unpublish(session->mm, session))
		return;
	/* no barrier: no sampler runs, see the top of the file */
	WRITE_ONCE(session->unpublished, true);
	/* free, or held for short: the mappings have no users, but may be reaped */
	mmap_read_lock(session->mm);
	mutex_lock(&session->service_mutex);
	profil_drain_pending(session);
	lifecycle_unpin_uncharge(session);
	mutex_unlock(&session->service_mutex);
	mmap_read_unlock(session->mm);
	lifecycle_put(session);
}

/*
 * What a session has from when it counts as one until it is finished. @task is the
 * thread that starts it, or a child that does not run yet.
 */
static void lifecycle_activate(struct profil_session *session, struct task_struct *task)
{
	struct mm_struct *mm = task->mm;

	mmgrab(mm);
	session->mm = mm;
	session->tgid = task->tgid;
	if (session->config->flags & PROFIL_FAULT_SIGNAL)
		session->process = get_pid(task_tgid(task));
	if (session->config->flags & PROFIL_THREAD_ONLY)
		session->thread = get_pid(task_pid(task));
	profil_buffer_init(&session->buffer, mm, session->config);
	session->release = lifecycle_exit;
	INIT_DELAYED_WORK(&session->work, lifecycle_work);
	atomic_long_inc(&profil_stats[PROFIL_SESSIONS]);
	/* it has the module until its end, and then its code */
	profil_session_hold_module();
}

/**
 * profil_lifecycle_start_child - start a forked child's session
 * @parent: the parent's session, under rcu_read_lock()
 * @child:  a spare session
 * @task:   the child, which does not run yet
 *
 * Atomic context. No notifier is inserted here: the worker does it when the first sample is
 * pending. The worker also runs once before, to find a child that has already exited; later
 * the reaper looks for it.
 *
 * Return: 0; -ENOSPC: the user's limit; or -ESRCH: @parent has just ended.
 */
int profil_lifecycle_start_child(struct profil_session *parent,
				 struct profil_session *child,
				 struct task_struct *task)
{
	struct profil_config *config = parent->config;
	int err;

	/* pages are charged when they are hit: there may be many children */
	err = profil_charge_session(&config->rights, 0);
	if (err)
		return err;
	err = -ESRCH;
	if (!profil_hooks_get_for_child(profil_clock_needs_timer(config)))
		goto uncharge;
	/* this fails if the parent has just ended and nothing else holds the module */
	if (!try_module_get(THIS_MODULE))
		goto put_hooks;
	/* 0 if the parent was the last session of @config, and has ended */
	if (!atomic_inc_not_zero(&config->sessions))
		goto put_module;
	/* the parent's reference lasts until a grace period after it left the table */
	refcount_inc(&config->ref);
	child->config = config;
	/* where the parent's log ended when it was copied, or a little after that */
	atomic64_set(&child->log_used, atomic64_read(&parent->log_used));
	lifecycle_activate(child, task);
	profil_table_publish(child);
	profil_session_kick_later(child, IS_ENABLED(CONFIG_PREEMPT_RT) ? 0 :
									 1 + HZ / 100);
	return 0;

put_module:
	module_put(THIS_MODULE);
put_hooks:
	profil_hooks_put(profil_clock_needs_timer(config));
uncharge:
	profil_uncharge_session(&config->rights);
	return err;
}

static int lifecycle_check_all(struct profil_session *session)
{
	int err;

	if (session->config->flags & PROFIL_CHECK_ON_HIT)
		return 0;
	if (mmap_read_lock_killable(session->mm))
		return -EINTR;
	err = profil_buffer_check(&session->buffer, 0, ULONG_MAX);
	mmap_read_unlock(session->mm);
	return err;
}

/* Charge, watch, and pin or check the memory. */
static int lifecycle_prepare(struct profil_session *session)
{
	int err = 0;

	/* before the memory is watched: from then on a worker may unpin and uncharge all */
	if (!(session->config->flags & PROFIL_PIN_ON_HIT))
		err = profil_buffer_charge_all(&session->buffer);
	if (!err)
		err = profil_worker_watch(session);
	if (err)
		return err;
	if (session->config->flags & PROFIL_PIN_ON_HIT)
		err = lifecycle_check_all(session);
	else
		err = profil_worker_pin_all(session);
	/* another thread may just have unmapped what was pinned */
	if (!err && READ_ONCE(session->state) != PROFIL_STATE_RUNNING)
		err = -EFAULT;
	return err;
}

/* The reference to @config is the session's, or put if there is an error. */
static struct profil_session *lifecycle_create(struct profil_config *config)
{
	struct profil_session *session;
	int err = -ENOMEM;

	session = profil_session_alloc(GFP_KERNEL_ACCOUNT);
	if (!session)
		goto put_config;
	session->config = config;
	profil_session_reserve_pending(session);
	err = lifecycle_charge(config);
	if (err)
		goto free_session;
	err = profil_hooks_get(profil_clock_needs_timer(config));
	if (err)
		goto uncharge;
	/* which the caller's descriptor holds now */
	__module_get(THIS_MODULE);
	lifecycle_activate(session, current);

	err = lifecycle_prepare(session);
	if (!err)
		return session;
	lifecycle_stop_sampling(session);
	mutex_lock(&session->service_mutex);
	lifecycle_unpin_uncharge(session);
	mutex_unlock(&session->service_mutex);
	lifecycle_put(session);
	return ERR_PTR(err);

uncharge:
	lifecycle_uncharge(config);
free_session:
	profil_session_free(session);
put_config:
	profil_config_put(config);
	return ERR_PTR(err);
}

/* Under its service_mutex. */
static void lifecycle_read_status(struct profil_session *session,
				  struct profil_status *status)
{
	struct profil_figures figures = profil_session_figures(session);

	status->state = READ_ONCE(session->state);
	/* pairs with the cmpxchg() in profil_session_stop() */
	smp_rmb();
	status->rate = profil_clock_rate(session->config);
	status->clock = session->config->clock;
	status->flags = session->config->flags;
	status->samples = figures.samples;
	status->counted = figures.counted;
	status->out_of_range = figures.out_of_range;
	status->pending = profil_pending_sum(&session->pending);
	status->lost = figures.lost;
	status->pinned_bytes = (u64)session->buffer.held << PAGE_SHIFT;
	status->error = READ_ONCE(session->error);
	status->forks_followed = atomic_long_read(&session->forks_followed);
	status->fork_failures = atomic_long_read(&session->fork_failures);
	status->skipped = figures.skipped;
}

/*
 * Count what waits and end a withdrawn session, by a call of its process. If that is being
 * killed, its counters go with it, and the worker ends the session: a worker that has the
 * service_mutex may wait for memory that only this process can free.
 */
static void lifecycle_settle(struct profil_session *session,
			     struct profil_status *status)
{
	if (profil_worker_settle(session)) {
		set_bit(PROFIL_ABANDONED, &session->flags);
		profil_session_kick_later(session, 0);
		return;
	}
	if (status)
		lifecycle_read_status(session, status);
	lifecycle_unpin_uncharge(session);
	mutex_unlock(&session->service_mutex);
	lifecycle_put(session);
}

/**
 * profil_lifecycle_start - profile the calling process, from now on by @config
 * @config: the caller's reference goes to the session
 *
 * May sleep. The earlier session, if any, is replaced in one step, and no CPU
 * counts for it when this returns. Return: 0, or an error, with the earlier
 * session untouched.
 */
int profil_lifecycle_start(struct profil_config *config)
{
	struct profil_session *session, *old;
	bool timer;

	session = lifecycle_create(config);
	if (IS_ERR(session))
		return PTR_ERR(session);
	/* before it can have been replaced, and freed, by another thread */
	trace_profil_start(session->tgid, config->rate, config->flags,
			   config->nr_ranges, config->nr_pages);
	timer = profil_clock_needs_timer(config);
	old = profil_table_publish(session);
	if (timer)
		profil_timer_begin();
	if (old) {
		lifecycle_stop_sampling(old);
		lifecycle_settle(old, NULL);
	}
	return 0;
}

/**
 * profil_lifecycle_stop - end the calling process's session
 * @status: zeroed; gets the final figures, or stays zero if there was none
 *
 * May sleep. No CPU counts for the process any more when this returns, and what
 * waited has been counted. Return: 0, or -EINTR with the session as it was.
 */
int profil_lifecycle_stop(struct profil_status *status)
{
	struct profil_session *session;
	int err;

	session = lifecycle_get_own();
	if (!session)
		return 0;
	/* before the point of no return: a signal may keep us from it */
	err = profil_worker_watch(session);
	if (err == -EINTR)
		goto put;
	err = 0;
	/* else another thread has stopped or replaced it meanwhile: that is us too */
	if (profil_table_unpublish(current->mm, session)) {
		lifecycle_stop_sampling(session);
		lifecycle_settle(session, status);
	}
put:
	profil_session_put(session);
	return err;
}

/**
 * profil_lifecycle_status - figures of the calling process's session so far
 * @status: zeroed; stays zero if there is none
 *
 * May sleep: what waits is counted first. Return: 0, or -EINTR.
 */
int profil_lifecycle_status(struct profil_status *status)
{
	struct profil_session *session = lifecycle_get_own();
	int err;

	if (!session)
		return 0;
	err = profil_worker_settle(session);
	if (!err) {
		lifecycle_read_status(session, status);
		mutex_unlock(&session->service_mutex);
	}
	profil_session_put(session);
	return err;
}
