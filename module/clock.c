// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which clock, and how fast it may be.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/capability.h>
#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/pid.h>
#include <linux/printk.h>
#include <linux/sched.h>

#include "clock.h"

#define HIGHEST_RATE	20000	/* Hz, for anybody */

static unsigned int max_rate = 4000;
module_param(max_rate, uint, 0644);
MODULE_PARM_DESC(max_rate,
		 "highest rate in Hz without CAP_PERFMON (at most 20000; the tick's is always allowed)");

/**
 * profil_clock_max_rate - highest rate that the caller may ask for, in Hz
 */
u32 profil_clock_max_rate(void)
{
	if (perfmon_capable())
		return HIGHEST_RATE;
	return clamp_t(u32, READ_ONCE(max_rate), HZ, HIGHEST_RATE);
}

/**
 * profil_clock_choose - check a rate, and choose a clock if the caller did not
 * @rate:  in Hz
 * @clock: in: PROFIL_CLOCK_*; out: no longer AUTO
 *
 * Return: 0, -EINVAL or -EPERM.
 */
int profil_clock_choose(u32 rate, u32 *clock)
{
	if (*clock > PROFIL_CLOCK_RANDOM || !rate || rate > HIGHEST_RATE ||
	    (*clock == PROFIL_CLOCK_TICK && rate > HZ)) {
		pr_debug_ratelimited("%s[%d]: clock %u cannot have a rate of %u Hz\n",
				     current->comm, task_pid_nr(current),
				     *clock, rate);
		return -EINVAL;
	}
	if (rate > profil_clock_max_rate())
		return -EPERM;
	if (*clock == PROFIL_CLOCK_AUTO)
		*clock = rate <= HZ ? PROFIL_CLOCK_TICK : PROFIL_CLOCK_RANDOM;
	return 0;
}
