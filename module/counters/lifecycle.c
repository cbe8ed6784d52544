// SPDX-License-Identifier: GPL-2.0-only
/*
 * How a session starts and ends. Called by the ioctls (device.c) and by fork.c.
 *
 *       start                          fork
 *         |                              |
 *         +---------- activate ----------+
 *                        |
 *                     publish v
 *            +-----------------------+
 *            | RUNNING, in the table |---- limit reached, log full, fault ----+
 *            +-----------------------+                                        |
 *                        |                                                  stop
 *   stop, replaced, exit |                                                  unpin
 *                        |                                                    v
 *                        |                      +--------------------------------+
 *                        |                      | LIMIT, FULL or FAULT: still in |
 *                        |                      | the table, for its status      |
 *                        |                      +--------------------------------+
 *                        |                               |
 *                        |                               | stop, replaced, exit
 *                        +---------------+---------------+
 *                                        v
 *                                    unpublish    the caller that removes it from the table
 *                                        |        takes the steps that follow
 *                                      stop       no CPU samples for it any more
 *                                        |
 *                             settle, drain or discard what is pending
 *                                        |
 *                                      unpin      if that has not been done
 *                                        |
 *                                    uncharge
 *                                        |
 *                                       put       freed a grace period after the last
 *                                                 reference (session.c)
 *
 * A session is unpublished, and its sampling stopped, by one of these:
 *
 * - A stop call, or a start for the session that it replaces: threads of the process may be in the
 *   sampler on other CPUs. They either see that the session is unpublished, or the call waits for
 *   them (profil_cpus_barrier()). So no counter is written after the call returns. Pending samples
 *   are settled: their pages are pinned, and they are counted (service.c).
 * - The address space ends (exit, or exec, which switches to a new one): the notifier's
 *   release callback runs when mm_users is 0. The sampler runs only for a thread whose
 *   current->mm is the session's. Such a thread holds mm_users, so there is none. Pending
 *   samples are counted if their counters are in shared memory (drain.c). The callback runs
 *   within exit, or in the worker if that held the last reference to the memory.
 * - The worker, for a child whose memory is not watched yet, so that no notifier reports
 *   its end. Pending samples are lost.
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>

#include "clock/clock.h"
#include "clock/hooks.h"
#include "clock/timer.h"
#include "compat.h"
#include "counters/buffer.h"
#include "counters/config.h"
#include "counters/drain.h"
#include "counters/lifecycle.h"
#include "counters/reaper.h"
#include "counters/service.h"
#include "counters/session.h"
#include "counters/table.h"
#include "stats.h"
#include "trace.h"

/* The longest time until the worker tries to watch the memory again, in jiffies. */
#define MOST_RETRY_DELAY	(HZ / 4UL)

/* Get the calling process's session, or NULL. */
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

/* Wait until no CPU samples for a session that has left the table. */
static void lifecycle_stop_sampling(struct profil_session *session)
{
	WRITE_ONCE(session->unpublished, true);
	profil_cpus_barrier(&session->cpus);
}

/*
 * Charge the session and its regions. What the caller's session that it replaces will uncharge
 * is not counted against the limits, so a user at a limit can still replace a profile. The
 * old regions are counted if sessions of forked children still use them.
 */
static int lifecycle_charge(struct profil_config *config)
{
	struct profil_session *own = lifecycle_get_own();
	u32 sessions = 0, regions = 0;
	int err;

	if (own && profil_session_config(own)->rights.user == config->rights.user) {
		sessions = 1;
		if (atomic_read(&profil_session_config(own)->sessions) == 1)
			regions = profil_session_config(own)->nr_ranges;
	}
	if (own)
		profil_session_put(own);

	err = profil_charge(&config->rights, PROFIL_CHARGED_SESSIONS, 1, sessions);
	if (err)
		return err;
	err = profil_charge(&config->rights, PROFIL_CHARGED_REGIONS, config->nr_ranges, regions);
	if (err) {
		profil_uncharge(&config->rights, PROFIL_CHARGED_SESSIONS, 1);
		return err;
	}
	atomic_set(&config->sessions, 1);
	return 0;
}

/* Uncharge one session, and the regions with the last session of @config. */
static void lifecycle_uncharge(struct profil_config *config)
{
	profil_uncharge(&config->rights, PROFIL_CHARGED_SESSIONS, 1);
	if (atomic_dec_and_test(&config->sessions))
		profil_uncharge(&config->rights, PROFIL_CHARGED_REGIONS, config->nr_ranges);
}

/* The session is unpublished, or was never published. */
static void lifecycle_unpin_uncharge(struct profil_session *session)
{
	struct profil_counts counts;

	profil_service_unpin(session);
	lifecycle_uncharge(profil_session_config(session));
	atomic_long_dec(&profil_stats[PROFIL_SESSIONS]);
	counts = profil_session_counts(session);
	trace_profil_stop(session->tgid, session->state, counts.samples, counts.lost);
}

