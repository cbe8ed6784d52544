// SPDX-License-Identifier: GPL-2.0-only
/*
 * An open file of the device that samples other processes: ATTACH, read(2), poll(2), and the
 * end when the file is closed.
 *
 * The caller proves that it may trace a process with a descriptor of /proc/PID/mem: procfs has
 * checked that when the file was opened, with all rules of ptrace(2), of security modules and
 * of namespaces. (No kernel exports its function for that.)
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mount.h>
#include <linux/percpu.h>
#include <linux/pid_namespace.h>
#include <linux/printk.h>
#include <linux/profil.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "attach/follow.h"
#include "attach/target.h"
#include "attach/watch.h"
#include "clock/clock.h"
#include "clock/hooks.h"
#include "clock/timer.h"
#include "compat.h"
#include "config.h"
#include "counters/cpu.h"
#include "counters/session.h"
#include "policy.h"
#include "trace.h"
#include "user.h"

#define WATCH_FLAGS	(PROFIL_USER_ONLY | PROFIL_KERNEL_ONLY | PROFIL_FOLLOW_EXEC |	\
			 PROFIL_FROM_EXEC)

/* The file operations of /proc/PID/mem; NULL: nothing can be attached. */
static const struct file_operations *mem_operations;

/*
 * Find them in a mount of procfs that nobody else sees: what is at /proc may be another file
 * system, or have another file mounted on top. May sleep. Return: them, or NULL.
 */
static const struct file_operations * __init watch_find_mem_operations(void)
{
	const struct file_operations *operations = NULL;
	struct file_system_type *type = get_fs_type("proc");
	struct vfsmount *procfs;
	struct file *file;

	if (!type)
		return NULL; /* GCOV_EXCL_LINE: other kernels only */
	procfs = kern_mount(type);
	/* get_fs_type() has taken a reference */
	module_put(type->owner);
	if (IS_ERR(procfs))
		return NULL; /* GCOV_EXCL_LINE: out of memory */
	file = compat_file_open_root_mnt(procfs, "self/mem", O_RDONLY);
	if (!IS_ERR(file)) {
		operations = file->f_op;
		filp_close(file, NULL);
	}
	kern_unmount(procfs);
	return operations;
}

/* Called when the module is loaded. */
void __init profil_watch_init(void)
{
	if (profil_follow_is_possible())
		mem_operations = watch_find_mem_operations();
	if (!mem_operations)
		pr_notice("no kprobes of setup_new_exec() and perf_event_mmap(), or no procfs: other processes cannot be profiled\n");
}

/* Whether the kernel has what ATTACH needs. */
bool profil_watch_is_possible(void)
{
	return mem_operations;
}

/*
 * No file is open. Called before the queue is destroyed, and again after the hooks are detached.
 * What was freed a grace period later is freed now, or queued. A hook that found a target just
 * before its file was closed may still free a target for a child: the second call waits for it.
 */
void profil_watch_exit(void)
{
	rcu_barrier();
}

/* --- the memory of a process -------------------------------------------------- */

/*
 * Get the address space that a descriptor of /proc/PID/mem stands for. The file keeps it,
 * whatever becomes of the process. Return: it, with a reference of mmgrab(); -EBADF; -EINVAL:
 * another kind of file; or -ESRCH: the process had no memory when the file was opened.
 */
static struct mm_struct *watch_get_mm(int fd)
{
	struct mm_struct *mm = ERR_PTR(-EINVAL);
	struct file *file = fget(fd);

	if (!file)
		return ERR_PTR(-EBADF);
	if (file->f_op == mem_operations) {
		mm = file->private_data ?: ERR_PTR(-ESRCH);
		if (!IS_ERR(mm))
			mmgrab(mm);
	}
	fput(file);
	return mm;
}

/*
 * Whether a process has not ended and has this memory. If its target is published, and it ends
 * or executes a program after this, the target hooks see the target.
 */
static bool watch_process_has(struct pid *process, const struct mm_struct *mm)
{
	struct task_struct *leader, *thread;
	bool has = false;

	/* pairs with the stores to mm and to signal->live in exec and exit */
	smp_mb();
	rcu_read_lock();
	leader = pid_task(process, PIDTYPE_TGID);
	if (leader && atomic_read(&leader->signal->live))
		for_each_thread(leader, thread) {
			has = READ_ONCE(thread->mm) == mm;
			/* all have the same, except for those that have exited */
			if (has)
				break;
		}
	rcu_read_unlock();
	return has;
}

/* --- the watch ---------------------------------------------------------------- */

