// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attaches hooks into the kernel only while a profile needs them, so that a loaded module
 * costs nothing when it is not used. main.c determines what the hooks are.
 *
 * Attaching patches the kernel's text, which interrupts every CPU, also those that are isolated
 * from the user: to attach and detach all hooks interrupts each 80 to 140 times (x86, Linux 6.12;
 * selftests/attacks/hooks_interrupt_others_test.c counts them). So the hooks stay attached for a
 * while after their last user: the first time for a second, and twice as long each time that they
 * are attached anew, up to M = max_hook_seconds. For each M since they were last attached, it is
 * half as long again.
 *
 * This bounds how often any pattern of starts and stops attaches a hook. Between two attachments
 * lies a time t. If t < M, the stay was shorter than M, and is doubled. If t >= M, it is doubled,
 * and halved t / M times, rounded down. It can be doubled only log2(M) times more often than it is
 * halved. So in a time T there are at most log2(M) + 1 attachments, and one more for each M:
 *
 *	N <= log2(M) + 1 + T / M
 *
 * A timer of that length may be an eighth late, which only makes them fewer.
 *
 * With M = 256 s, a CPU is interrupted 9 * 140 = 1260 times once, and 140 / 256 = 0.55 times a
 * second in the long run.
 */
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/init.h>
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>

#include "clock/hooks.h"

static unsigned int max_hook_seconds = 256;

/**
 * struct profil_hook - hooks that are attached together
 * @ops:      how to attach and detach them
 * @users:    number of users. Rises from 0 only with hooks_mutex held and the hook attached
 * @attached: under hooks_mutex
 * @since:    when it was last attached, in jiffies; under hooks_mutex
 * @stay:     for how long it stays without users, in jiffies; written under hooks_mutex
 * @unused:   when @users last fell, in jiffies
 * @work:     detaches the hook
 */
