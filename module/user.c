// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts what the sessions of each user need in all processes together, and limits it:
 * sessions, regions and locked memory. Memory is charged per user, as in io_uring and perf:
 * a limit per process would be multiplied by fork. A user is a person, not a UID: who has made a
 * user namespace has 65,536 UIDs in it by default, and is charged for all of them.
 *
 * All counts are atomic, because fork charges them in atomic context.
 */
#include <linux/atomic.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>
#include <linux/xarray.h>

#include "user.h"

static unsigned int max_user_sessions = 4096;
module_param(max_user_sessions, uint, 0644);
MODULE_PARM_DESC(max_user_sessions,
		 "limit for a user's profiled processes, without CAP_SYS_RESOURCE");

static unsigned int max_user_regions = 65536;
module_param(max_user_regions, uint, 0644);
MODULE_PARM_DESC(max_user_regions,
		 "limit for a user's regions, without CAP_SYS_RESOURCE (forked children add none)");

/**
 * struct profil_user - a user with sessions
 * @ref:      one reference for each struct profil_rights
 * @uid:      the user: key in the table
 * @cred:     credentials of one of the user's processes. They keep the user_struct, and so
 *            the charge, alive (free_uid() is not exported by all kernels). It may be that of
 *            any UID in the user's namespaces: all locked memory is charged to that one
 * @charged:  numbers of sessions and of regions, including exempt ones
 * @subscription: held by the one process of the user that makes a first subscription (notifier.c)
 */
struct profil_user {
	refcount_t ref;
	kuid_t uid;
	const struct cred *cred;
	atomic_t charged[PROFIL_NR_CHARGED];
	struct mutex subscription; /* see above */
};

/*
 * The users, by UID. Whichever they are, finding one takes a few steps.
 *
 * Its lock is taken when a config or a tracer is created or freed, not when charging. With softirqs
 * off, because RCU frees tracers in one. A spinlock: nobody can be preempted who holds it, so a
 * user with many low-priority starts cannot delay those of others. (On PREEMPT_RT it lends its
 * holder the priority of those who wait.)
 */
static DEFINE_XARRAY_FLAGS(users, XA_FLAGS_LOCK_BH | XA_FLAGS_ACCOUNT);

static void user_free(struct profil_user *user)
{
	put_cred(user->cred);
	kfree(user);
}

/* The user of the calling process: the owner of its outermost namespace, or its own UID. */
static kuid_t user_uid(void)
{
	const struct user_namespace *ns = current_user_ns();
	kuid_t uid = current_uid();

	for (; ns->parent; ns = ns->parent)
		uid = ns->owner;
	return uid;
}

static struct profil_user *user_get(void)
{
	struct profil_user *user, *new;

	new = kzalloc(sizeof(*new), GFP_KERNEL_ACCOUNT);
	if (!new)
		return NULL;
	refcount_set(&new->ref, 1);
	mutex_init(&new->subscription);
	new->uid = user_uid();
	new->cred = get_current_cred();
	xa_lock_bh(&users);
	/* unlocks to allocate: may sleep, for long if the caller's cgroup is at its limit */
	user = __xa_cmpxchg(&users, __kuid_val(new->uid), NULL, new, GFP_KERNEL);
	if (!user) {
		user = new;
		new = NULL;
	} else if (xa_is_err(user)) {
		user = NULL;
	} else {
		refcount_inc(&user->ref);
	}
	xa_unlock_bh(&users);
	if (new)
		user_free(new);
	return user;
}

/* Record the limits of the calling process. @rights: out. Return: 0 or -ENOMEM. */
int profil_rights_get(struct profil_rights *rights)
{
	rights->memlock_pages = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	/* noaudit: most callers lack these capabilities and do not need them */
	rights->ipc_lock = ns_capable_noaudit(&init_user_ns, CAP_IPC_LOCK);
	rights->resource = ns_capable_noaudit(&init_user_ns, CAP_SYS_RESOURCE);
	rights->user = user_get();
	return rights->user ? 0 : -ENOMEM;
}

/**
 * profil_rights_put - undo profil_rights_get()
 * @rights: nothing is charged to them any more
 *
 * Any context, except hard interrupts.
 */
void profil_rights_put(struct profil_rights *rights)
{
	struct profil_user *user = rights->user;
	bool last;

	xa_lock_bh(&users);
	last = refcount_dec_and_test(&user->ref);
	if (last)
		__xa_erase(&users, __kuid_val(user->uid));
	xa_unlock_bh(&users);
	if (last)
		user_free(user);
}

/**
 * profil_charge - charge sessions, or regions, once for all sessions that share a config
 * @rights: of the process that started the profile
 * @what:   which of both
 * @nr:     how many
 * @freed:  how many of the same user will be uncharged in exchange, and so are not included
 *
 * Return: 0 or -ENOSPC. litmus: user-charge
 */
int profil_charge(const struct profil_rights *rights, enum profil_charged what, u32 nr, u32 freed)
{
	u64 most = what == PROFIL_CHARGED_SESSIONS ? READ_ONCE(max_user_sessions) :
						     READ_ONCE(max_user_regions);
	atomic_t *count = &rights->user->charged[what];
	int old = atomic_read(count);

	do {
		if (!rights->resource && (u64)old + nr > most + freed)
			return -ENOSPC;
	} while (!atomic_try_cmpxchg(count, &old, old + nr));
	return 0;
}

void profil_uncharge(const struct profil_rights *rights, enum profil_charged what, u32 nr)
{
	atomic_sub(nr, &rights->user->charged[what]);
}

/**
 * profil_charge_pages - charge locked memory
 * @rights: of the process that started the profile
 * @nr:     number of pages
 *
 * Return: 0, or -ENOMEM if it would exceed RLIMIT_MEMLOCK.
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

void profil_uncharge_pages(const struct profil_rights *rights, unsigned long nr)
{
	if (!rights->ipc_lock)
		atomic_long_sub(nr, &rights->user->cred->user->locked_vm);
}

/* Held for a first subscription. Taken after a user's own: others wait for one of each only. */
static DEFINE_MUTEX(subscription);

/**
 * profil_lock_subscription - wait for a turn to make a first subscription
 * @rights: of the process that started the profile
 *
 * May sleep, for one process of each other user, for a bounded time (notifier.c). Not for those of
 * the same user, with the locks of the memory held: they may be many.
 *
 * Return: 0; -EBUSY: try again; or -EINTR: the caller is being killed.
 */
int profil_lock_subscription(const struct profil_rights *rights)
{
	struct mutex *own = &rights->user->subscription;

	if (!mutex_trylock(own))
		return -EBUSY;
	if (!mutex_lock_killable(&subscription))
		return 0;
	mutex_unlock(own); /* GCOV_EXCL_LINE: killed */
	return -EINTR; /* GCOV_EXCL_LINE: killed */
}

void profil_unlock_subscription(const struct profil_rights *rights)
{
	mutex_unlock(&subscription);
	mutex_unlock(&rights->user->subscription);
}
