// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sampling takes no more than a share of a CPU, as perf's does not: if samples turn
 * out to be dear (a slow machine, a virtual one, many regions), all timer clocks go
 * slower until the last of them has ended, or the limit is set anew.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/printk.h>

#include "grid.h"
#include "guard.h"

#define AVERAGED	128	/* samples that a mean is over */

/*
 * What one sample counts for at most: so many times the mean, and this. A virtual CPU
 * may be stopped in the middle of one, for seconds, which is not our cost.
 */
#define OUTLIER		8
#define OUTLIER_NS	10000

u32 profil_guard_highest = U32_MAX;

static unsigned int max_cpu_percent = 5;

/* Rates that were lowered by another limit are tried anew. */
static int set_max_cpu_percent(const char *text, const struct kernel_param *param)
{
	int err = param_set_uint(text, param);

	if (!err)
		WRITE_ONCE(profil_guard_highest, U32_MAX);
	return err;
}

static const struct kernel_param_ops max_cpu_percent_ops = {
	.set = set_max_cpu_percent,
	.get = param_get_uint,
};

module_param_cb(max_cpu_percent, &max_cpu_percent_ops, &max_cpu_percent, 0644);
MODULE_PARM_DESC(max_cpu_percent,
		 "share of a CPU that samples of a timer clock may take, in percent; 100: no limit");

/* What AVERAGED samples have taken on a CPU. Written by its timer only. */
static DEFINE_PER_CPU(u64, cost_ns);

/**
 * profil_guard_account - see what a sample has taken
 * @rate:    that was asked for, in Hz
 * @took_ns: in ns
 */
void profil_guard_account(u32 rate, u64 took_ns)
{
	u32 percent = READ_ONCE(max_cpu_percent);
	u64 *cost = this_cpu_ptr(&cost_ns);
	u64 mean, allowed;

	mean = div_u64(*cost, AVERAGED);
	*cost += min(took_ns, OUTLIER * mean + OUTLIER_NS) - mean;
	if (percent >= 100)
		return;
	mean = div_u64(*cost, AVERAGED);
	/* the tick's own rate is as cheap as it gets */
	allowed = max_t(u64, HZ,
			div64_u64((u64)PROFIL_NS / 100 * percent, mean + 1));
	if (profil_guard_rate(rate) <= allowed)
		return;
	/* of two CPUs that see it at once, either may win: the other sees it again */
	WRITE_ONCE(profil_guard_highest, (u32)allowed);
	pr_info_ratelimited("a sample takes %llu ns: rates lowered to %llu Hz (max_cpu_percent)\n",
			    mean, allowed);
}

/* No timer runs any more. */
void profil_guard_reset(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		per_cpu(cost_ns, cpu) = 0;
	WRITE_ONCE(profil_guard_highest, U32_MAX);
}
