// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is each user's own. Limits: locked memory, as io_uring and perf charge it (per
 * process, fork would multiply it), and how many sessions and regions he has. And a
 * queue for his sessions' workers: pinning may wait for a page for as long as a file
 * system likes, which may be his own (FUSE), and then others' workers must not wait.
 *
 * All figures are atomic: fork charges them in atomic context.
 */
#include <linux/atomic.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/hashtable.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "user.h"

static unsigned int max_user_sessions = 4096;
module_param(max_user_sessions, uint, 0644);
MODULE_PARM_DESC(max_user_sessions,
		 "most profiled processes per user without CAP_SYS_RESOURCE");

static unsigned int max_user_regions = 65536;
module_param(max_user_regions, uint, 0644);
MODULE_PARM_DESC(max_user_regions,
		 "most regions per user without CAP_SYS_RESOURCE, forked children not counted");

/**
 * struct profil_user - a user with sessions
 * @node:     in the table of users
 * @ref:      one for each struct profil_rights
 * @cred:     of one of his processes: keeps its user, and so the charge, alive
 * @queue:    of his sessions' workers, each of which keeps a reference to him
 * @sessions: how many he has,
 * @regions:  and in how many regions, both with those that are exempt
 */
struct profil_user {
	struct hlist_node node;
	refcount_t ref;
	const struct cred *cred;
	struct workqueue_struct *queue;
	atomic_t sessions;
	atomic_t regions;
};

static DEFINE_HASHTABLE(users, 6);
/* Protects the table of users. Slow path: once per start and per config freed. */
static DEFINE_MUTEX(users_mutex);

static struct profil_user *user_alloc(void)
{
	struct profil_user *user = kzalloc(sizeof(*user), GFP_KERNEL_ACCOUNT);

	if (!user)
		return NULL;
	/* of high priority, since ticks and forks wait; an item is short, or sleeps */
	user->queue = alloc_workqueue("profil/%u", WQ_UNBOUND | WQ_HIGHPRI, 0,
				      __kuid_val(current_uid()));
	if (!user->queue) {
		kfree(user);
		return NULL;
	}
	refcount_set(&user->ref, 1);
	user->cred = get_current_cred();
	return user;
}

static struct profil_user *user_get(void)
{
	unsigned long key = __kuid_val(current_uid());
	struct profil_user *user;

	mutex_lock(&users_mutex);
	hash_for_each_possible(users, user, node, key) {
		if (user->cred->user == current_user()) {
			refcount_inc(&user->ref);
			goto unlock;
		}
	}
	user = user_alloc();
	if (user)
		hash_add(users, &user->node, key);
unlock:
	mutex_unlock(&users_mutex);
	return user;
}

/**
 * profil_rights_get - on what terms the caller may profile himself
 * @rights: out
 *
 * Return: 0 or -ENOMEM.
 */
int profil_rights_get(struct profil_rights *rights)
{
	rights->memlock_pages = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	rights->ipc_lock = capable(CAP_IPC_LOCK);
	rights->resource = capable(CAP_SYS_RESOURCE);
	rights->user = user_get();
	return rights->user ? 0 : -ENOMEM;
}

/**
 * profil_rights_put - end of what profil_rights_get() began
 * @rights: nothing is charged by them any more
 *
 * May sleep; not in a worker of the user's queue, which may end here.
 */
void profil_rights_put(struct profil_rights *rights)
{
	struct profil_user *user = rights->user;

	if (!refcount_dec_and_mutex_lock(&user->ref, &users_mutex))
		return;
	hash_del(&user->node);
	mutex_unlock(&users_mutex);
	destroy_workqueue(user->queue);
	put_cred(user->cred);
	kfree(user);
}

/**
 * profil_rights_queue_work - have a worker come, on the user's queue
 * @rights: kept, until it has come, by what it works on
 * @work:   not queued yet
 *
 * Any context.
 */
void profil_rights_queue_work(const struct profil_rights *rights,
			      struct work_struct *work)
{
	queue_work(rights->user->queue, work);
}

/* @freed of what is counted now is about to be given back for this. */
static int add_below(atomic_t *count, u32 nr, u32 freed, unsigned int max,
		     bool exempt)
{
	int old = atomic_read(count);

	do {
		if (!exempt && (u64)old + nr > (u64)max + freed)
			return -ENOSPC;
	} while (!atomic_try_cmpxchg(count, &old, old + nr));
	return 0;
}

/**
 * profil_charge_session - one more session
 * @rights: of the one who starts it, or whose child it is
 * @freed:  1 if it takes the place of another of the same user; else 0
 *
 * Return: 0 or -ENOSPC.
 */
int profil_charge_session(const struct profil_rights *rights, u32 freed)
{
	return add_below(&rights->user->sessions, 1, freed,
			 READ_ONCE(max_user_sessions), rights->resource);
}

void profil_uncharge_session(const struct profil_rights *rights)
{
	atomic_dec(&rights->user->sessions);
}

/**
 * profil_charge_regions - more regions; once for all who share a config
 * @rights: of the one who starts it
 * @nr:     how many
 * @freed:  how many of the same user they take the place of
 *
 * Return: 0 or -ENOSPC.
 */
int profil_charge_regions(const struct profil_rights *rights, u32 nr, u32 freed)
{
	return add_below(&rights->user->regions, nr, freed,
			 READ_ONCE(max_user_regions), rights->resource);
}

void profil_uncharge_regions(const struct profil_rights *rights, u32 nr)
{
	atomic_sub(nr, &rights->user->regions);
}

/**
 * profil_charge_pages - more locked memory
 * @rights: of the one who started the profile
 * @nr:     pages
 *
 * Return: 0, or -ENOMEM if it would exceed his RLIMIT_MEMLOCK.
 */
int profil_charge_pages(const struct profil_rights *rights, unsigned long nr)
{
	atomic_long_t *locked_vm = &rights->user->cred->user->locked_vm;
	unsigned long old;

	if (rights->ipc_lock)
		return 0;
	old = atomic_long_read(locked_vm);
	do {
		if (old + nr > rights->memlock_pages)
			return -ENOMEM;
	} while (!atomic_long_try_cmpxchg(locked_vm, (long *)&old, old + nr));
	return 0;
}

void profil_uncharge_pages(const struct profil_rights *rights,
			   unsigned long nr)
{
	if (!rights->ipc_lock)
		atomic_long_sub(nr, &rights->user->cred->user->locked_vm);
}
