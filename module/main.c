// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loads and unloads the module: creates the device last, so that user space can call in only
 * when everything else is ready, and removes it first.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/printk.h>

#include "attach/attachment.h"
#include "attach/follow.h"
#include "clock/hooks.h"
#include "clock/tick.h"
#include "clock/timer.h"
#include "counters/fork.h"
#include "counters/reaper.h"
#include "counters/session.h"
#include "device.h"

static int __init profil_init(void)
{
	int err;

	err = profil_session_init();
	if (err)
		return err; /* GCOV_EXCL_LINE: out of memory */
	profil_timer_init();
	profil_hooks_init(PROFIL_HOOK_TICK, &profil_tick_hook);
	profil_hooks_init(PROFIL_HOOK_SESSION_TIMER, &profil_session_timer_hook);
	profil_hooks_init(PROFIL_HOOK_TARGET_TIMER, &profil_target_timer_hook);
	profil_hooks_init(PROFIL_HOOK_FORKS, &profil_fork_hook);
	profil_hooks_init(PROFIL_HOOK_TARGETS, &profil_follow_hook);
	err = profil_attachment_init();
	if (err)
		goto exit_session; /* GCOV_EXCL_LINE: out of memory */
	profil_tick_init();
	/* last: user space can call in from here on */
	err = profil_device_init();
	if (err)
		goto exit_attachment; /* GCOV_EXCL_LINE: out of memory */
	return 0;

exit_attachment:
	/* GCOV_EXCL_START: out of memory */
	profil_attachment_exit();
	profil_follow_exit();
	profil_tick_exit();
	/* GCOV_EXCL_STOP */
exit_session:
	profil_session_exit(); /* GCOV_EXCL_LINE: out of memory */
	return err;
}

/* No descriptor is open and no session exists: each holds a reference to the module. */
static void __exit profil_exit(void)
{
	profil_device_exit();
	profil_session_exit();
	profil_reaper_exit();
	profil_hooks_exit();
	profil_attachment_exit();
	profil_follow_exit();
	profil_tick_exit();
}

module_init(profil_init);
module_exit(profil_exit);

MODULE_DESCRIPTION("profil(2): histograms of where programs spend their time");
MODULE_AUTHOR("The profil developers");
MODULE_LICENSE("GPL");
#ifdef PROFIL_VERSION /* not in the kernel's own tree */
MODULE_VERSION(PROFIL_VERSION);
#endif
