// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hooks into the kernel are attached while a profile runs; a loaded module
 * that nobody uses costs nothing.
 *
 * Attaching patches the kernel's text (tens of milliseconds under emulation),
 * so they stay for a moment after their last user: a build of many short
 * processes attaches once.
 */
#include <linux/atomic.h>
#include <linux/jiffies.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "clock.h"
#include "fork.h"
#include "hooks.h"

#define DETACH_DELAY	HZ

/* Held over text patching. Protects hooks_attached. */
static DEFINE_MUTEX(hooks_mutex);
static bool hooks_attached;

/* Rises from 0 only under hooks_mutex, with the hooks attached. */
static atomic_t hooks_users = ATOMIC_INIT(0);

static int attach(void)
{
	int err;

	err = profil_fork_attach();
	if (err)
		return err;
	err = profil_clock_attach();
	if (err)
		profil_fork_detach();
	return err;
}

static void hooks_detach(struct work_struct *work)
{
	mutex_lock(&hooks_mutex);
	if (hooks_attached && !atomic_read(&hooks_users)) {
		profil_clock_detach();
		profil_fork_detach();
		hooks_attached = false;
	}
	mutex_unlock(&hooks_mutex);
}

static DECLARE_DELAYED_WORK(detach_work, hooks_detach);

/**
 * profil_hooks_get - have ticks and forks looked at
 *
 * May sleep. Return: 0, or -EOPNOTSUPP if the kernel cannot, or -ENOMEM.
 */
int profil_hooks_get(void)
{
	int err = 0;

	mutex_lock(&hooks_mutex);
	if (!hooks_attached)
		err = attach();
	if (!err) {
		hooks_attached = true;
		atomic_inc(&hooks_users);
	}
	mutex_unlock(&hooks_mutex);
	return err;
}

/**
 * profil_hooks_get_another - for a forked child, whose parent has them
 *
 * Any context. Return: false if they are about to be detached, so that the
 * parent's profile has just ended.
 */
bool profil_hooks_get_another(void)
{
	return atomic_inc_not_zero(&hooks_users);
}

/**
 * profil_hooks_put - give back what a get gave
 *
 * Any context: the last user leaves the detaching to a worker.
 */
void profil_hooks_put(void)
{
	if (atomic_dec_and_test(&hooks_users))
		schedule_delayed_work(&detach_work, DETACH_DELAY);
}

/* There are no users any more. */
void profil_hooks_exit(void)
{
	cancel_delayed_work_sync(&detach_work);
	hooks_detach(NULL);
	profil_clock_exit();
}
