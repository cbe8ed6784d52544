// SPDX-License-Identifier: GPL-2.0-only
/*
 * late.ko delays interrupts, for core/late_test: in a guest whose clock counts executed
 * instructions, interrupts are never late on their own. Writing a number of microseconds to one
 * of these parameters disables interrupts for that time, on the CPU of the writing thread:
 *
 * off    the late interrupts then interrupt the writing thread
 * leave  the CPU switches first, so the late interrupts interrupt the next thread
 * steal  like off, and the late tick accounts the time as stolen by a hypervisor
 *
 * Writing a number of microseconds to the parameter period starts a timer on the CPU of the writing
 * thread that does nothing, for core/sample_cost_test; 0 stops it.
 *
 * Writing to the parameter ftrace_kill disables ftrace for good, as ftrace does when it
 * detects an error: for attacks/ftrace_kill_test.
 */
#include <linux/hrtimer.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/kernel_stat.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/processor.h>
#include <linux/sched.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>

#include "compat.h"

#define MAX_US	1000000	/* far below the timeouts of the lockup detectors */

/* Return: 0 with interrupts disabled, or an error. */
static int delay_interrupts(const char *text)
{
	unsigned int us;
	u64 end;
	int err = kstrtouint(text, 0, &us);

	if (err)
		return err;
	if (us > MAX_US)
		return -EINVAL;
	local_irq_disable();
	/* not local_clock(): it may not advance until the next tick */
	end = ktime_get_ns() + us * (u64)NSEC_PER_USEC;
	while (ktime_get_ns() < end)
		cpu_relax();
	return 0;
}

static int set_off(const char *text, const struct kernel_param *param)
{
	int err = delay_interrupts(text);

	if (!err)
		local_irq_enable();
	return err;
}

static int set_leave(const char *text, const struct kernel_param *param)
{
	int err = delay_interrupts(text);

	/* the scheduler enables interrupts after the switch */
	if (!err)
		schedule();
	return err;
}

static struct hrtimer bare_timer;
static ktime_t bare_period;

static enum hrtimer_restart fire(struct hrtimer *timer)
{
	hrtimer_add_expires(timer, bare_period);
	return HRTIMER_RESTART;
}

static int set_period(const char *text, const struct kernel_param *param)
{
	unsigned int us;
	int err = kstrtouint(text, 0, &us);

	if (err)
		return err;
	hrtimer_cancel(&bare_timer);
	if (!us)
		return 0;
	bare_period = ns_to_ktime(us * (u64)NSEC_PER_USEC);
	hrtimer_start(&bare_timer, bare_period, HRTIMER_MODE_REL_PINNED_HARD);
	return 0;
}

/* ftrace_kill() is not exported. Registering a disabled kprobe resolves its address. */
static int set_ftrace_kill(const char *text, const struct kernel_param *param)
{
#ifdef CONFIG_KPROBES
	struct kprobe unarmed = {
		.symbol_name = "ftrace_kill",
		.flags = KPROBE_FLAG_DISABLED,
	};
	void (*kill)(void);
	int err = register_kprobe(&unarmed);

	if (err)
		return err;
	kill = (void (*)(void))unarmed.addr;
	unregister_kprobe(&unarmed);
	kill();
	return 0;
#else
	return -EOPNOTSUPP;
#endif
}

/* Stolen time for the next tick of this CPU, in ns. Accessed with interrupts off. */
static DEFINE_PER_CPU(u64, stolen);

/* Runs in the tick, after profil's hook, where the kernel reads the hypervisor's steal clock. */
static int account(struct kprobe *probe, struct pt_regs *regs)
{
	kcpustat_this_cpu->cpustat[CPUTIME_STEAL] += this_cpu_read(stolen);
	this_cpu_write(stolen, 0);
	return 0;
}

static struct kprobe probe = {
	.symbol_name = "account_process_tick",
	.pre_handler = account,
};

static int set_steal(const char *text, const struct kernel_param *param)
{
	u64 begin = ktime_get_ns();
	int err;

	err = delay_interrupts(text);
	if (err)
		return err;
	this_cpu_write(stolen, ktime_get_ns() - begin);
	local_irq_enable();
	return 0;
}

static const struct kernel_param_ops steal_ops = { .set = set_steal };
static const struct kernel_param_ops off_ops = { .set = set_off };
static const struct kernel_param_ops leave_ops = { .set = set_leave };
static const struct kernel_param_ops period_ops = { .set = set_period };
static const struct kernel_param_ops ftrace_kill_ops = { .set = set_ftrace_kill };

module_param_cb(off, &off_ops, NULL, 0200);
MODULE_PARM_DESC(off, "disable interrupts for this time in us");
module_param_cb(leave, &leave_ops, NULL, 0200);
MODULE_PARM_DESC(leave, "disable interrupts for this time in us, then switch to the next thread");
module_param_cb(period, &period_ops, NULL, 0200);
MODULE_PARM_DESC(period, "interrupt this CPU with this period in us");
module_param_cb(ftrace_kill, &ftrace_kill_ops, NULL, 0200);
MODULE_PARM_DESC(ftrace_kill, "disable ftrace for good");
module_param_cb(steal, &steal_ops, NULL, 0200);
MODULE_PARM_DESC(steal,
		 "disable interrupts for this time in us, accounted as stolen by a hypervisor");

static int __init late_init(void)
{
	compat_hrtimer_setup(&bare_timer, fire, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	return register_kprobe(&probe);
}

static void __exit late_exit(void)
{
	unregister_kprobe(&probe);
	hrtimer_cancel(&bare_timer);
}

module_init(late_init);
module_exit(late_exit);

MODULE_DESCRIPTION("Late interrupts, for the tests of profil");
MODULE_LICENSE("GPL");
