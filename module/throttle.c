// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sampling takes no more than a share of a CPU, as perf's does not: a profile whose samples
 * turn out to be dear (a slow machine, a virtual one, many regions) goes slower until it
 * ends. Only that one: another user's samples say nothing of ours.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/moduleparam.h>
#include <linux/pid.h>
#include <linux/printk.h>
#include <linux/sched.h>

#include "grid.h"
#include "throttle.h"

#define AVERAGED	128	/* samples that a mean is over */

/*
 * What one sample counts for at most: so many times the mean, and this. A virtual CPU
 * may be stopped in the middle of one, for seconds, which is not our cost.
 */
#define OUTLIER		8
#define OUTLIER_NS	10000
#define LONGEST_NS	10000000	/* AVERAGED of them are less than 2^32 */

/*
 * What the timer's interrupt takes beside the sample, which is all that can be measured from
 * within: its entry and exit, and the setting of the next one. About a microsecond on
 * processors of the last ten years. In a virtual machine it is several, where the host sets
 * the timer: then the share is too low by that.
 */
#define INTERRUPT_NS	1000

static unsigned int max_cpu_percent = 5;

/* How often the limit has been set. */
static u32 limits;

/* Rates that were lowered by another limit are tried anew. */
static int throttle_set_max_cpu_percent(const char *text, const struct kernel_param *param)
{
	int err = param_set_uint(text, param);

	if (!err)
		WRITE_ONCE(limits, limits + 1);
	return err;
}

static const struct kernel_param_ops max_cpu_percent_ops = {
	.set = throttle_set_max_cpu_percent,
	.get = param_get_uint,
};

module_param_cb(max_cpu_percent, &max_cpu_percent_ops, &max_cpu_percent, 0644);
MODULE_PARM_DESC(max_cpu_percent,
		 "share of a CPU that the timer's samples of one profile may take, in percent; 100: no limit");

/* Return: the mean, with this sample. */
static u32 throttle_add_to_mean(struct profil_throttle *throttle, u64 took_ns)
{
	u32 cost = READ_ONCE(throttle->cost_ns);
	u32 mean = cost / AVERAGED;

	took_ns = min(took_ns, (u64)OUTLIER * mean + OUTLIER_NS);
	cost += min_t(u64, took_ns, LONGEST_NS) - mean;
	WRITE_ONCE(throttle->cost_ns, cost);
	return cost / AVERAGED;
}

/**
 * profil_throttle_account - see what a sample of the current thread has taken
 * @throttle:   of its profile
 * @rate:    that was asked for, in Hz
 * @took_ns: in ns, without the interrupt itself
 */
void profil_throttle_account(struct profil_throttle *throttle, u32 rate, u64 took_ns)
{
	u32 percent = READ_ONCE(max_cpu_percent);
	u32 limit = READ_ONCE(limits);
	u32 mean = throttle_add_to_mean(throttle, took_ns);
	u64 allowed;

	if (READ_ONCE(throttle->limit) != limit) {
		WRITE_ONCE(throttle->limit, limit);
		WRITE_ONCE(throttle->highest, U32_MAX);
	}
	if (percent >= 100)
		return;
	/* the tick's own rate is as cheap as it gets */
	allowed = max_t(u64, HZ, div_u64((u64)PROFIL_NS / 100 * percent,
					 mean + INTERRUPT_NS));
	if (profil_throttle_rate(throttle, rate) <= allowed)
		return;
	WRITE_ONCE(throttle->highest, (u32)allowed);
	pr_info_ratelimited("%s[%d]: a sample takes %u ns: rate lowered to %llu Hz (max_cpu_percent)\n",
			    current->comm, task_pid_nr(current),
			    mean + INTERRUPT_NS, allowed);
}

/* Of a profile that begins. */
void profil_throttle_init(struct profil_throttle *throttle)
{
	throttle->cost_ns = 0;
	throttle->highest = U32_MAX;
	throttle->limit = READ_ONCE(limits);
}
