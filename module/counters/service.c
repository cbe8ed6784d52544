// SPDX-License-Identifier: GPL-2.0-only
/*
 * Background work of a session, which clocks, forks and notifiers leave to process context:
 * pin the pages of pending samples and count them, unpin stale pages, check that memory
 * that has changed is still there, and unpin everything of a profile that has stopped.
 *
 * The worker (lifecycle.c) does this soon. A status or stop call does it at once, so that its
 * counts are settled. The two differ if a page has to be read first, from a file or from a user's
 * own file system. A call waits for the page, without locks, and can be killed. The worker never
 * waits for anything that a user could hold up for longer than notifier.c states. If a lock is
 * taken, if a page is being read, or if a page fault holds the lock of a mapping for longer than a
 * millisecond, the worker runs again later. A sample whose page the worker must not read stays
 * pending until a call faults the page in, or until the process itself does.
 */
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "clock/clock.h"
#include "clock/hooks.h"
#include "counters/buffer.h"
#include "counters/config.h"
#include "counters/notifier.h"
#include "counters/pin.h"
#include "counters/sampler.h"
#include "counters/service.h"
#include "counters/session.h"

/* How often to retry counting a sample while the memory map changes. */
#define COUNT_TRIES	10

/* Samples that the worker handles in one pass, and how many of them may have absent pages. */
#define PASS_SAMPLES	32
#define PASS_ABSENT	4

/**
 * struct service_pass - one pass over a session's work
 * @session: session
 * @in_call: run by a call, not by the worker
 * @samples: worker only: how many samples this pass may still handle
 * @absent:  worker only: how many more absent pages this pass may find
 * @is_absent: call only: the page of the first sample is absent
 * @absent_index: call only: number of the absent page, also during the next pass
 * @error:   call only: why the absent page could not be faulted in, or 0
 * @again:   work is left that does not wait for a page
 */
struct service_pass {
	struct profil_session *session;
	bool in_call;
	unsigned int samples;
	unsigned int absent;
	bool is_absent;
	unsigned long absent_index;
	int error;
	bool again;
};

/* Limit for the passes of a call: other threads may discard each page that it faults in. */
#define CALL_PASSES	10000

/* Unpin stale pages and check the memory. Samples stay pending until that is done. */
static void service_sweep(struct service_pass *pass)
{
	struct profil_session *session = pass->session;
	int err;

	if (test_bit(SESSION_RECHECK, &session->flags)) {
		/* in this order: samples stay pending all the time */
		set_bit(SESSION_CHECKING, &session->flags);
		clear_bit(SESSION_RECHECK, &session->flags);
		/*
		 * Clear it before the sweep: a later change sets it again, for the next pass. Pairs
		 * with the barrier in profil_session_recheck(). litmus: service-recheck
		 */
		smp_mb__after_atomic();
	}
	err = profil_buffer_sweep(&session->buffer);
	if (err == -EAGAIN) {
		/* GCOV_EXCL_START: a map that changes without pause */
		profil_session_recheck(session);
		pass->again = true;
		/* GCOV_EXCL_STOP */
	} else if (err) {
		profil_session_stop(session, PROFIL_STATE_FAULT, -err);
	}
	/* after the check: then counters may be written again; litmus: service-checking */
	clear_bit_unlock(SESSION_CHECKING, &session->flags);
}

/*
 * Count a pending sample as a clock would. A sample taken before the profile reached its limit
 * still counts. Return: false if the memory has changed again.
 */
static bool service_count_now(struct profil_session *session, const struct profil_sample *sample)
{
	struct profil_cpu *cpu;
	unsigned long flags;
	bool done = false;

	local_irq_save(flags);
	cpu = profil_cpus_here(&session->cpus);
	raw_spin_lock(&cpu->lock);
	rcu_read_lock();
	if (!test_bit(SESSION_FAULTED, &session->flags))
		done = profil_sampler_count(session, cpu, sample, &session->settled);
	rcu_read_unlock();
	raw_spin_unlock(&cpu->lock);
	local_irq_restore(flags);
	return done;
}

/* Return: 0; -EAGAIN: the memory map keeps changing; or as profil_buffer_pin(). */
static int service_pin_and_count(struct service_pass *pass, const struct profil_sample *sample)
{
	struct profil_session *session = pass->session;
	unsigned long index = sample->buf_offset >> PAGE_SHIFT;
	int err, tries;

	for (tries = 0; tries < COUNT_TRIES; tries++) {
		err = profil_buffer_pin(&session->buffer, index);
		/* still absent, because faulting it in has just failed */
		if (err == -EBUSY && pass->error && pass->absent_index == index)
			return pass->error;
		if (err)
			return err;
		/* pinning may have copied the page, which is a change too */
		service_sweep(pass);
		if (service_count_now(session, sample))
			return 0;
	}
	return -EAGAIN;
}

/*
 * The page of the first sample is absent. A call ends the pass, to fault the page in. The
 * worker moves the sample to the end: pages of later samples may be present. Return:
 * whether the pass continues.
 */
