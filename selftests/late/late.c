// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes interrupts late, for late_test. In a guest whose time is the number of
 * instructions, none is late by itself. A number of microseconds that is written to
 * a parameter keeps interrupts off for that long, on the CPU and in the thread that
 * writes it:
 *
 * off   then they are on, and the late ones find this thread
 * leave then the CPU goes on to the next thread, and the late ones find that one
 *
 * And dead_ftrace, when anything is written to it, has ftrace turn itself off for good, as
 * it does when it finds something wrong: for attacks/dead_ftrace_test.
 */
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
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
	struct kprobe probe = {
		.symbol_name = "ftrace_kill",
		.flags = KPROBE_FLAG_DISABLED,
	};
	void (*kill)(void);
	int err = register_kprobe(&probe);

	if (err)
		return err;
	kill = (void (*)(void))probe.addr;
	unregister_kprobe(&probe);
	kill();
	return 0;
#else
	return -EOPNOTSUPP;
#endif
}

static const struct kernel_param_ops off_ops = { .set = set_off };
static const struct kernel_param_ops leave_ops = { .set = set_leave };
static const struct kernel_param_ops dead_ftrace_ops = { .set = set_dead_ftrace };

module_param_cb(off, &off_ops, NULL, 0200);
MODULE_PARM_DESC(off, "keep interrupts off, in us");
module_param_cb(leave, &leave_ops, NULL, 0200);
MODULE_PARM_DESC(leave, "keep interrupts off, in us, until the next thread is there");
module_param_cb(dead_ftrace, &dead_ftrace_ops, NULL, 0200);
MODULE_PARM_DESC(dead_ftrace, "have ftrace turn itself off for good");

MODULE_DESCRIPTION("Late interrupts, for the tests of profil");
MODULE_LICENSE("GPL");
