// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes interrupts late, for late_test. In a guest whose time is the number of
 * instructions, none is late by itself. A number of microseconds that is written to
 * a parameter keeps interrupts off for that long, on the CPU and in the thread that
 * writes it:
 *
 * off   then they are on, and the late ones find this thread
 * leave then the CPU goes on to the next thread, and the late ones find that one
 * steal as off, and the late tick accounts that time as stolen by a hypervisor, as a virtual
 *       machine's does
 *
 * And dead_ftrace, when anything is written to it, has ftrace turn itself off for good, as
 * it does when it finds something wrong: for attacks/dead_ftrace_test.
 */
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

#define LONGEST	1000000	/* us: far from what the lockup detectors wait for */

/* Return: 0 with interrupts off, or an error. */
static int keep_off(const char *text)
{
	unsigned int us;
	u64 end;
	int err = kstrtouint(text, 0, &us);

	if (err)
		return err;
	if (us > LONGEST)
		return -EINVAL;
	local_irq_disable();
	/* local_clock() may stand still until the next tick */
	end = ktime_get_ns() + us * (u64)NSEC_PER_USEC;
	while (ktime_get_ns() < end)
		cpu_relax();
	return 0;
}

static int set_off(const char *text, const struct kernel_param *param)
{
	int err = keep_off(text);

	if (!err)
		local_irq_enable();
	return err;
}

static int set_leave(const char *text, const struct kernel_param *param)
{
	int err = keep_off(text);

	/* the scheduler enables them when the next thread is there */
	if (!err)
		schedule();
	return err;
}

/* ftrace_kill() is not exported. A probe that is never armed finds where it is. */
static int set_dead_ftrace(const char *text, const struct kernel_param *param)
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

/* ns that the next tick is to find stolen. Only its own CPU's, with interrupts off. */
static DEFINE_PER_CPU(u64, stolen);

/* Where the kernel looks at a hypervisor's clock: in the tick, after the tick's hook. */
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

	/* interrupts are off from here on, or on again */
	err = keep_off(text);
	if (err)
		return err;
	this_cpu_write(stolen, ktime_get_ns() - begin);
	local_irq_enable();
	return 0;
}

static const struct kernel_param_ops steal_ops = { .set = set_steal };
static const struct kernel_param_ops off_ops = { .set = set_off };
static const struct kernel_param_ops leave_ops = { .set = set_leave };
static const struct kernel_param_ops dead_ftrace_ops = { .set = set_dead_ftrace };

module_param_cb(off, &off_ops, NULL, 0200);
MODULE_PARM_DESC(off, "keep interrupts off, in us");
module_param_cb(leave, &leave_ops, NULL, 0200);
MODULE_PARM_DESC(leave, "keep interrupts off, in us, until the next thread is there");
module_param_cb(dead_ftrace, &dead_ftrace_ops, NULL, 0200);
MODULE_PARM_DESC(dead_ftrace, "have ftrace turn itself off for good");
module_param_cb(steal, &steal_ops, NULL, 0200);
MODULE_PARM_DESC(steal, "keep interrupts off, in us, and say that a hypervisor took that");

static int __init late_init(void)
{
	return register_kprobe(&probe);
}

static void __exit late_exit(void)
{
	unregister_kprobe(&probe);
}

module_init(late_init);
module_exit(late_exit);

MODULE_DESCRIPTION("Late interrupts, for the tests of profil");
MODULE_LICENSE("GPL");
