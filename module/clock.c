// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which clock.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/pid.h>
#include <linux/printk.h>
#include <linux/sched.h>

#include "clock.h"
#include "policy.h"

/**
 * profil_clock_choose - check a rate, and choose a clock if the caller did not
 * @rate:  in Hz
 * @clock: in: PROFIL_CLOCK_*; out: no longer AUTO
 *
 * Return: 0, -EINVAL or -EPERM.
 */
int profil_clock_choose(u32 rate, u32 *clock)
{
	int err;

	if (*clock > PROFIL_CLOCK_RANDOM || !rate || rate > PROFIL_POLICY_HIGHEST_RATE ||
	    (*clock == PROFIL_CLOCK_TICK && rate > HZ)) {
		pr_debug_ratelimited("%s[%d]: clock %u cannot have a rate of %u Hz\n",
				     current->comm, task_pid_nr(current),
				     *clock, rate);
		return -EINVAL;
	}
	err = profil_policy_check_rate(rate);
	if (err)
		return err;
	if (*clock == PROFIL_CLOCK_AUTO)
		*clock = rate <= HZ ? PROFIL_CLOCK_TICK : PROFIL_CLOCK_RANDOM;
	return 0;
}
