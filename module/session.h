/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session: one address space being profiled.
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

#include "buffer.h"
#include "cpu.h"
#include "pending.h"

struct mem_cgroup;
struct pid;
struct profil_config;
struct task_struct;

/* Bits of struct profil_session.flags */
#define PROFIL_KICKED	0	/* the worker is to come now */
#define PROFIL_RECHECK	1	/* it is to look whether the memory is still there */
#define PROFIL_CHECKING	2	/* it is looking */
#define PROFIL_FAULTED	3	/* it is not: no counter may be written any more */
#define PROFIL_SIGNALLED	4	/* the process has got its signal of a fault */
#define PROFIL_ABANDONED	5	/* withdrawn by a killed call: the worker ends it */
#define PROFIL_HOLDS_MM	6	/* a kick holds mm_users for the worker */

/**
 * struct profil_session - life of a profile
 *
 * What every sample reads, and nobody writes while it runs:
 *
 * @node:      in the table of sessions (table.c), or in its parent's @spares
 * @mm:        the key: whose ticks count. Kept by a reference of its own (mmgrab())
 *             until the session is freed
 * @config:    what to count; one reference. Immutable
 * @thread:    the thread that is sampled, with a reference, so that no other gets
 *             its struct pid: for PROFIL_THREAD_ONLY; else NULL
 * @tick_start_ns:  ktime_get_ns() from which ticks are its own: at its start, or that of
 *             the session it replaced
 * @timer_start_ns: the same for the timer's points
 * @state:     PROFIL_STATE_*; leaves RUNNING once, by profil_session_stop()
 * @unpublished: it has left the table, so that its successor, if any, is there
 *
 * What samples write:
 *
 * @cpus:      slots, of each CPU or of all
 * @pending:   samples whose page is not pinned
 *
 * What is written when something happens to the session:
 *
 * @log_used:  entries of the pc log that were handed out
 * @flags:     PROFIL_KICKED and so on, above
 * @memcg:     the memory cgroup to charge, if PROFIL_HOLDS_MM; with a reference.
 *             Of whoever has set PROFIL_KICKED, then of the worker
 * @ref:       one of the table, one of a kicked worker, one of each call at work
 * @error:     errno of the last loss of samples, for status
 * @tgid:      the process, for tracepoints
 * @process:   the same, with a reference, for PROFIL_FAULT_SIGNAL; else NULL
 * @buffer:    where to count
 * @service_mutex: held by whoever pins, unpins, counts what waited, or ends the
 *             session: the worker and calls. Taken after mmap_lock. Not held while a
 *             page is brought, so that it is free soon; a worker comes again if it is
 *             not
 * @settled:   figures of samples that have waited; under @service_mutex
 * @unpinned: pins, charge and hooks are; under @service_mutex
 * @forks_followed: children that inherited the session,
 * @fork_failures: and children that did not
 * @spares:    sessions for children of forks under way (fork.c),
 * @spares_lock: and what protects the list: raw, as it is used at the tracepoint
 * @spare_for: of a spare: the thread that forks
 * @kick_work: kicks the worker from where that may not be done
 * @release:   called when the address space ends (lifecycle.c)
 * @work:      the worker (lifecycle.c, worker.c), with a reference while it is queued
 * @free_work: the last part of its end, a grace period after the last reference
 *
 * The groups begin in cache lines of their own, so that a sample does not fetch again
 * what it only reads. Ticks find a session under rcu_read_lock(); they use it while they
 * hold the lock of their CPU's slot and it is not @withdrawn.
 */
struct profil_session {
	struct hlist_node node;
	struct mm_struct *mm;
	struct profil_config *config;
	struct pid *thread;
	u64 tick_start_ns;
	u64 timer_start_ns;
	u32 state;
	bool unpublished;

	struct profil_cpus cpus ____cacheline_aligned_in_smp;
	struct profil_pending pending;

	atomic64_t log_used ____cacheline_aligned_in_smp;
	unsigned long flags;
	struct mem_cgroup *memcg;
	refcount_t ref;
	u32 error;
	pid_t tgid;
	bool unpinned;
	struct pid *process;
	struct profil_buffer buffer;
	struct mutex service_mutex; /* see above */
	struct profil_figures settled;
	atomic_long_t forks_followed;
	atomic_long_t fork_failures;
	struct hlist_head spares;
	raw_spinlock_t spares_lock;
	const struct task_struct *spare_for;
	struct irq_work kick_work;
	void (*release)(struct profil_session *session);
	struct delayed_work work;
	struct rcu_work free_work;
};

/*
 * Whether its memory has changed in a way that may be its end, so that samples wait
 * for the worker to find out; or that was its end: a tick may have looked at the state
 * before the worker found out, and comes here after. With this CPU's lock: who sets
 * PROFIL_RECHECK calls profil_cpus_barrier() then. All bits are in one word, and the
 * worker sets the next before it clears the one before.
 */
static inline bool profil_session_needs_recheck(const struct profil_session *session)
{
	return READ_ONCE(session->flags) &
	       (BIT(PROFIL_RECHECK) | BIT(PROFIL_CHECKING) |
		BIT(PROFIL_FAULTED));
}

/* Whether a thread of its process is one that it samples. */
static inline bool profil_session_samples_task(const struct profil_session *session,
					       struct task_struct *task)
{
	return !session->thread || session->thread == task_pid(task);
}

/* May sleep; with its service_mutex held. */
void profil_session_lose_pending(struct profil_session *session);
void profil_session_grow(struct profil_session *session);
struct profil_figures profil_session_figures(struct profil_session *session);

/* May sleep. */
void profil_session_reserve_pending(struct profil_session *session);
void profil_session_free(struct profil_session *session);

/* Any context. */
struct profil_session *profil_session_alloc(gfp_t gfp);
void profil_session_hold_module(void);
void profil_session_put(struct profil_session *session);
void profil_session_stop(struct profil_session *session, u32 state, u32 error);
void profil_session_lose(struct profil_session *session,
			 struct profil_figures *figures, u64 samples,
			 u32 error);
void profil_session_mark_start(struct profil_session *session);
void profil_session_inherit(struct profil_session *session,
			    const struct profil_session *old);
void profil_session_recheck(struct profil_session *session);
void profil_session_kick(struct profil_session *session);
void profil_session_kick_from_switch(struct profil_session *session);
bool profil_session_take_mm(struct profil_session *session,
			    struct mem_cgroup **memcg);
bool profil_session_requeue(struct profil_session *session,
			    struct mem_cgroup *memcg);
void profil_session_kick_later(struct profil_session *session, unsigned long delay);

int profil_session_init(void);
void profil_session_exit(void);

#endif /* _PROFIL_SESSION_H */
