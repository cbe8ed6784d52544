// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a user has and may have over all its processes: locked memory, as io_uring and
 * perf charge it (per process, fork would multiply it), sessions, and regions.
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
#include <linux/user_namespace.h>

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
 * @cred:     of one of its processes: keeps the user_struct, and so the charge, alive
 *            (free_uid() is not exported by all kernels)
 * @sessions: how many it has,
 * @regions:  and in how many regions, both with those that are exempt
 */
struct profil_user {
	struct hlist_node node;
	refcount_t ref;
	const struct cred *cred;
	atomic_t sessions;
	atomic_t regions;
};

static DEFINE_HASHTABLE(users, 6);
/* Protects the table of users. Slow path: once per start and per config freed. */
static DEFINE_MUTEX(users_mutex);

/* With users_mutex. */
static struct profil_user *user_find(const struct user_struct *wanted)
{
	struct profil_user *user;

	hash_for_each_possible(users, user, node, __kuid_val(wanted->uid))
		if (user->cred->user == wanted)
			return user;
	return NULL;
}

static struct profil_user *user_get(void)
{
	struct profil_user *user, *new;

	/* before the mutex: it may wait for long, where the caller's cgroup is full */
	new = kzalloc(sizeof(*new), GFP_KERNEL_ACCOUNT);
	if (!new)
		return NULL;
	mutex_lock(&users_mutex);
	user = user_find(current_user());
	if (user) {
		refcount_inc(&user->ref);
	} else {
		user = new;
		new = NULL;
		refcount_set(&user->ref, 1);
		user->cred = get_current_cred();
		hash_add(users, &user->node, __kuid_val(current_user()->uid));
	}
	mutex_unlock(&users_mutex);
	kfree(new);
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
	/* most callers have neither, and need none: no denial for the audit log */
	rights->ipc_lock = ns_capable_noaudit(&init_user_ns, CAP_IPC_LOCK);
	rights->resource = ns_capable_noaudit(&init_user_ns, CAP_SYS_RESOURCE);
	rights->user = user_get();
	return rights->user ? 0 : -ENOMEM;
}

/**
 * profil_rights_put - end of what profil_rights_get() began
 * @rights: nothing is charged by them any more
 *
 * May sleep.
 */
void profil_rights_put(struct profil_rights *rights)
{
	struct profil_user *user = rights->user;

	if (!refcount_dec_and_mutex_lock(&user->ref, &users_mutex))
		return;
	hash_del(&user->node);
	mutex_unlock(&users_mutex);
	put_cred(user->cred);
	kfree(user);
}

/* @freed of what is counted now is about to be given back for this. */
static int user_add_below(atomic_t *count, u32 nr, u32 freed, unsigned int max,
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
	return user_add_below(&rights->user->sessions, 1, freed,
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
	return user_add_below(&rights->user->regions, nr, freed,
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
