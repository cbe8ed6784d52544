/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session: one address space that is being profiled.
 */
#ifndef _PROFIL_SESSION_H
#define _PROFIL_SESSION_H

#include <linux/bits.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/profil.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "clock/clock.h"
#include "compat.h"
#include "counters/buffer.h"
#include "counters/config.h"
#include "counters/cpu.h"
#include "counters/pending.h"

struct mem_cgroup;

/* Bits of struct profil_session.flags */
#define SESSION_KICKED	0	/* the worker is queued, at most @retry_delay ahead */
#define SESSION_RECHECK	1	/* the worker must check that the memory is still there */
#define SESSION_CHECKING	2	/* the worker is checking */
#define SESSION_FAULTED	3	/* the memory is gone: no counter may be written */
#define SESSION_SIGNALLED	4	/* the process has been sent SIGSEGV for a fault */
#define SESSION_ABANDONED	5	/* unpublished by a killed call: the worker ends it */
#define SESSION_HOLDS_MM	6	/* a kick has taken mm_users for the worker */

/**
 * struct profil_session - a profile that runs, or that has ended and still has a status
 *
 * Read by every sample, not written while the session runs:
 *
 * @node:      entry in the table of sessions (table.c), or in the reserve (fork.c)
 * @mm:        the address space, which is the key in the table. Held by mmgrab() until the
 *             session is freed
 * @subject:   what clocks read. Its pace is in the configuration, of which it holds a reference.
 *             Its thread is for PROFIL_THREAD_ONLY, and keeps other threads from getting the same
 *             struct pid
 * @state:     PROFIL_STATE_*; leaves RUNNING once, in profil_session_stop()
 * @unpublished: it has left the table, where another session may have replaced it
 *
 * Written by samples:
 *
 * @cpus:      slots: a shared one, and CPUs' own (cpu.h)
 * @pending:   samples whose page is not pinned
 *
 * Written when something happens to the session:
 *
 * @pc_log_used: entries of the pc log that have been handed out
 * @flags:     SESSION_KICKED and so on, above
 * @memcg:     with SESSION_HOLDS_MM: the memory cgroup to charge, with a reference. Belongs
 *             to the caller that set SESSION_KICKED, then to the worker
 * @ref:       one reference for the table, one for a queued worker, one for each call
 * @error:     errno of the last loss of samples, for status
 * @tgid:      the process, for tracepoints
 * @retry_delay: jiffies until the worker runs again with work that is left: one, unless it could
 *             not watch the memory. Used by the worker
 * @faulting:  address of a mapping whose lock a page fault had, when its memory was to be watched;
 *             with mmap_lock held for writing
 * @unpinned:  profil_service_unpin() has run; written under @service_mutex
 * @process:   for PROFIL_FAULT_SIGNAL the process, with a reference; else NULL
 * @buffer:    where to count
 * @service_mutex: held by the worker and by calls to pin, unpin, count pending samples or
 *             end the session. Taken after mmap_lock. Not held while a page is faulted in,
 *             so never for long. A worker that finds it taken runs again later
 * @settled:   counts of samples that were pending; under @service_mutex
 * @forks_followed: children that inherited the session
 * @fork_failures: children that did not
 * @log_inherited: in a forked child, entries of the pc log that the parent had used. Written
 *             before the session is published
 * @kick_work: kicks the worker from a context that cannot wake it
 * @release:   called when the address space ends (lifecycle.c)
 * @work:      the worker (lifecycle.c, service.c); holds a reference while it is queued
 * @free_work: frees the session a grace period after the last reference
 *
 * Each group starts on its own cache line, so that no write evicts from other CPUs' caches
 * what samples only read. A clock finds a session under rcu_read_lock(). It may use the
 * session while it holds the lock of its CPU's slot and the session is not @unpublished.
 */
struct profil_session {
	struct hlist_node node;
	struct mm_struct *mm;
	struct profil_subject subject;
	u32 state;
	bool unpublished;

	struct profil_cpus cpus ____cacheline_aligned_in_smp;
	struct profil_pending pending;

	atomic64_t pc_log_used ____cacheline_aligned_in_smp;
	unsigned long flags;
	struct mem_cgroup *memcg;
	refcount_t ref;
	u32 error;
	pid_t tgid;
	bool unpinned;
	unsigned long retry_delay;
	unsigned long faulting;
	struct pid *process;
	struct profil_buffer buffer;
	struct mutex service_mutex; /* see above */
	struct profil_counts settled;
	atomic_long_t forks_followed;
	atomic_long_t fork_failures;
	u64 log_inherited;
	struct irq_work kick_work;
	void (*release)(struct profil_session *session);
	struct delayed_work work;
	struct rcu_work free_work;
};

/* What it counts. */
static inline struct profil_config *profil_session_config(const struct profil_session *session)
{
	return container_of(session->subject.pace, struct profil_config, pace);
}

/*
 * Whether samples must stay pending, because the memory has changed and the worker has not
 * yet checked that all of it is still there, or because it is gone. The latter is needed for
 * a sample that read @state before the session was stopped.
 *
 * The caller holds the lock of this CPU's slot. Code that sets SESSION_RECHECK calls
 * profil_cpus_barrier() afterwards, which waits for such callers. All bits are in one word, and the
 * worker sets the next bit before it clears the previous one, so no reader sees none of them.
 */
static inline bool profil_session_needs_recheck(const struct profil_session *session)
{
	return READ_ONCE(session->flags) &
	       (BIT(SESSION_RECHECK) | BIT(SESSION_CHECKING) | BIT(SESSION_FAULTED));
}

/*
 * The page of a counter, by its number among the pages of all spans. With the lock of this CPU's
 * slot held. Return: NULL: it is not pinned, or must not be written at the moment.
 */
static inline struct page *profil_session_page(struct profil_session *session, unsigned long index)
{
	if (unlikely(profil_session_needs_recheck(session)))
		return NULL;
	return profil_buffer_page(&session->buffer, index);
}

/* Whether it samples @task, which has its memory. */
static inline bool profil_session_samples_task(const struct profil_session *session,
					       struct task_struct *task)
{
	return !session->subject.thread || session->subject.thread == task_pid(task);
}

/* May sleep. */
void profil_session_lose_pending(struct profil_session *session);
void profil_session_grow(struct profil_session *session);
struct profil_counts profil_session_counts(struct profil_session *session);
void profil_session_reserve_pending(struct profil_session *session);
void profil_session_free(struct profil_session *session);

/* May sleep if @gfp allows it. */
struct profil_session *profil_session_alloc(gfp_t gfp);

/* Any context. */
void profil_session_hold_module(void);
void profil_session_put(struct profil_session *session);
void profil_session_stop(struct profil_session *session, u32 state, u32 error);
void profil_session_lose(struct profil_session *session,
			 struct profil_counts *counts, u64 samples,
			 u32 error);
void profil_session_inherit(struct profil_session *session, const struct profil_session *old);
void profil_session_recheck(struct profil_session *session);
void profil_session_kick(struct profil_session *session);
void profil_session_kick_from_switch(struct profil_session *session);
bool profil_session_take_mm(struct profil_session *session, struct mem_cgroup **memcg);
bool profil_session_requeue(struct profil_session *session, struct mem_cgroup *memcg);
void profil_session_kick_later(struct profil_session *session, unsigned long delay);

int profil_session_init(void);
void profil_session_exit(void);

#endif /* _PROFIL_SESSION_H */