static void watch_init_phases(struct profil_watch *watch)
{
	static atomic_t serial;
	u32 number = atomic_inc_return(&serial);
	int cpu;

	for_each_possible_cpu(cpu) {
		u32 *phase = per_cpu_ptr(watch->phases, cpu);

		*phase = profil_cpus_phase(number, cpu);
	}
}

/* Return: a watch without targets, or an error. */
static struct profil_watch *watch_create(const struct profil_attach *arg)
{
	u32 flags = arg->flags & ~PROFIL_FROM_EXEC;
	struct profil_config *config;
	struct profil_watch *watch;
	int err;

	watch = kzalloc(sizeof(*watch), GFP_KERNEL_ACCOUNT);
	if (!watch)
		return ERR_PTR(-ENOMEM);
	config = profil_config_create_for_log(flags, arg->rate, arg->clock);
	err = PTR_ERR_OR_ZERO(config);
	if (err)
		goto free_watch;
	err = profil_charge_pages(&config->rights, arg->log_bytes >> PAGE_SHIFT);
	if (err)
		goto put_config;
	err = profil_log_init(&watch->log, arg->log_bytes);
	if (err)
		goto uncharge;
	err = -ENOMEM;
	watch->phases = alloc_percpu_gfp(u32, GFP_KERNEL_ACCOUNT);
	if (!watch->phases)
		goto close_log;
	watch_init_phases(watch);
	err = profil_hooks_get(profil_clock_hooks(config, PROFIL_KIND_TARGET));
	if (err)
		goto free_phases;
	watch->config = config;
	watch->pids = get_pid_ns(task_active_pid_ns(current));
	return watch;

free_phases:
	free_percpu(watch->phases);
close_log:
	profil_log_close(&watch->log);
uncharge:
	profil_uncharge_pages(&config->rights, arg->log_bytes >> PAGE_SHIFT);
put_config:
	profil_config_put(config);
free_watch:
	kfree(watch);
	return ERR_PTR(err);
}

/* A grace period later: no clock and no hook uses the watch. */
static void watch_free_work(struct work_struct *work)
{
	struct profil_watch *watch =
		container_of(to_rcu_work(work), struct profil_watch, free_work);

	put_pid_ns(watch->pids);
	profil_config_put(watch->config);
	kfree(watch);
}

/*
 * End all targets, and free the watch. The log's memory is freed at once: it is large, and no
 * clock uses it or the phases after the log is closed.
 */
static void watch_close(struct profil_watch *watch)
{
	struct profil_config *config = watch->config;

	profil_target_unpublish_all(watch);
	profil_log_close(&watch->log);
	profil_uncharge_pages(&config->rights, watch->log.size >> PAGE_SHIFT);
	free_percpu(watch->phases);
	profil_hooks_put(profil_clock_hooks(config, PROFIL_KIND_TARGET));
	INIT_RCU_WORK(&watch->free_work, watch_free_work);
	queue_rcu_work(profil_queue, &watch->free_work);
}

/* --- ATTACH ------------------------------------------------------------------- */

static int watch_check(const struct profil_watch *watch, const struct profil_attach *arg)
{
	const struct profil_config *config;
	u32 clock = arg->clock;
	int err;

	if (arg->flags & ~WATCH_FLAGS ||
	    (arg->flags & PROFIL_USER_ONLY && arg->flags & PROFIL_KERNEL_ONLY) ||
	    arg->log_bytes < PROFIL_LOG_MIN || arg->log_bytes > PROFIL_LOG_MAX ||
	    !is_power_of_2(arg->log_bytes))
		return -EINVAL;
	if (!watch)
		return 0;
	err = profil_policy_choose_clock(arg->rate, &clock);
	if (err)
		return err;
	config = watch->config;
	if (arg->rate != config->rate || clock != config->clock ||
	    arg->log_bytes != watch->log.size ||
	    (arg->flags & ~PROFIL_FROM_EXEC) != config->flags)
		return -EINVAL;
	return 0;
}

/*
 * Publish a target for a process that has the memory @mm. That is checked before, so that other
 * processes are not affected at all, and again when exec and exit of the process are seen: only
 * then is the target confirmed. If exec comes between this check and the confirmation, it is
 * refused; if it comes later, the new program is checked like any other.
 */
static int watch_add(struct profil_watch *watch, struct pid *process,
		     const struct mm_struct *mm, bool from_exec)
{
	struct profil_target *target;
	int err;

	if (!watch_process_has(process, mm))
		return -ESRCH;
	target = profil_target_create(watch, process);
	if (!target)
		return -ENOMEM;
	target->mm = mm;
	target->waits = true;
	/* keeps the target: from here on, its process may exit and unpublish it */
	rcu_read_lock();
	err = profil_target_publish(target);
	if (!err && (!watch_process_has(process, mm) ||
		     !profil_target_confirm(target, from_exec))) {
		profil_target_unpublish(target, NULL);
		rcu_read_unlock();
		return -ESRCH;
	}
	rcu_read_unlock();
	if (err)
		profil_target_free(target);
	return err;
}

