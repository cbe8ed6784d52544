// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attaches callbacks to functions of the kernel, by ftrace. The callers run one at a time: in
 * profil_hook_ops (hooks.c), or when the module is unloaded.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ftrace.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "clock/function.h"
#include "compat.h"

/*
 * Set the filter, and check that it is not empty: an empty filter means all functions, and must
 * never be registered. ftrace_set_filter() returns 0 even if it had no memory for the entry,
 * because its caller takes the -ENOMEM of match_records() for a match.
 *
 * No ftrace function returns what a filter contains. ftrace_set_filter_ip() reports a
 * missing entry, but needs the function's address, which is not exported. (A kprobe that is
 * never armed would find it, but needs CONFIG_KPROBES.) So the address of the filter's hash
 * is compared with that of the empty hash, without dereferencing it. The ops are not
 * registered yet, so nothing else changes it.
 *
 * Return: 0 or an error.
 */
static int function_set_filter(struct profil_function *function)
{
	struct ftrace_ops *ops = &function->ops;
	const void *empty;
	int err;

	if (function->found)
		return 0;
	err = ftrace_set_filter(ops, NULL, 0, 1);
	if (err)
		return err; /* GCOV_EXCL_LINE: other kernels only */
	empty = rcu_access_pointer(ops->func_hash->filter_hash);
	err = ftrace_set_filter(ops, function->name, strlen(function->name), 1);
	if (!err && rcu_access_pointer(ops->func_hash->filter_hash) == empty)
		err = -ENOMEM;
	function->found = !err;
	return err;
}

/**
 * profil_function_init - find a function when the module is loaded
 * @function: function
 *
 * ftrace compares the name with those of all functions, 40,000 or more. Otherwise the first process
 * that starts a profile would do it. A failure is reported when the function is attached.
 */
void __init profil_function_init(struct profil_function *function)
{
	function_set_filter(function);
}

/**
 * profil_function_attach - let a function call the module
 * @function: function
 *
 * Return: 0, -ENOMEM or -EOPNOTSUPP, whose reason is in the kernel log.
 */
int profil_function_attach(struct profil_function *function)
{
	int err = function_set_filter(function);

	if (err && err != -ENOMEM)
		pr_err_ratelimited("ftrace cannot trace %s on this kernel: %d\n", function->name,
				   err);
	if (err)
		return err == -ENOMEM ? err : -EOPNOTSUPP;
	err = register_ftrace_function(&function->ops);
	if (err == -EBUSY)
		pr_err_ratelimited("no profile: sysctl kernel.ftrace_enabled is 0\n");
	else if (err == -ENODEV)
		/* GCOV_EXCL_START: ftrace has failed */
		pr_err_ratelimited("no profile: ftrace has turned itself off, see above\n");
		/* GCOV_EXCL_STOP */
	return err && err != -ENOMEM ? -EOPNOTSUPP : err;
}

/**
 * profil_function_detach - undo profil_function_attach()
 * @function: attached
 *
 * On return no CPU is in the callback, unless ftrace has turned itself off (ftrace_kill()). Then
 * the call stays in the kernel's text, so the callback must stay too: one reference to the module
 * is never put. Attaching fails from then on, so this happens only once. A module that is already
 * being removed has no references any more: profil_function_exit() keeps it.
 */
void profil_function_detach(struct profil_function *function)
{
	int err = unregister_ftrace_function(&function->ops);

	if (!err)
		return;
	/* GCOV_EXCL_START: ftrace has failed */
	function->stuck = true;
	__module_get(THIS_MODULE);
	pr_err("ftrace has turned itself off (%d), and calls this module until a reboot: it cannot be removed\n",
	       err);
	/* GCOV_EXCL_STOP */
}

/**
 * profil_function_exit - free what was allocated for a function
 * @function: not attached any more
 *
 * If ftrace could not remove the callback, this never returns, because the code is freed when it
 * does. No lock is held here, and there are no profiles left that the callback could find.
 */
void profil_function_exit(struct profil_function *function)
{
	while (function->stuck)
		schedule_timeout_idle(MAX_SCHEDULE_TIMEOUT); /* GCOV_EXCL_LINE: ftrace has failed */
	compat_ftrace_free_filter(&function->ops);
}