struct profil_hook {
	const struct profil_hook_ops *ops;
	atomic_t users;
	bool attached;
	unsigned long since;
	unsigned long stay;
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

/* In jiffies. */
static unsigned long hooks_max_stay(void)
{
	return (unsigned long)clamp(READ_ONCE(max_hook_seconds), 1U, 3600U) * HZ;
}

/* The parameter may be lower by now. */
static unsigned long hook_stay(const struct profil_hook *hook)
{
	return min(READ_ONCE(hook->stay), hooks_max_stay());
}

/* Tracepoints are not exported individually. */
static void hook_compare(struct tracepoint *tracepoint, void *data)
{
	struct profil_probe *probe = data;

	if (!strcmp(tracepoint->name, probe->name))
		probe->tracepoint = tracepoint;
}

static int hook_register(struct profil_probe *probe)
{
	for_each_kernel_tracepoint(hook_compare, probe);
	if (!probe->tracepoint)
		return -EOPNOTSUPP; /* GCOV_EXCL_LINE: other kernels only */
	return tracepoint_probe_register(probe->tracepoint, probe->probe, NULL);
}

/* Undo attaching, with @nr probes registered. On return, no CPU runs one. */
static void hook_detach(const struct profil_hook_ops *ops, unsigned int nr)
{
	struct profil_probe *probe;

	while (nr--) {
		probe = &ops->probes[nr];
		tracepoint_probe_unregister(probe->tracepoint, probe->probe, NULL);
	}
	if (ops->nr_probes)
		tracepoint_synchronize_unregister();
	ops->detach();
}

static int hook_attach(struct profil_hook *hook)
{
	const struct profil_hook_ops *ops = hook->ops;
	unsigned long max = hooks_max_stay(), halved;
	unsigned int nr;
	int err;

	lockdep_assert_held(&hooks_mutex);
	err = ops->attach();
	if (err)
		return err;
	for (nr = 0; nr < ops->nr_probes; nr++) {
		err = hook_register(&ops->probes[nr]);
		if (err) {
			hook_detach(ops, nr);
			return err;
		}
	}
	hook->attached = true;
	/* after weeks, jiffies of 32 bits make this smaller: then the hook stays for longer */
	halved = min((jiffies - hook->since) / max, BITS_PER_LONG - 1UL);
	WRITE_ONCE(hook->stay, clamp(2 * (hook->stay >> halved), (unsigned long)HZ, max));
	hook->since = jiffies;
	return 0;
}

static int hook_get(struct profil_hook *hook)
{
	int err = 0;

	/* with a user, it is attached and stays attached */
	if (atomic_inc_not_zero(&hook->users))
		return 0;
	if (mutex_lock_killable(&hooks_mutex))
		return -EINTR;
	if (!hook->attached)
		err = hook_attach(hook);
	if (!err)
		atomic_inc(&hook->users);
	mutex_unlock(&hooks_mutex);
	return err;
}

/*
 * Let hook_detach_later() run after @delay, whenever it would run otherwise. Any context. Any queue
 * would do: this one may let a CPU sleep for longer.
 */
static void hook_look_later(struct profil_hook *hook, unsigned long delay)
{
	mod_delayed_work(system_power_efficient_wq, &hook->work, delay);
}

static void hook_put(struct profil_hook *hook)
{
	/* before users falls to 0: hook_detach_later() sees it then; litmus: hook-unused */
	WRITE_ONCE(hook->unused, jiffies);
	/* with an old @stay, it looks too early or too late, once */
	if (atomic_dec_and_test(&hook->users))
		hook_look_later(hook, hook_stay(hook));
}

static void hook_detach_unused(struct profil_hook *hook)
{
	lockdep_assert_held(&hooks_mutex);
	if (hook->attached && !atomic_read(&hook->users)) {
		hook_detach(hook->ops, hook->ops->nr_probes);
		hook->attached = false;
	}
}

static void hook_detach_later(struct work_struct *work)
{
	struct profil_hook *hook = container_of(to_delayed_work(work), struct profil_hook, work);
	unsigned long end, now;

	mutex_lock(&hooks_mutex);
	/* pairs with hook_put(): the time is that of the last user; litmus: hook-unused */
	if (hook->attached && !atomic_read_acquire(&hook->users)) {
		end = READ_ONCE(hook->unused) + hook_stay(hook);
		now = jiffies;
		/* used since this was queued, or queued by hooks_set_max(): wait for the rest */
		if (time_before(now, end))
			hook_look_later(hook, end - now);
		else
			hook_detach_unused(hook);
	}
	mutex_unlock(&hooks_mutex);
}

/* A new maximum also holds for hooks that are attached, but not used. */
static int hooks_set_max(const char *text, const struct kernel_param *param)
{
	int err = param_set_uint(text, param);
	u32 id;

	if (err)
		return err;
	/* after profil_hooks_exit(), which detaches with the mutex held, nothing is queued */
	if (mutex_lock_killable(&hooks_mutex))
		return -EINTR;
	for (id = 0; id < PROFIL_NR_HOOKS; id++)
		if (all_hooks[id].attached)
			hook_look_later(&all_hooks[id], 0);
	mutex_unlock(&hooks_mutex);
	return 0;
}

static const struct kernel_param_ops hooks_max_ops = {
	.set = hooks_set_max,
	.get = param_get_uint,
};

module_param_cb(max_hook_seconds, &hooks_max_ops, &max_hook_seconds, 0644);
MODULE_PARM_DESC(max_hook_seconds,
		 "how long hooks that are attached often stay after their last use (1 to 3600)");

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
 * Return: false if the hooks are about to be detached, because the parent's profile has just ended.
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

/* Set what to attach. @id: which hooks. @ops: how to attach and detach them. */
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
		mutex_lock(&hooks_mutex);
		hook_detach_unused(&all_hooks[id]);
		mutex_unlock(&hooks_mutex);
		cancel_delayed_work_sync(&all_hooks[id].work);
	}
}
