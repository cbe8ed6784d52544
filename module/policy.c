// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who may do what.
 *
 * A process may profile itself. No command names another process, and what is counted is
 * the process's own program counter in user mode, never an address of the kernel. So any
 * user may open the device (PROFIL_POLICY_DEVICE_MODE), and kernel.perf_event_paranoid is
 * not asked: its level 2 lets any user see as much. An administrator who wants less
 * narrows the device's mode by a udev rule; profil(4) has one.
 *
 * What costs others, or shows others, wants a capability in the initial namespace:
 *
 *   a rate above max_rate       CAP_PERFMON, or CAP_SYS_ADMIN as for perf    here
 *   more than RLIMIT_MEMLOCK    CAP_IPC_LOCK                                 user.c
 *   more sessions, or regions   CAP_SYS_RESOURCE                             user.c
 *   the figures in sysfs        root, by their mode: they are sums, but      stats.c
 *                               where one process is profiled, its own
 *
 * A denied capability may be audited, so it is asked for only where it decides.
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
		 "highest rate in Hz without CAP_PERFMON (at most 20000; the tick's is always allowed)");

/* Without a capability. The tick comes anyway. */
static u32 policy_rate_of_users(void)
{
	return clamp_t(u32, READ_ONCE(max_rate), HZ, PROFIL_POLICY_HIGHEST_RATE);
}

/**
 * profil_policy_max_rate - highest rate that the caller may ask for, in Hz
 *
 * For information: nothing is audited.
 */
u32 profil_policy_max_rate(void)
{
	if (ns_capable_noaudit(&init_user_ns, CAP_PERFMON) ||
	    ns_capable_noaudit(&init_user_ns, CAP_SYS_ADMIN))
		return PROFIL_POLICY_HIGHEST_RATE;
	return policy_rate_of_users();
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
	    rate > PROFIL_POLICY_HIGHEST_RATE ||
	    (*clock == PROFIL_CLOCK_TICK && rate > HZ)) {
		pr_debug_ratelimited("%s[%d]: rate %u Hz is not available with clock %u\n",
				     current->comm, task_pid_nr(current),
				     rate, *clock);
		return -EINVAL;
	}
	if (rate > policy_rate_of_users() && !perfmon_capable())
		return -EPERM;
	if (*clock == PROFIL_CLOCK_AUTO)
		*clock = rate <= HZ ? PROFIL_CLOCK_TICK : PROFIL_CLOCK_RANDOM;
	return 0;
}
