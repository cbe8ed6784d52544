// SPDX-License-Identifier: GPL-2.0-only
/*
 * Permissions: which mode the device has, and which rates and clocks a start may request.
 *
 * A process may profile itself, and each process that it may trace: it shows a descriptor for which
 * procfs has checked that (attachment.c). Samples hold only program counters in user mode, never a
 * kernel address. So any user may open the device (PROFIL_POLICY_DEVICE_MODE).
 * kernel.perf_event_paranoid is not checked: its level 2 lets any user see as much. An
 * administrator can restrict the device's mode with a udev rule, of which profil(4) has an example.
 *
 * Whatever affects other users, or shows their data, needs a capability in the initial
 * namespace, or root:
 *
 *   a rate above max_rate       CAP_PERFMON or CAP_SYS_ADMIN, as for perf    here
 *   more than RLIMIT_MEMLOCK    CAP_IPC_LOCK                                 user.c
 *   more sessions or regions    CAP_SYS_RESOURCE                             user.c
 *   targets' programs with
 *   more rights                 CAP_SYS_PTRACE                               tracer.c
 *   stacks of targets           nobody above max_stack_bytes                 here
 *   statistics in sysfs         root, by the files' mode: with a single      stats.c
 *                               profile, the sums are its own
 *
 * A denied capability may be audited, so capabilities are only checked if they matter.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/capability.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/pid.h>
#include <linux/printk.h>
#include <linux/profil.h>
#include <linux/sched.h>
#include <linux/user_namespace.h>

#include "policy.h"

static unsigned int max_rate = 4000;
module_param(max_rate, uint, 0644);
MODULE_PARM_DESC(max_rate,
		 "highest rate in Hz without CAP_PERFMON (at most 20000; up to the tick's rate is always allowed)");

static unsigned int max_stack_bytes = PROFIL_STACK_BYTES_MAX;
module_param(max_stack_bytes, uint, 0644);
MODULE_PARM_DESC(max_stack_bytes,
		 "how much of a sampled thread's stack is looked at, in bytes (at most 61440; 0: nobody gets stacks)");

/* Without a capability. Sampling at the tick is always allowed: ticks come anyway. */
static u32 policy_unprivileged_rate(void)
{
	return clamp_t(u32, READ_ONCE(max_rate), HZ, PROFIL_POLICY_MAX_RATE);
}

/**
 * profil_policy_max_rate - get the highest rate that the caller may request
 *
 * For information only, so nothing is audited.
 *
 * Return: the rate, in Hz.
 */
u32 profil_policy_max_rate(void)
{
	if (ns_capable_noaudit(&init_user_ns, CAP_PERFMON) ||
	    ns_capable_noaudit(&init_user_ns, CAP_SYS_ADMIN))
		return PROFIL_POLICY_MAX_RATE;
	return policy_unprivileged_rate();
}

/* Return: how many bytes of a stack may be looked at: a multiple of 8; 0: none. At each sample. */
u32 profil_policy_max_stack_bytes(void)
{
	return min_t(u32, READ_ONCE(max_stack_bytes), PROFIL_STACK_BYTES_MAX) & ~7U;
}

/**
 * profil_policy_choose_clock - check a rate, and choose a clock if the caller did not
 * @rate:  in Hz
 * @clock: in: PROFIL_CLOCK_*; out: never PROFIL_CLOCK_AUTO
 *
 * Return: 0, -EINVAL or -EPERM.
 */
int profil_policy_choose_clock(u32 rate, u32 *clock)
{
	if (*clock > PROFIL_CLOCK_RANDOM || !rate ||
	    rate > PROFIL_POLICY_MAX_RATE ||
	    (*clock == PROFIL_CLOCK_TICK && rate > HZ)) {
		pr_debug_ratelimited("%s[%d]: rate %u Hz is not available with clock %u\n",
				     current->comm, task_pid_nr(current),
				     rate, *clock);
		return -EINVAL;
	}
	if (rate > policy_unprivileged_rate() && !perfmon_capable())
		return -EPERM;
	if (*clock == PROFIL_CLOCK_AUTO)
		*clock = rate <= HZ ? PROFIL_CLOCK_TICK : PROFIL_CLOCK_RANDOM;
	return 0;
}
