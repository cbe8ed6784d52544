// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes interrupts late, for late_test. In a guest whose time is the number of
 * instructions, none is late by itself. A number of microseconds that is written to
 * a parameter keeps interrupts off for that long, on the CPU and in the thread that
 * writes it:
 *
 * off   then they are on, and the late ones find this thread
 * leave then the CPU goes on to the next thread, and the late ones find that one
 */
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/processor.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/time64.h>

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
	end = local_clock() + us * (u64)NSEC_PER_USEC;
	while (local_clock() < end)
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

static const struct kernel_param_ops off_ops = { .set = set_off };
static const struct kernel_param_ops leave_ops = { .set = set_leave };

module_param_cb(off, &off_ops, NULL, 0200);
MODULE_PARM_DESC(off, "keep interrupts off, in us");
module_param_cb(leave, &leave_ops, NULL, 0200);
MODULE_PARM_DESC(leave, "keep interrupts off, in us, until the next thread is there");

MODULE_DESCRIPTION("Late interrupts, for the tests of profil");
MODULE_LICENSE("GPL");