static bool service_skip_absent(struct service_pass *pass, unsigned long index)
{
	if (pass->in_call) {
		pass->is_absent = true;
		pass->absent_index = index;
		return false;
	}
	profil_pending_rotate(&pass->session->pending);
	return pass->absent--;
}

static void service_count_pending(struct service_pass *pass)
{
	struct profil_session *session = pass->session;
	struct profil_sample sample;
	int err;

	while (!test_bit(SESSION_FAULTED, &session->flags) &&
	       profil_pending_first(&session->pending, &sample)) {
		if (!pass->in_call && !pass->samples--) {
			pass->again = true;
			return;
		}
		err = service_pin_and_count(pass, &sample);
		pass->again |= err == -EINPROGRESS;
		if (err == -EBUSY || err == -EINPROGRESS) {
			if (!service_skip_absent(pass, sample.buf_offset >> PAGE_SHIFT))
				return;
			continue;
		}
		/* the sample stays pending, and stays the first */
		if (err == -EAGAIN) {
			pass->again = true; /* GCOV_EXCL_LINE: a map that changes without pause */
			return; /* GCOV_EXCL_LINE: a map that changes without pause */
		}
		profil_pending_done(&session->pending, sample.samples);
		if (!err)
			continue;
		/* -ENOMEM concerns this sample only, other errors all that follow */
		if (err != -ENOMEM)
			profil_session_stop(session, PROFIL_STATE_FAULT, -err);
		profil_session_lose(session, &session->settled, sample.samples, -err);
	}
}

/* Send the signal if @thread has the session's memory. Return: whether it has. */
static bool service_signal_process_of(struct task_struct *thread, struct profil_session *session)
{
	bool has_memory;

	task_lock(thread);
	has_memory = thread->mm == session->mm;
	if (has_memory)
		kill_pid(session->process, SIGSEGV, 1);
	task_unlock(thread);
	return has_memory;
}

/*
 * Send the process its signal of a fault, once, through any thread that has not exited. A
 * program that it has executed since does not get the signal: exec switches the address
 * space under the same lock, task_lock(). (If the signal is sent before the switch, it is
 * pending in the new program, like any other signal.) No signal is sent if the memory is
 * still there and only watching it has failed.
 */
static void service_send_fault_signal(struct profil_session *session)
{
	struct task_struct *leader, *thread;

	if (!session->process || session->state != PROFIL_STATE_FAULT ||
	    !session->buffer.watched ||
	    test_and_set_bit(SESSION_SIGNALLED, &session->flags))
		return;
	/* keeps the threads from being freed */
	rcu_read_lock();
	leader = pid_task(session->process, PIDTYPE_TGID);
	if (leader)
		for_each_thread(leader, thread)
			if (service_signal_process_of(thread, session))
				break;
	rcu_read_unlock();
}

/**
 * profil_service_unpin - unpin all pages, uncharge them and put the hooks
 * @session: not RUNNING, or unpublished
 *
 * May sleep. No CPU samples for it any more: the caller has waited for those that did
 * (profil_cpus_barrier()), or the address space has no users.
 */
void profil_service_unpin(struct profil_session *session)
{
	lockdep_assert_held(&session->service_mutex);
	if (session->unpinned)
		return;
	WRITE_ONCE(session->unpinned, true);
	profil_buffer_unpin_all(&session->buffer);
	profil_hooks_put(profil_clock_hooks(session->subject.pace, PROFIL_KIND_SESSION));
}

static void service_run_pass(struct service_pass *pass)
{
	struct profil_session *session = pass->session;

	mmap_assert_locked(session->mm);
	lockdep_assert_held(&session->service_mutex);
	/* a late worker: nothing may be pinned any more */
	if (session->unpinned) {
		profil_session_lose_pending(session);
		return;
	}
	profil_session_grow(session);
	service_sweep(pass);
	service_count_pending(pass);
	if (READ_ONCE(session->state) != PROFIL_STATE_RUNNING) {
		/* a CPU may have read the old state */
		profil_cpus_barrier(&session->cpus);
		profil_service_unpin(session);
		profil_session_lose_pending(session);
		service_send_fault_signal(session);
	}
}

/**
 * profil_service_pass - do as much of a session's work as needs no wait
 * @session: session
 *
 * Called by the worker.
 *
 * Return: whether it must run again.
 */
bool profil_service_pass(struct profil_session *session)
{
	struct service_pass pass = {
		.session = session,
		.samples = PASS_SAMPLES,
		.absent = PASS_ABSENT,
	};

	service_run_pass(&pass);
	return pass.again;
}

/**
 * profil_service_watch_locked - start watching the memory of a forked child
 * @session: of a child
 *
 * Called by the worker. Waits only for locks that are held briefly. The service_mutex is one
 * of them: while the memory is not watched, calls take it only after mmap_lock.
 *
 * Return: false if the worker must try again: somebody has a lock that it does not wait for.
 */
bool profil_service_watch_locked(struct profil_session *session)
{
	int err;

	mutex_lock(&session->service_mutex);
	err = profil_notifier_watch(session);
	if (err && err != -EBUSY)
		profil_session_stop(session, PROFIL_STATE_FAULT, -err);
	mutex_unlock(&session->service_mutex);
	return err != -EBUSY;
}