/* Put the table's reference and the module's. */
static void lifecycle_put(struct profil_session *session)
{
	profil_session_put(session);
	/*
	 * Unloading waits until the session is freed, and freeing it waits for the notifier
	 * callback, which may be our caller. So rmmod works as soon as a stop has returned or a
	 * parent has waited for the process. It works a little later if a worker held the last
	 * reference to the memory, and within a second if the memory was not watched (reaper.c).
	 */
	module_put(THIS_MODULE);
}

/* End an unpublished session without counting its pending samples. */
static void lifecycle_discard(struct profil_session *session)
{
	mutex_lock(&session->service_mutex);
	profil_session_lose_pending(session);
	lifecycle_unpin_uncharge(session);
	mutex_unlock(&session->service_mutex);
	lifecycle_put(session);
}

/*
 * Whether a forked child has no samples yet, so that there is nothing to do for it. Its
 * memory is not watched before the first sample: most children exec or exit sooner, and
 * avoid the locks that a subscription takes.
 */
static bool lifecycle_is_unsampled(struct profil_session *session)
{
	return !READ_ONCE(session->buffer.watched) &&
	       READ_ONCE(session->state) == PROFIL_STATE_RUNNING &&
	       !profil_pending_sum(&session->pending);
}

/*
 * Take mmap_lock for reading, and watch the memory if it is not watched. Does not wait for
 * the lock, nor for those of the mappings: a thread may hold them for as long as a page takes to
 * arrive. If it holds one of the latter, the worker comes again after a time that doubles, because
 * it may have to look at many mappings.
 */
static bool lifecycle_try_lock_mm(struct profil_session *session)
{
	bool done;

	if (READ_ONCE(session->buffer.watched) || READ_ONCE(session->unpinned))
		return mmap_read_trylock(session->mm);
	if (!compat_mmap_write_trylock(session->mm))
		return false;
	done = profil_service_watch_locked(session);
	mmap_write_downgrade(session->mm);
	if (done) {
		session->retry_delay = 1;
		return true;
	}
	session->retry_delay = min(2 * session->retry_delay, MOST_RETRY_DELAY);
	mmap_read_unlock(session->mm);
	return false;
}

/* Run the worker's pass if its locks are free. Return: whether the worker must run again. */
static bool lifecycle_try_pass(struct profil_session *session)
{
	bool again = true;

	if (!lifecycle_try_lock_mm(session))
		return true;
	if (mutex_trylock(&session->service_mutex)) {
		again = profil_service_pass(session);
		mutex_unlock(&session->service_mutex);
	}
	mmap_read_unlock(session->mm);
	return again;
}

/* The worker. It holds a reference to the session. */
static void lifecycle_work(struct work_struct *work)
{
	struct profil_session *session =
		container_of(to_delayed_work(work), struct profil_session, work);
	struct mem_cgroup *memcg = NULL, *old;
	bool gone = true, again = false;

	if (profil_session_take_mm(session, &memcg)) {
		gone = false;
		/*
		 * Charge allocations to the process: also page tables, and also what drain.c
		 * allocates if mmput() ends the memory here.
		 */
		old = compat_set_active_memcg(memcg);
		if (lifecycle_is_unsampled(session))
			profil_reaper_start();
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
	    profil_table_unpublish(session)) {
		lifecycle_stop_sampling(session);
		lifecycle_discard(session);
	}
	if (test_and_clear_bit(SESSION_ABANDONED, &session->flags))
		lifecycle_discard(session);
	profil_session_put(session);
}

/* The address space ends: the notifier's release callback. mm_users is 0. */
static void lifecycle_exit(struct profil_session *session)
{
	/* not there: a stop or a replacement ends it, or it was never published */
	if (!profil_table_unpublish(session))
		return;
	/* no sampler runs, see the top of the file, but CPUs may have cached the session */
	lifecycle_stop_sampling(session);
	/* does not wait for long: no thread uses the memory, but it may be reaped */
	mmap_read_lock(session->mm);
	mutex_lock(&session->service_mutex);
	profil_drain_pending(session);
	lifecycle_unpin_uncharge(session);
	mutex_unlock(&session->service_mutex);
	mmap_read_unlock(session->mm);
	lifecycle_put(session);
}

/*
 * Bind a session to the memory of @task: the thread that starts it, or a child that does not
 * run yet. From here on, it counts as a session until it is uncharged.
 */
