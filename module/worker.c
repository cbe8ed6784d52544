// SPDX-License-Identifier: GPL-2.0-only
/*
 * What ticks, forks and notifiers leave to be done in process context: pin the
 * pages that samples wait for and count them, unpin what has gone stale, check
 * whether memory that was changed is still there, give back what a profile that
 * has ended still holds.
 *
 * A worker does it soon, and a status or stop call at once, so that its figures are
 * settled. They differ where a page has to be brought first, from a file or a file
 * system of the user's own. A call waits for it, without locks, and can be killed. A
 * worker waits for nothing that a user could hold up: it takes its locks if they are
 * free, else it comes again; and a sample whose page is not there goes on waiting, for
 * a call, or until the process has brought the page itself.
 */
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "buffer.h"
#include "clock.h"
#include "config.h"
#include "hooks.h"
#include "notifier.h"
#include "pin.h"
#include "sampler.h"
#include "session.h"
#include "worker.h"

/* How often a sample is tried to be counted while the memory map changes */
#define COUNT_TRIES	10

/* Samples that a worker looks after in one pass, and of these, ones without a page. */
#define PASS_MOST	32
#define PASS_ABSENT	4

/**
 * struct worker_pass - one pass over what is to be done
 * @session: session
 * @by_call: a call does it, and brings the first page that is absent
 * @samples: how many samples a worker still looks after
 * @absent:  how many more absent pages a worker finds before it ends
 * @is_absent: for a call: the first sample's page is,
 * @missing: which has this number; kept in the next pass,
 * @error:   and why the call could not bring it, or 0
 * @again:   something is left that does not wait for a page
 */
struct worker_pass {
	struct profil_session *session;
	bool by_call;
	unsigned int samples;
	unsigned int absent;
	bool is_absent;
	unsigned long missing;
	int error;
	bool again;
};

/* Passes of a call, if other threads discard what it brings. */
#define CALL_PASSES	10000

/* Is all memory there that has to be? Samples wait until that is known. */
static void worker_sweep(struct worker_pass *pass)
{
	struct profil_session *session = pass->session;
	int err;

	if (test_bit(PROFIL_RECHECK, &session->flags))
		set_bit(PROFIL_CHECKING, &session->flags);
	clear_bit(PROFIL_RECHECK, &session->flags);
	/* a change that comes now sets it again, and is seen next time */
	smp_mb__after_atomic();
	err = profil_buffer_sweep(&session->buffer);
	if (err == -EAGAIN) {
		profil_session_recheck(session);
		pass->again = true;
	} else if (err) {
		profil_session_stop(session, PROFIL_STATE_FAULT, -err);
	}
	clear_bit_unlock(PROFIL_CHECKING, &session->flags);
}

/*
 * As a tick would, were it here now; also if the profile has ended meanwhile at
 * its limit: this came before. Return: false if its memory has changed again.
 */
static bool worker_count_now(struct profil_session *session,
			     const struct profil_sample *sample)
{
	struct profil_cpu *cpu;
	unsigned long flags;
	bool done = false;

	local_irq_save(flags);
	cpu = profil_cpus_here(&session->cpus);
	raw_spin_lock(&cpu->lock);
	rcu_read_lock();
	if (!test_bit(PROFIL_FAULTED, &session->flags))
		done = profil_sampler_count(session, cpu, sample,
					    &session->settled);
	rcu_read_unlock();
	raw_spin_unlock(&cpu->lock);
	local_irq_restore(flags);
	return done;
}

/*
 * Return: 0; -EAGAIN: the memory map changes all the time; or as profil_buffer_pin().
 */
static int worker_pin_and_count(struct worker_pass *pass,
				const struct profil_sample *sample)
{
	struct profil_session *session = pass->session;
	unsigned long index = sample->buf_offset >> PAGE_SHIFT;
	int err, tries;

	for (tries = 0; tries < COUNT_TRIES; tries++) {
		err = profil_buffer_pin(&session->buffer, index);
		if (err == -EBUSY && pass->error && pass->missing == index)
			return pass->error;
		if (err)
			return err;
		/* pinning may have made a copy of the page, which is a change too */
		worker_sweep(pass);
		if (worker_count_now(session, sample))
			return 0;
	}
	return -EAGAIN;
}

/*
 * A page is absent. A call keeps the sample first, and brings the page; in a worker, pages
 * of those that come after may be there. Return: whether the pass goes on.
 */