/* With the watcher's mutex held. */
static int watch_attach(struct profil_watcher *watcher, const struct profil_attach *arg,
			struct pid *process, const struct mm_struct *mm)
{
	struct profil_watch *watch = watcher->watch;
	int err;

	err = watch_check(watch, arg);
	if (err)
		return err;
	if (!watch)
		watch = watch_create(arg);
	if (IS_ERR(watch))
		return PTR_ERR(watch);
	err = watch_add(watch, process, mm, arg->flags & PROFIL_FROM_EXEC);
	if (err) {
		if (!watcher->watch)
			watch_close(watch);
		return err;
	}
	/* pairs with the acquire in watcher_watch() */
	smp_store_release(&watcher->watch, watch);
	trace_profil_attach(pid_nr(process), arg->rate, arg->flags);
	if (profil_clock_needs_timer(watch->config))
		profil_timer_start_target(process, mm);
	return 0;
}

/**
 * profil_watcher_attach - sample a process into the log of an open file
 * @watcher: the open file
 * @arg:     copy of the caller's structure
 *
 * Return: 0, or an error as listed in uapi/linux/profil.h.
 */
int profil_watcher_attach(struct profil_watcher *watcher, const struct profil_attach *arg)
{
	struct mm_struct *mm;
	struct pid *process;
	int err = -ESRCH;

	if (!mem_operations)
		return -EOPNOTSUPP;
	mm = watch_get_mm(arg->mem);
	if (IS_ERR(mm))
		return PTR_ERR(mm);
	process = find_get_pid(arg->pid);
	if (!process)
		goto drop_mm;
	err = -EINTR;
	if (mutex_lock_killable(&watcher->mutex))
		goto put_process;
	err = watch_attach(watcher, arg, process, mm);
	mutex_unlock(&watcher->mutex);
put_process:
	put_pid(process);
drop_mm:
	mmdrop(mm);
	return err;
}

/* --- the open file ------------------------------------------------------------ */

/* Return: an open file to which nothing is attached, or NULL. */
struct profil_watcher *profil_watcher_open(void)
{
	struct profil_watcher *watcher = kzalloc(sizeof(*watcher), GFP_KERNEL_ACCOUNT);

	if (watcher)
		mutex_init(&watcher->mutex);
	return watcher;
}

/* The last descriptor has been closed: nothing else uses the open file. */
void profil_watcher_close(struct profil_watcher *watcher)
{
	if (watcher->watch)
		watch_close(watcher->watch);
	kfree(watcher);
}

static struct profil_watch *watcher_watch(struct profil_watcher *watcher)
{
	/* pairs with the release in watch_attach() */
	return smp_load_acquire(&watcher->watch);
}

/**
 * profil_watcher_status - report the log of an open file
 * @watcher: the open file
 * @status:  zeroed; stays zero if nothing was attached
 */
void profil_watcher_status(struct profil_watcher *watcher, struct profil_status *status)
{
	struct profil_watch *watch = watcher_watch(watcher);

	if (!watch)
		return;
	status->state = READ_ONCE(watch->nr_targets) ? PROFIL_STATE_RUNNING :
							  PROFIL_STATE_OFF;
	status->rate = profil_clock_rate(watch->config);
	status->clock = watch->config->clock;
	status->flags = watch->config->flags;
	profil_log_status(&watch->log, status);
	status->forks_followed = atomic_long_read(&watch->forks_followed);
	status->fork_failures = atomic_long_read(&watch->fork_failures);
}

/* As profil_log_read(); -EINVAL: nothing was attached. */
ssize_t profil_watcher_read(struct profil_watcher *watcher, char __user *user, size_t bytes,
			    bool nonblock)
{
	struct profil_watch *watch = watcher_watch(watcher);

	return watch ? profil_log_read(&watch->log, user, bytes, nonblock) : -EINVAL;
}

__poll_t profil_watcher_poll(struct profil_watcher *watcher, struct file *file,
			     poll_table *table)
{
	struct profil_watch *watch = watcher_watch(watcher);
	__poll_t events = 0;

	if (!watch)
		return EPOLLERR;
	/* then look, with a barrier: profil_log_is_readable() */
	poll_wait(file, &watch->log.wait, table);
	if (profil_log_is_readable(&watch->log))
		events |= EPOLLIN | EPOLLRDNORM;
	if (READ_ONCE(watch->log.ended))
		events |= EPOLLHUP;
	return events;
}
