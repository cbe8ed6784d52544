// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hooks into the kernel are attached while a profile runs that needs them; a
 * loaded module that nobody uses costs nothing.
 *
 * Attaching patches the kernel's text (tens of milliseconds under emulation),
 * so they stay for a moment after their last user: a build of many short
 * processes attaches once.
 */
#include <linux/atomic.h>
#include <linux/init.h>
#include <linux/jiffies.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "hooks.h"

#define DETACH_DELAY	HZ

static void hook_detach_later(struct work_struct *work);

/**
 * struct profil_hook - what is attached together
 * @ops:      attach and detach it
 * @users:    rises from 0 only under hooks_mutex, with the hook attached
 * @attached: under hooks_mutex
 * @unused:   since when, in jiffies, if there are no users
 * @work:     detaches it
 */
struct profil_hook {
	const struct profil_hook_ops *ops;
	atomic_t users;
	bool attached;
	unsigned long unused;
	struct delayed_work work;
};

/* For every profile: its clock, unless that is the timer, and its children */
static struct profil_hook hook_always = {
	.users = ATOMIC_INIT(0),
	.work = __DELAYED_WORK_INITIALIZER(hook_always.work, hook_detach_later, 0),
};

static struct profil_hook hook_timer = {
	.users = ATOMIC_INIT(0),
	.work = __DELAYED_WORK_INITIALIZER(hook_timer.work, hook_detach_later, 0),
};

/*
 * Serializes attaching and detaching, and so is held for long: detaching waits for a
 * grace period of RCU-tasks, which any thread can hold up by a long way through the
 * kernel. It cannot be held for less: ftrace_lock is held as long, and registering takes
 * that one without a way to be killed. So a start waits here, where it can be.
 */
static DEFINE_MUTEX(hooks_mutex);

static int hook_get(struct profil_hook *hook)
{
	int err = 0;

	/* with a user it is attached, and stays so */
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
	/* before it may be unused, or the work that sees it so found an old time */
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

	/* it was queued by an earlier last user, and there was one since */
	if (!atomic_read(&hook->users) && time_before(now, end))
		schedule_delayed_work(&hook->work, end - now);
	else
		hook_detach(hook);
}

/**
 * profil_hooks_get - have ticks and forks looked at
 * @with_timer: and switches, for the timer
 *
 * May sleep. Return: 0, or -EOPNOTSUPP if the kernel cannot, or -ENOMEM, or -EINTR if
 * the caller is being killed.
 */
int profil_hooks_get(bool with_timer)
{
	int err;

	err = hook_get(&hook_always);
	if (err || !with_timer)
		return err;
	err = hook_get(&hook_timer);
	if (err)
		hook_put(&hook_always);
	return err;
}

/**
 * profil_hooks_get_for_child - for a forked child, whose parent has them
 * @with_timer: as the parent's
 *
 * Any context. Return: false if they are about to be detached, so that the
 * parent's profile has just ended.
 */
bool profil_hooks_get_for_child(bool with_timer)
{
	if (!atomic_inc_not_zero(&hook_always.users))
		return false;
	if (!with_timer || atomic_inc_not_zero(&hook_timer.users))
		return true;
	hook_put(&hook_always);
	return false;
}

/**
 * profil_hooks_put - give back what a get gave
 * @with_timer: as there
 *
 * Any context: the last user leaves the detaching to a worker.
 */
void profil_hooks_put(bool with_timer)
{
	if (with_timer)
		hook_put(&hook_timer);
	hook_put(&hook_always);
}

static void hook_leave(struct profil_hook *hook)
{
	cancel_delayed_work_sync(&hook->work);
	hook_detach(hook);
}

/**
 * profil_hooks_init - set what is attached
 * @always: for each session
 * @timer:  for each session that needs the timer
 */
void __init profil_hooks_init(const struct profil_hook_ops *always,
			      const struct profil_hook_ops *timer)
{
	hook_always.ops = always;
	hook_timer.ops = timer;
}

/* There are no users any more. */
void profil_hooks_exit(void)
{
	hook_leave(&hook_timer);
	hook_leave(&hook_always);
}