static bool worker_skip_absent(struct worker_pass *pass, unsigned long index)
{
	if (pass->by_call) {
		pass->is_absent = true;
		pass->missing = index;
		return false;
	}
	profil_pending_rotate(&pass->session->pending);
	return pass->absent--;
}

static void worker_count_pending(struct worker_pass *pass)
{
	struct profil_session *session = pass->session;
	struct profil_sample sample;
	int err;

	while (!test_bit(PROFIL_FAULTED, &session->flags) &&
	       profil_pending_first(&session->pending, &sample)) {
		if (!pass->by_call && !pass->samples--) {
			pass->again = true;
			return;
		}
		err = worker_pin_and_count(pass, &sample);
		if (err == -EBUSY) {
			if (!worker_skip_absent(pass, sample.buf_offset >>
							  PAGE_SHIFT))
				return;
			continue;
		}
		/* it goes on waiting, before all others */
		if (err == -EAGAIN) {
			pass->again = true;
			return;
		}
		profil_pending_done(&session->pending, sample.samples);
		if (!err)
			continue;
		/* out of memory is for this sample; all else for all that come */
		if (err != -ENOMEM)
			profil_session_stop(session, PROFIL_STATE_FAULT, -err);
		profil_session_lose(session, &session->settled, sample.samples,
				    -err);
	}
}

/* Whether a signal was sent: for a thread that has the memory, under whose lock. */
static bool worker_signal_process_of(struct task_struct *thread,
				     struct profil_session *session)
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
 * The process is told of a fault, once: by any of its threads that has not exited.
 * Never a program that it has executed since: the switch to another address space is
 * made under the same lock. (One that it is about to execute finds the signal pending, as
 * any that comes in time.) Nor where the memory is there, and only we cannot watch it.
 */
static void worker_send_fault_signal(struct profil_session *session)
{
	struct task_struct *leader, *thread;

	if (!session->process || session->state != PROFIL_STATE_FAULT ||
	    !session->buffer.watched ||
	    test_and_set_bit(PROFIL_SIGNALLED, &session->flags))
		return;
	/* keeps the threads from being freed */
	rcu_read_lock();
	leader = pid_task(session->process, PIDTYPE_TGID);
	if (leader)
		for_each_thread(leader, thread)
			if (worker_signal_process_of(thread, session))
				break;
	rcu_read_unlock();
}

/**
 * profil_worker_unpin - unpin, uncharge memory and put the hooks of a profile that ended
 * @session: with its service_mutex held; not RUNNING, or unpublished
 *
 * May sleep. No CPU samples for it any more: the caller has waited for those that did
 * (profil_cpus_barrier()), or the address space has no users.
 */
void profil_worker_unpin(struct profil_session *session)
{
	if (session->unpinned)
		return;
	WRITE_ONCE(session->unpinned, true);
	profil_buffer_unpin_all(&session->buffer);
	profil_hooks_put(profil_clock_needs_timer(session->config));
}

/* With mmap_lock and the service_mutex. */
static void worker_run_pass(struct worker_pass *pass)
{
	struct profil_session *session = pass->session;

	lockdep_assert_held(&session->service_mutex);
	/* nothing may be pinned any more: a worker may come late */
	if (session->unpinned) {
		profil_session_lose_pending(session);
		return;
	}
	profil_session_grow(session);
	worker_sweep(pass);
	worker_count_pending(pass);
	if (READ_ONCE(session->state) != PROFIL_STATE_RUNNING) {
		/* a CPU may have looked at the state before */
		profil_cpus_barrier(&session->cpus);
		profil_worker_unpin(session);
		profil_session_lose_pending(session);
		worker_send_fault_signal(session);
	}
}

/**
 * profil_worker_pass - bring a session into order, as far as that needs no wait
 * @session: with its service_mutex, and its mmap_lock, held
 *
 * Return: whether there is more to be done now.
 */
bool profil_worker_pass(struct profil_session *session)
{
	struct worker_pass pass = {
		.session = session,
		.samples = PASS_MOST,
		.absent = PASS_ABSENT,
	};

	worker_run_pass(&pass);
	return pass.again;
}

/**
 * profil_worker_watch_locked - learn of changes to a child's memory from here on
 * @session: with its mmap_lock for writing
 *
 * By a worker. Waits only for what the kernel holds for short: the service_mutex of a
 * session that is not watched is taken with mmap_lock alone.
 */
