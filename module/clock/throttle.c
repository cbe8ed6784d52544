// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits the share of a CPU that sampling takes, as perf does. If samples of a profile turn out to
 * be expensive (a slow or virtual machine, many regions), its rate is lowered until it ends. Other
 * profiles are not affected: their samples may be cheaper. The timer (timer.c) measures the cost.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/moduleparam.h>
#include <linux/pid.h>
#include <linux/printk.h>
#include <linux/sched.h>

#include "clock/grid.h"
#include "clock/throttle.h"

#define AVERAGED	128	/* number of samples in the mean */

/*
 * A sample's cost counts at most as OUTLIER times the mean plus OUTLIER_NS. A virtual CPU
 * may be stopped for seconds during a sample, which is not a cost of sampling.
 */
#define OUTLIER		8
#define OUTLIER_NS	10000
#define LONGEST_NS	10000000	/* AVERAGED times this fits in 32 bits */

/*
 * Cost of the timer interrupt besides the sample, which the callback cannot measure: entry,
 * exit and setting the next timer. About a microsecond on processors of the last ten years.
 * In a virtual machine, where the host sets the timer, it takes several microseconds, so the
 * share is underestimated there.
 */
#define INTERRUPT_NS	1000

static unsigned int max_cpu_percent = 5;

/* How often max_cpu_percent has been set. */
static u32 limits;

/* Rates that were lowered for an earlier value of the parameter are tried again. */
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
		 "limit for the share of a CPU that the timer's samples of a process take, in percent (100: no limit)");

/* Return: the new mean. */
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
 * profil_throttle_account - account the cost of a sample, and lower the rate if needed
 * @throttle: of the current thread's profile
 * @rate:     requested rate, in Hz
 * @took_ns:  cost in ns, without the interrupt itself
 * @shares:   how many profiles of the process share what may be taken
 *
 * Hard interrupt context.
 */
void profil_throttle_account(struct profil_throttle *throttle, u32 rate, u64 took_ns, u32 shares)
{
	u32 percent = READ_ONCE(max_cpu_percent);
	u32 limit = READ_ONCE(limits);
	u32 mean = throttle_add_to_mean(throttle, took_ns);
	u64 allowed;

	if (READ_ONCE(throttle->limit) != limit) {
		WRITE_ONCE(throttle->limit, limit);
		WRITE_ONCE(throttle->max_rate, U32_MAX);
	}
	if (percent >= 100)
		return;
	/* HZ is always allowed: then the timer interrupts no more often than the tick */
	allowed = max_t(u64, HZ, div_u64((u64)PROFIL_NS / 100 * percent,
					 (mean + INTERRUPT_NS) * shares));
	if (profil_throttle_rate(throttle, rate) <= allowed)
		return;
	WRITE_ONCE(throttle->max_rate, (u32)allowed);
	pr_info_ratelimited("%s[%d]: a sample takes %u ns: rate lowered to %llu Hz (max_cpu_percent)\n",
			    current->comm, task_pid_nr(current),
			    mean + INTERRUPT_NS, allowed);
}

/* For a profile that starts. */
void profil_throttle_init(struct profil_throttle *throttle)
{
	throttle->cost_ns = 0;
	throttle->max_rate = U32_MAX;
	throttle->limit = READ_ONCE(limits);
}