static void lifecycle_activate(struct profil_session *session, struct task_struct *task)
{
	struct mm_struct *mm = task->mm;

	mmgrab(mm);
	session->mm = mm;
	session->tgid = task->tgid;
	if (profil_session_config(session)->flags & PROFIL_FAULT_SIGNAL)
		session->process = get_pid(task_tgid(task));
	if (profil_session_config(session)->flags & PROFIL_THREAD_ONLY)
		session->subject.thread = get_pid(task_pid(task));
	profil_buffer_init(&session->buffer, mm, profil_session_config(session));
	session->release = lifecycle_exit;
	INIT_DELAYED_WORK(&session->work, lifecycle_work);
	atomic_long_inc(&profil_stats[PROFIL_SESSIONS]);
	/* unlike its module reference, lasts until the session is freed */
	profil_session_hold_module();
}

/**
 * profil_lifecycle_start_child - start a session for a forked child
 * @parent: the parent's session, under rcu_read_lock()
 * @child:  a new session
 * @task:   the child, which does not run yet
 *
 * Atomic context. The memory is not watched yet: the worker does that when the first
 * sample is pending. It also runs once before that, for a child that exits without a
 * sample. After that the reaper looks for the child's exit.
 *
 * Return: 0; -ENOSPC: the user's limit; or -ESRCH: @parent has just ended.
 */
int profil_lifecycle_start_child(struct profil_session *parent,
				 struct profil_session *child,
				 struct task_struct *task)
{
	struct profil_config *config = profil_session_config(parent);
	int err;

	/* pages are charged when they are hit: there may be many children */
	err = profil_charge(&config->rights, PROFIL_CHARGED_SESSIONS, 1, 0);
	if (err)
		return err;
	err = -ESRCH;
	if (!profil_hooks_get_for_child(profil_clock_hooks(&config->pace, PROFIL_KIND_SESSION)))
		goto uncharge; /* GCOV_EXCL_LINE: ended on another CPU */
	/* fails if the parent has just ended and nothing else holds the module */
	if (!try_module_get(THIS_MODULE))
		goto put_hooks; /* GCOV_EXCL_LINE: ended on another CPU */
	/* 0 if @parent was the last session of @config and has just ended */
	if (!atomic_inc_not_zero(&config->sessions))
		goto put_module; /* GCOV_EXCL_LINE: ended on another CPU */
	/* @parent holds its reference until a grace period after it left the table */
	refcount_inc(&config->ref);
	child->subject.pace = &config->pace;
	/*
	 * Not less than the entries in use in the child's copy of a pc log, which was made
	 * before: the parent's other threads may have used more since.
	 */
	child->log_inherited = min_t(u64, atomic64_read(&parent->pc_log_used), config->pc_log_nr);
	atomic64_set(&child->pc_log_used, child->log_inherited);
	lifecycle_activate(child, task);
	profil_table_publish(child);
	profil_session_kick_later(child, 1 + HZ / 100);
	return 0;

put_module:
	module_put(THIS_MODULE); /* GCOV_EXCL_LINE: ended on another CPU */
put_hooks:
	/* GCOV_EXCL_START: ended on another CPU */
	profil_hooks_put(profil_clock_hooks(&config->pace, PROFIL_KIND_SESSION));
	/* GCOV_EXCL_STOP */
uncharge:
	profil_uncharge(&config->rights, PROFIL_CHARGED_SESSIONS, 1);
	return err;
}

/*
 * With PROFIL_CHECK_ON_HIT, the process may make the memory writable before a sample needs it. But
 * memory of a kind that cannot be pinned is refused now: the end of the profile at a hit would
 * be as silent as that of a bad buffer, though the program has done nothing wrong.
 */
static int lifecycle_check_all(struct profil_session *session)
{
	int err;

	if (mmap_read_lock_killable(session->mm))
		return -EINTR;
	if (profil_session_config(session)->flags & PROFIL_CHECK_ON_HIT)
		err = profil_buffer_check_kind(&session->buffer);
	else
		err = profil_buffer_check(&session->buffer, 0, ULONG_MAX);
	mmap_read_unlock(session->mm);
	return err;
}

/* Charge and watch the memory, and pin or check it. */
static int lifecycle_prepare(struct profil_session *session)
{
	int err = 0;

	/* before the memory is watched: after that a worker may unpin and uncharge all */
	if (!(profil_session_config(session)->flags & PROFIL_PIN_ON_HIT))
		err = profil_buffer_charge_all(&session->buffer);
	if (!err)
		err = profil_service_watch(session);
	if (err)
		return err;
	if (profil_session_config(session)->flags & PROFIL_PIN_ON_HIT)
		err = lifecycle_check_all(session);
	else
		err = profil_service_pin_all(session);
	/* another thread may have just unmapped what was pinned */
	if (!err && READ_ONCE(session->state) != PROFIL_STATE_RUNNING)
		err = -EFAULT;
	return err;
}

/* The session takes over the reference to @config. On error it is put. */
static struct profil_session *lifecycle_create(struct profil_config *config)
{
	struct profil_session *session;
	int err = -ENOMEM;