/* Return: as profil_notifier_watch(); -EINTR also if the caller is being killed. */
static int service_try_watch(struct profil_session *session)
{
	sigset_t all, old;
	int err;

	if (mmap_write_lock_killable(session->mm))
		return -EINTR; /* GCOV_EXCL_LINE: killed */
	mutex_lock(&session->service_mutex);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	err = profil_notifier_watch(session);
	sigprocmask(SIG_SETMASK, &old, NULL);
	mutex_unlock(&session->service_mutex);
	mmap_write_unlock(session->mm);
	return err;
}

/**
 * profil_service_watch - start watching the caller's memory
 * @session: of the caller's memory
 *
 * May sleep. Signals are blocked: the subscription fails with a signal pending, so a program
 * that gets signals often enough could never start a profile. SIGKILL, SIGSTOP and the
 * kernel's own signals cannot be blocked.
 *
 * Waits for page faults of the process that hold the lock of their mapping, for those who hold that
 * of a file, and for other starts of the user, without locks: a fault takes as long as the file
 * system likes, but the caller can be killed, and others can look at its memory.
 *
 * Return: 0, -ENOMEM, -EAGAIN or -EINTR.
 */
int profil_service_watch(struct profil_session *session)
{
	unsigned int us = 50;
	int err;

	if (READ_ONCE(session->buffer.watched))
		return 0;
	while ((err = service_try_watch(session)) == -EBUSY) {
		/* most locks are held for microseconds, some for seconds */
		usleep_range(us, 2 * us);
		us = min(2 * us, 5000U);
		if (fatal_signal_pending(current))
			return -EINTR;
	}
	return err;
}

/*
 * Take the locks of a session in a call. mmap_lock comes first: other threads may hold it
 * for as long as a page takes to arrive, and the service_mutex must not be held that long.
 * Return: 0 or -EINTR.
 */
static int service_lock(struct profil_session *session)
{
	if (mmap_read_lock_killable(session->mm))
		return -EINTR; /* GCOV_EXCL_LINE: killed */
	if (!mutex_lock_killable(&session->service_mutex))
		return 0;
	mmap_read_unlock(session->mm); /* GCOV_EXCL_LINE: killed */
	return -EINTR; /* GCOV_EXCL_LINE: killed */
}

static void service_unlock(struct profil_session *session)
{
	mutex_unlock(&session->service_mutex);
	mmap_read_unlock(session->mm);
}

static int service_fault_in(struct profil_session *session, unsigned long index)
{
	return profil_pin_fault_in(session->mm,
				   profil_config_address(profil_session_config(session),
							 index));
}

/**
 * profil_service_settle - do all of a session's work, and wait for pages
 * @session: of the caller's memory
 *
 * May sleep for as long as pages take to arrive, without locks.
 *
 * Return: 0, with the service_mutex held; or -EINTR, without it: the caller is being killed.
 */
int profil_service_settle(struct profil_session *session)
{
	struct service_pass pass = { .session = session, .in_call = true };
	unsigned int passes = 0;
	int err;

	err = profil_service_watch(session);
	if (err == -EINTR)
		return err;
	if (err)
		profil_session_stop(session, PROFIL_STATE_FAULT, -err);
	for (;;) {
		if (service_lock(session))
			return -EINTR;
		pass.is_absent = false;
		pass.again = false;
		service_run_pass(&pass);
		if (++passes == CALL_PASSES || (!pass.is_absent && !pass.again))
			break;
		service_unlock(session);
		pass.error = 0;
		if (pass.is_absent)
			pass.error = service_fault_in(session, pass.absent_index);
		if (pass.error == -EINTR)
			return -EINTR;
		cond_resched();
	}
	mmap_read_unlock(session->mm);
	return 0;
}

/**
 * profil_service_pin_all - pin all pages at the start of a profile
 * @session: of the caller's memory, watched, not yet published
 *
 * May sleep for as long as pages take to arrive, without locks.
 *
 * Return: 0, -EFAULT, -EOPNOTSUPP, -ENOMEM or -EINTR. On an error the caller unpins what is pinned.
 */
int profil_service_pin_all(struct profil_session *session)
{
	struct profil_buffer *buffer = &session->buffer;
	unsigned long nr = profil_session_config(session)->nr_pages, index = 0;
	struct page **pages;
	long pinned;
	int err = 0;

	pages = kvmalloc_array(min(nr, PROFIL_PIN_BATCH), sizeof(*pages), GFP_KERNEL);
	if (!pages)
		return -ENOMEM;
	while (index < nr && !err) {
		err = service_lock(session);
		if (err)
			break;
		/* the memory was unmapped, and a worker has unpinned everything */
		if (session->unpinned)
			pinned = -EFAULT;
		else
			pinned = profil_buffer_pin_range(buffer, index, pages);
		service_unlock(session);
		if (pinned > 0)
			index += pinned;
		else if (pinned == -EBUSY)
			err = service_fault_in(session, index);
		else if (pinned != -EAGAIN)
			err = pinned;
		if (fatal_signal_pending(current))
			err = -EINTR;
		cond_resched();
	}
	kvfree(pages);
	return err;
}