void profil_worker_watch_locked(struct profil_session *session)
{
	int err;

	mutex_lock(&session->service_mutex);
	err = profil_notifier_watch(session);
	if (err)
		profil_session_stop(session, PROFIL_STATE_FAULT, -err);
	mutex_unlock(&session->service_mutex);
}

/**
 * profil_worker_watch - learn of changes to the caller's memory from here on
 * @session: of that memory
 *
 * May sleep. Signals wait: the subscription gives up with one pending, and a program
 * that gets one often enough would never have a profile. Those that cannot wait are
 * left, SIGKILL and SIGSTOP and the kernel's own. Return: 0, -ENOMEM or -EINTR.
 */
int profil_worker_watch(struct profil_session *session)
{
	sigset_t all, old;
	int err;

	if (READ_ONCE(session->buffer.watched))
		return 0;
	if (mmap_write_lock_killable(session->mm))
		return -EINTR;
	mutex_lock(&session->service_mutex);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	err = profil_notifier_watch(session);
	sigprocmask(SIG_SETMASK, &old, NULL);
	mutex_unlock(&session->service_mutex);
	mmap_write_unlock(session->mm);
	return err;
}

/*
 * What a call takes to look after its session. mmap_lock comes first: other threads may
 * hold it for as long as a page takes to come, and the service_mutex is not to be held
 * as long. Return: 0 or -EINTR.
 */
static int worker_lock(struct profil_session *session)
{
	if (mmap_read_lock_killable(session->mm))
		return -EINTR;
	if (!mutex_lock_killable(&session->service_mutex))
		return 0;
	mmap_read_unlock(session->mm);
	return -EINTR;
}

static void worker_unlock(struct profil_session *session)
{
	mutex_unlock(&session->service_mutex);
	mmap_read_unlock(session->mm);
}

static int worker_fault_in(struct profil_session *session, unsigned long index)
{
	return profil_pin_fault_in(session->mm,
				   profil_config_address(session->config,
							 index));
}

/**
 * profil_worker_settle - bring a session into order, and wait for what that takes
 * @session: of the caller's memory
 *
 * May sleep for as long as pages take to come, without locks. Return: 0, with the
 * service_mutex held; or -EINTR, without: the caller is being killed.
 */
int profil_worker_settle(struct profil_session *session)
{
	struct worker_pass pass = { .session = session, .by_call = true };
	unsigned int passes = 0;
	int err;

	err = profil_worker_watch(session);
	if (err == -EINTR)
		return err;
	if (err)
		profil_session_stop(session, PROFIL_STATE_FAULT, -err);
	for (;;) {
		if (worker_lock(session))
			return -EINTR;
		pass.is_absent = false;
		pass.again = false;
		worker_run_pass(&pass);
		if (++passes == CALL_PASSES ||
		    (!pass.is_absent && !pass.again))
			break;
		worker_unlock(session);
		pass.error = 0;
		if (pass.is_absent)
			pass.error = worker_fault_in(session, pass.missing);
		if (pass.error == -EINTR)
			return -EINTR;
		cond_resched();
	}
	mmap_read_unlock(session->mm);
	return 0;
}

/**
 * profil_worker_pin_all - pin all pages, at the start of a profile
 * @session: of the caller's memory, watched, which nobody else knows of
 *
 * May sleep for as long as pages take to come, without locks. Return: 0, -EFAULT,
 * -EOPNOTSUPP, -ENOMEM or -EINTR; then the caller gives back what is pinned.
 */
int profil_worker_pin_all(struct profil_session *session)
{
	struct profil_buffer *buffer = &session->buffer;
	unsigned long nr = session->config->nr_pages, index = 0;
	struct page **pages;
	long pinned;
	int err = 0;

	pages = kvmalloc_array(min(nr, PROFIL_PIN_BATCH), sizeof(*pages),
			       GFP_KERNEL);
	if (!pages)
		return -ENOMEM;
	while (index < nr && !err) {
		err = worker_lock(session);
		if (err)
			break;
		/* its memory went away meanwhile, and a worker has given all back */
		if (session->unpinned)
			pinned = -EFAULT;
		else
			pinned = profil_buffer_pin_range(buffer, index, pages);
		worker_unlock(session);
		if (pinned > 0)
			index += pinned;
		else if (pinned == -EBUSY)
			err = worker_fault_in(session, index);
		else if (pinned != -EAGAIN)
			err = pinned;
		if (fatal_signal_pending(current))
			err = -EINTR;
		cond_resched();
	}
	kvfree(pages);
	return err;
}