	session = profil_session_alloc(GFP_KERNEL_ACCOUNT);
	if (!session)
		goto put_config;
	session->subject.pace = &config->pace;
	profil_session_reserve_pending(session);
	err = lifecycle_charge(config);
	if (err)
		goto free_session;
	err = profil_hooks_get(profil_clock_hooks(&config->pace, PROFIL_KIND_SESSION));
	if (err)
		goto uncharge;
	/* the caller's open file holds the module now */
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

static void lifecycle_read_status(struct profil_session *session, struct profil_status *status)
{
	struct profil_counts counts = profil_session_counts(session);

	status->state = READ_ONCE(session->state);
	/* pairs with the cmpxchg() in profil_session_stop(); litmus: session-error */
	smp_rmb();
	status->rate = profil_clock_rate(session->subject.pace);
	status->clock = session->subject.pace->clock;
	status->flags = profil_session_config(session)->flags;
	status->samples = counts.samples;
	status->counted = counts.counted;
	status->out_of_range = counts.out_of_range;
	status->pending = profil_pending_sum(&session->pending);
	status->lost = counts.lost;
	status->pinned_bytes = (u64)session->buffer.nr_pinned << PAGE_SHIFT;
	status->error = READ_ONCE(session->error);
	status->forks_followed = atomic_long_read(&session->forks_followed);
	status->fork_failures = atomic_long_read(&session->fork_failures);
	status->skipped = counts.skipped;
	status->log_inherited = session->log_inherited;
}

/*
 * Count the pending samples of an unpublished session of the caller, then end it. If the
 * caller is being killed, the worker ends the session instead, and pending samples are lost.
 * The caller must not wait for the service_mutex then: a worker that holds it may wait for
 * memory that only the caller's exit can free.
 */
static void lifecycle_settle_and_put(struct profil_session *session, struct profil_status *status)
{
	if (profil_service_settle(session)) {
		/* GCOV_EXCL_START: killed during a stop */
		set_bit(SESSION_ABANDONED, &session->flags);
		profil_session_kick_later(session, 0);
		return;
		/* GCOV_EXCL_STOP */
	}
	if (status)
		lifecycle_read_status(session, status);
	lifecycle_unpin_uncharge(session);
	mutex_unlock(&session->service_mutex);
	lifecycle_put(session);
}

/**
 * profil_lifecycle_start - start to profile the calling process
 * @config: what to count; the session takes over the caller's reference
 *
 * May sleep. The process's earlier session, if any, is replaced in one step, and no CPU
 * samples for it on return.
 *
 * Return: 0, or an error: then the earlier session continues.
 */
int profil_lifecycle_start(struct profil_config *config)
{
	struct profil_session *session, *old;
	bool timer;

	session = lifecycle_create(config);
	if (IS_ERR(session))
		return PTR_ERR(session);
	/* before it is published: afterwards, another thread could replace and free it */
	trace_profil_start(session->tgid, config->pace.rate, config->flags,
			   config->nr_ranges, config->nr_pages);
	timer = profil_clock_needs_timer(&config->pace);
	old = profil_table_publish(session);
	if (timer)
		profil_timer_start();
	if (old) {
		lifecycle_stop_sampling(old);
		lifecycle_settle_and_put(old, NULL);
	}
	return 0;
}

/**
 * profil_lifecycle_stop - stop the calling process's session
 * @status: zeroed; gets the final counts, or stays zero if there is no session
 *
 * May sleep. On return no CPU samples for the process, and pending samples have been counted.
 *
 * Return: 0, or -EINTR: then the session continues.
 */
int profil_lifecycle_stop(struct profil_status *status)
{
	struct profil_session *session;
	int err;

	session = lifecycle_get_own();
	if (!session)
		return 0;
	/* before the session is unpublished: a signal can interrupt this */
	err = profil_service_watch(session);
	if (err == -EINTR)
		goto put;
	err = 0;
	/* if not, another thread has stopped or replaced it, and ends it */
	if (profil_table_unpublish(session)) {
		lifecycle_stop_sampling(session);
		lifecycle_settle_and_put(session, status);
	}
put:
	profil_session_put(session);
	return err;
}

/**
 * profil_lifecycle_status - report the calling process's session
 * @status: zeroed; stays zero if there is no session
 *
 * May sleep. Pending samples are counted first.
 *
 * Return: 0, or -EINTR.
 */
int profil_lifecycle_status(struct profil_status *status)
{
	struct profil_session *session = lifecycle_get_own();
	int err;

	if (!session)
		return 0;
	err = profil_service_settle(session);
	if (!err) {
		lifecycle_read_status(session, status);
		mutex_unlock(&session->service_mutex);
	}
	profil_session_put(session);
	return err;
}
