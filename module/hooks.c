// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attaches hooks into the kernel only while a profile needs them, so that a loaded module
 * costs nothing when it is not used. main.c determines what the hooks are.
 *
 * Attaching patches the kernel's text (tens of milliseconds in emulation). So the hooks stay
 * attached for a moment after their last user: a build of many short processes attaches
 * them once.
 */
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/init.h>
#include <linux/jiffies.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "hooks.h"

#define DETACH_DELAY	HZ

/**
 * struct profil_hook - hooks that are attached together
 * @ops:      how to attach and detach them
 * @users:    number of users. Rises from 0 only with hooks_mutex held and the hook attached
 * @attached: under hooks_mutex
 * @unused:   when @users last fell, in jiffies
 * @work:     detaches the hook
 */
struct profil_hook {
	const struct profil_hook_ops *ops;
	atomic_t users;
	bool attached;
	unsigned long unused;
	struct delayed_work work;
};

static struct profil_hook all_hooks[PROFIL_NR_HOOKS];

/*
 * Serializes attaching and detaching. May be held for long: detaching waits for a grace
 * period of RCU-tasks, which any thread can delay while it is in the kernel. ftrace holds its
 * own lock as long, and registering waits for that lock uninterruptibly. So a start waits
 * for this mutex, where it can be killed.
 */
static DEFINE_MUTEX(hooks_mutex);

static int hook_get(struct profil_hook *hook)
{
	int err = 0;

	/* with a user, it is attached and stays attached */
	if (atomic_inc_not_zero(&hook->users))
		return 0;
	if (mutex_lock_killable(&hooks_mutex))
		return -EINTR;
	if (!hook->attached)
		err = hook->ops->attach();
	if (!err) {
		hook->attached = true;
		atomic_inc(&hook->users);
	}
	mutex_unlock(&hooks_mutex);
	return err;
}

static void hook_put(struct profil_hook *hook)
{
	/* before users falls to 0: hook_detach_later() must not see an old time then */
	WRITE_ONCE(hook->unused, jiffies);
	if (atomic_dec_and_test(&hook->users))
		schedule_delayed_work(&hook->work, DETACH_DELAY);
}

static void hook_detach(struct profil_hook *hook)
{
	mutex_lock(&hooks_mutex);
	if (hook->attached && !atomic_read(&hook->users)) {
		hook->ops->detach();
		hook->attached = false;
	}
	mutex_unlock(&hooks_mutex);
}

static void hook_detach_later(struct work_struct *work)
{
	struct profil_hook *hook =
		container_of(to_delayed_work(work), struct profil_hook, work);
	unsigned long end = READ_ONCE(hook->unused) + DETACH_DELAY;
	unsigned long now = jiffies;

	/* queued by an earlier last user: wait for the remaining time */
	if (!atomic_read(&hook->users) && time_before(now, end))
		schedule_delayed_work(&hook->work, end - now);
	else
		hook_detach(hook);
}

/**
 * profil_hooks_get - attach the hooks of a profile
 * @hooks: mask of PROFIL_HOOK_*
 *
 * May sleep.
 *
 * Return: 0; -EOPNOTSUPP: not supported by this kernel; -ENOMEM; or -EINTR: the caller is
 * being killed.
 */
int profil_hooks_get(u32 hooks)
{
	u32 id;
	int err;

	for (id = 0; id < PROFIL_NR_HOOKS; id++) {
		if (!(hooks & BIT(id)))
			continue;
		err = hook_get(&all_hooks[id]);
		if (err) {
			profil_hooks_put(hooks & (BIT(id) - 1));
			return err;
		}
	}
	return 0;
}

/**
 * profil_hooks_get_for_child - get the hooks for a forked child
 * @hooks: as for the parent's session
 *
 * Any context.
 *
 * Return: false if the hooks are about to be detached, because the parent's profile has just
 * ended.
 */
bool profil_hooks_get_for_child(u32 hooks)
{
	u32 id;

	for (id = 0; id < PROFIL_NR_HOOKS; id++) {
		if (!(hooks & BIT(id)) || atomic_inc_not_zero(&all_hooks[id].users))
			continue;
		/* GCOV_EXCL_START: ended on another CPU */
		profil_hooks_put(hooks & (BIT(id) - 1));
		return false;
		/* GCOV_EXCL_STOP */
	}
	return true;
}

/**
 * profil_hooks_put - put the hooks of a profile
 * @hooks: as in profil_hooks_get()
 *
 * Any context: after the last user, a worker detaches them.
 */
void profil_hooks_put(u32 hooks)
{
	u32 id;

	for (id = 0; id < PROFIL_NR_HOOKS; id++)
		if (hooks & BIT(id))
			hook_put(&all_hooks[id]);
}

/**
 * profil_hooks_init - set what to attach
 * @id:  which hooks
 * @ops: how to attach and detach them
 */
void __init profil_hooks_init(enum profil_hook_id id, const struct profil_hook_ops *ops)
{
	all_hooks[id].ops = ops;
	INIT_DELAYED_WORK(&all_hooks[id].work, hook_detach_later);
}

/* May sleep. No profile has hooks any more. */
void profil_hooks_exit(void)
{
	u32 id;

	for (id = PROFIL_NR_HOOKS; id--;) {
		cancel_delayed_work_sync(&all_hooks[id].work);
		hook_detach(&all_hooks[id]);
	}
}
