// SPDX-License-Identifier: GPL-2.0-only
/*
 * What ticks, forks and notifiers leave to be done where one may sleep: pin the
 * pages that samples wait for and count them, unpin what has gone stale, look
 * whether memory that was changed is still there, give back what a profile that
 * has ended still holds.
 *
 * It is done by a worker, at once; or by a status or stop call that comes first,
 * so that what they tell is settled.
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

#include "buffer.h"
#include "repair.h"
#include "sampler.h"
#include "session.h"

/* How often a sample is tried to be counted while the memory map changes */
#define COUNT_TRIES	10

/* Is all memory there that is to be? Samples wait until that is known. */
static void check(struct profil_session *session)
{
	int err;

	if (!test_bit(PROFIL_RECHECK, &session->flags))
		return;
	set_bit(PROFIL_CHECKING, &session->flags);
	clear_bit(PROFIL_RECHECK, &session->flags);
	/* a change that comes now sets it again, and is seen next time */
	smp_mb__after_atomic();
	err = profil_buffer_check(&session->buffer);
	if (err == -EINTR)
		profil_session_recheck(session);
	else if (err)
		profil_session_end(session, PROFIL_STATE_FAULT, -err);
	clear_bit_unlock(PROFIL_CHECKING, &session->flags);
}

/*
 * As a tick would, were it here now; also if the profile has ended meanwhile at
 * its limit: this came before. Return: false if its memory has changed again.
 */
static bool count_now(struct profil_session *session,
		      const struct profil_sample *sample)
{
	struct profil_cpu *cpu;
	unsigned long flags;
	bool done = false;

	local_irq_save(flags);
	cpu = this_cpu_ptr(session->cpus);
	raw_spin_lock(&cpu->lock);
	rcu_read_lock();
	if (!test_bit(PROFIL_FAULTED, &session->flags))
		done = profil_sampler_count(session, cpu, sample,
					    &session->repaired);
	rcu_read_unlock();
	raw_spin_unlock(&cpu->lock);
	local_irq_restore(flags);
	return done;
}

/*
 * Return: 0; -EAGAIN: the memory map changes all the time; or as profil_buffer_pin().
 */
static int pin_and_count(struct profil_session *session,
			 const struct profil_sample *sample)
{
	int err, tries;

	for (tries = 0; tries < COUNT_TRIES; tries++) {
		err = profil_buffer_pin(&session->buffer,
					sample->place >> PAGE_SHIFT);
		if (err)
			return err;
		/* pinning may have made a copy of the page, which is a change too */
		check(session);
		if (count_now(session, sample))
			return 0;
	}
	return -EAGAIN;
}

static void count_waiting(struct profil_session *session)
{
	struct profil_sample sample;
	int err;

	while (!test_bit(PROFIL_FAULTED, &session->flags) &&
	       profil_waiting_first(&session->waiting, &sample)) {
		err = pin_and_count(session, &sample);
		/* it goes on waiting, before all others, for the next kick or call */
		if (err == -EAGAIN || err == -EINTR)
			return;
		profil_waiting_done(&session->waiting, sample.samples);
		if (!err)
			continue;
		/* out of memory is for this sample; all else for all that come */
		if (err != -ENOMEM)
			profil_session_end(session, PROFIL_STATE_FAULT, -err);
		profil_session_lose(session, &session->repaired, sample.samples,
				    -err);
	}
}

/* Whether a signal was sent: for a thread that has the memory, under whose lock. */
static bool signal_process_of(struct task_struct *thread,
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
static void send_fault_signal(struct profil_session *session)
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
			if (signal_process_of(thread, session))
				break;
	rcu_read_unlock();
}

static void lose_waiting(struct profil_session *session)
{
	struct profil_sample sample;

	while (profil_waiting_first(&session->waiting, &sample)) {
		profil_session_lose(session, &session->repaired, sample.samples,
				    session->error);
		profil_waiting_done(&session->waiting, sample.samples);
	}
}

/**
 * profil_repair - bring a session into order
 * @session: with its service_mutex held; of an address space with users
 *
 * May sleep.
 */
void profil_repair(struct profil_session *session)
{
	int err;

	lockdep_assert_held(&session->service_mutex);
	/* nothing may be pinned any more: a worker may come late */
	if (session->given_back) {
		lose_waiting(session);
		return;
	}
	err = profil_buffer_watch(&session->buffer);
	if (err == -EINTR)	/* a call with a signal: the worker will */
		return;
	if (err)
		profil_session_end(session, PROFIL_STATE_FAULT, -err);
	profil_buffer_sweep(&session->buffer);
	check(session);
	count_waiting(session);
	if (READ_ONCE(session->state) != PROFIL_STATE_RUNNING) {
		profil_session_give_back(session);
		lose_waiting(session);
		send_fault_signal(session);
	}
}
