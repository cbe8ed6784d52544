// SPDX-License-Identifier: GPL-2.0-only
/*
 * Forked children of a profiled process are profiled too. The child's session is allocated
 * and started here, in the tracepoint sched_process_fork, when the child is complete but
 * does not run yet. The child is sampled from its first tick on. Its samples are pending
 * until the worker watches its memory (lifecycle.c).
 *
 * A child that cannot be followed is not profiled, and is counted as a fork failure. The
 * fork itself never fails because of this module.
 */
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>

#include <trace/events/sched.h>

#include "clock/hooks.h"
#include "counters/config.h"
#include "counters/fork.h"
#include "counters/lifecycle.h"
#include "counters/pending.h"
#include "counters/session.h"
#include "counters/table.h"
#include "reserve.h"
#include "stats.h"
#include "trace.h"

static struct hlist_node *fork_alloc(gfp_t gfp)
{
	struct profil_session *session = profil_session_alloc(gfp);

	return session ? &session->node : NULL;
}

static void fork_free(struct hlist_node *node)
{
	profil_session_free(hlist_entry(node, struct profil_session, node));
}

static struct profil_reserve reserve = {
	.lock = __RAW_SPIN_LOCK_UNLOCKED(reserve.lock),
	.alloc = fork_alloc,
	.free = fork_free,
	.work = __WORK_INITIALIZER(reserve.work, profil_reserve_work),
};

static int fork_follow(struct profil_session *parent, struct task_struct *task)
{
	struct hlist_node *node = profil_reserve_get(&reserve);
	struct profil_session *child = hlist_entry_safe(node, struct profil_session, node);
	int err;

	if (!child)
		return -ENOMEM;
	if (!IS_ENABLED(CONFIG_PREEMPT_RT))
		profil_pending_grow(&child->pending,
				    profil_pending_want(parent->subject.pace->rate, 1,
							PROFIL_PENDING_MS),
				    PROFIL_GFP_ATOMIC);
	err = profil_lifecycle_start_child(parent, child, task);
	if (err)
		profil_reserve_put(&reserve, node);
	return err;
}

static bool fork_is_followed(const struct profil_session *session, struct task_struct *parent)
{
	return profil_session_samples_task(session, parent) &&
	       READ_ONCE(session->state) == PROFIL_STATE_RUNNING;
}

static void fork_account(struct profil_session *session, const struct task_struct *child, int err)
{
	if (!err) {
		atomic_long_inc(&session->forks_followed);
		atomic_long_inc(&profil_stats[PROFIL_FORKS_FOLLOWED]);
	} else {
		atomic_long_inc(&session->fork_failures);
		atomic_long_inc(&profil_stats[PROFIL_FORK_FAILURES]);
	}
	trace_profil_fork(child->tgid, err);
}

/*
 * Atomic context, also on PREEMPT_RT. For a process without a session, a fork costs one look at the
 * table. Threads and vfork's children share their parent's memory, and with it its session.
 */
static void fork_probe(void *data, struct task_struct *parent, struct task_struct *child)
{
	struct profil_session *session, *ended = NULL;
	int err;

	if (!child->mm || child->mm == parent->mm || !profil_table_may_have(parent->mm))
		return;
	rcu_read_lock();
	for (;;) {
		session = profil_table_find(parent->mm);
		if (!session || session == ended || !fork_is_followed(session, parent))
			break;
		err = fork_follow(session, child);
		if (err != -ESRCH) {
			fork_account(session, child, err);
			break;
		}
		/* the session ends on another CPU now, and may have been replaced */
		ended = session;
	}
	rcu_read_unlock();
}

static int fork_attach(void)
{
	/* generates no code: lets the compiler check the probe's type */
	check_trace_callback_type_sched_process_fork(fork_probe);
	profil_reserve_fill(&reserve);
	return 0;
}

static void fork_detach(void)
{
	profil_reserve_empty(&reserve);
}

static struct profil_probe probes[] = {
	{ "sched_process_fork", fork_probe },
};

const struct profil_hook_ops profil_fork_hook = {
	.attach = fork_attach,
	.detach = fork_detach,
	.probes = probes,
	.nr_probes = ARRAY_SIZE(probes),
};
