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

#include "attach/attachment.h"
#include "attach/follow.h"
#include "attach/stack.h"
#include "attach/target.h"
#include "clock/clock.h"
#include "clock/hooks.h"
#include "clock/timer.h"
#include "compat.h"
#include "policy.h"
#include "trace.h"
#include "user.h"

#define ATTACHMENT_FLAGS	(PROFIL_USER_ONLY | PROFIL_KERNEL_ONLY | PROFIL_FOLLOW_EXEC |	\
			 PROFIL_FROM_EXEC)

/* The file operations of /proc/PID/mem; NULL: nothing can be attached. */
static const struct file_operations *mem_operations;

/* Frees attachments. */
static struct workqueue_struct *attachment_queue;

/*
 * Find them in a mount of procfs that nobody else sees: what is at /proc may be another file
 * system, or have another file mounted on top. May sleep. Return: them, or NULL.
 */
static const struct file_operations * __init attachment_find_mem_operations(void)
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

/* Called when the module is loaded. Return: 0 or -ENOMEM. */
int __init profil_attachment_init(void)
{
	attachment_queue = alloc_workqueue("profil_attach", WQ_UNBOUND, 0);
	if (!attachment_queue)
		return -ENOMEM; /* GCOV_EXCL_LINE: out of memory */
	if (profil_follow_init())
		mem_operations = attachment_find_mem_operations();
	if (!mem_operations)
		pr_notice("no kprobes of setup_new_exec() and perf_event_mmap(), or no procfs: other processes cannot be profiled\n");
	return 0;
}

/* Whether the kernel has what ATTACH needs. */
bool profil_attachment_is_possible(void)
{
	return mem_operations;
}

/* The same for what an ATTACH with stacks needs. */
bool profil_attachment_has_stacks(void)
{
	return mem_operations && profil_stack_is_possible();
}

/*
 * No file is open, and no hook is attached: what is freed a grace period later is freed now, or is
 * in the queue.
 */
void profil_attachment_exit(void)
{
	rcu_barrier();
	destroy_workqueue(attachment_queue);
}

/* --- the memory of a process -------------------------------------------------- */

/*
 * Get the address space that a descriptor of /proc/PID/mem stands for. The file keeps it,
 * even after the process exits. Return: it, with a reference of mmgrab(); -EBADF; -EINVAL:
 * another kind of file; or -ESRCH: the process had no memory when the file was opened.
 */
static struct mm_struct *attachment_get_mm(int fd)
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
 * Whether a process has not ended and has this memory. Once its target is published, the hooks
 * catch a later exit or exec.
 */
static bool attachment_process_has(struct pid *process, const struct mm_struct *mm)
{
	struct task_struct *leader, *thread;
	bool has = false;

	/* pairs with the stores to mm and signal->live; litmus: exec-attach, exit-attach */
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

/* --- the attachment ---------------------------------------------------------------- */

static void attachment_init_phases(struct profil_attachment *attachment)
{
	static atomic_t serial;
	u32 number = atomic_inc_return(&serial);
	int cpu;

	for_each_possible_cpu(cpu)
		per_cpu_ptr(attachment->log.slots, cpu)->phase = profil_clock_phase(number, cpu);
}

/* Return: an attachment without targets, or an error. */
static struct profil_attachment *attachment_create(const struct profil_attach *arg)
{
	struct profil_attachment *attachment;
	u32 clock = arg->clock;
	int err;

	err = profil_policy_choose_clock(arg->rate, &clock);
	if (err)
		return ERR_PTR(err);
	attachment = kzalloc(sizeof(*attachment), GFP_KERNEL_ACCOUNT);
	if (!attachment)
		return ERR_PTR(-ENOMEM);
	profil_pace_init(&attachment->pace, arg->rate, clock);
	attachment->flags = arg->flags & ~PROFIL_FROM_EXEC;
	err = profil_rights_get(&attachment->rights);
	if (err)
		goto free_attachment;
	err = profil_charge_pages(&attachment->rights, arg->log_bytes >> PAGE_SHIFT);
	if (err)
		goto put_rights;
	attachment->stack_bytes = arg->stack_bytes;
	attachment->stack_words = arg->stack_words;
	err = profil_log_init(&attachment->log, arg->log_bytes, arg->stack_words);
	if (err)
		goto uncharge;
	attachment_init_phases(attachment);
	err = profil_hooks_get(profil_clock_hooks(&attachment->pace, PROFIL_KIND_TARGET));
	if (err)
		goto close_log;
	attachment->pids = get_pid_ns(task_active_pid_ns(current));
	attachment->is_plain = attachment->pids == &init_pid_ns && !attachment->stack_bytes &&
			       !(attachment->flags & (PROFIL_USER_ONLY | PROFIL_KERNEL_ONLY));
	return attachment;

close_log:
	profil_log_close(&attachment->log);
	profil_log_free(&attachment->log);
uncharge:
	profil_uncharge_pages(&attachment->rights, arg->log_bytes >> PAGE_SHIFT);
put_rights:
	profil_rights_put(&attachment->rights);
free_attachment:
	kfree(attachment);
	return ERR_PTR(err);
}

/* A grace period later: no clock and no hook uses the attachment. */
static void attachment_free_work(struct work_struct *work)
{
	struct profil_attachment *attachment =
		container_of(to_rcu_work(work), struct profil_attachment, free_work);

	profil_log_free(&attachment->log);
	put_pid_ns(attachment->pids);
	profil_rights_put(&attachment->rights);
	kfree(attachment);
}

/*
 * End all targets, and free the attachment. The log's memory is freed at once: it is large, and no
 * clock uses it after the log is closed.
 */
static void attachment_close(struct profil_attachment *attachment)
{
	profil_target_unpublish_all(attachment);
	profil_log_close(&attachment->log);
	profil_uncharge_pages(&attachment->rights, attachment->log.size >> PAGE_SHIFT);
	profil_hooks_put(profil_clock_hooks(&attachment->pace, PROFIL_KIND_TARGET));
	INIT_RCU_WORK(&attachment->free_work, attachment_free_work);
	queue_rcu_work(attachment_queue, &attachment->free_work);
}

/* --- ATTACH ------------------------------------------------------------------- */

/*
 * A log of 32 of the largest records has four chunks at least. A chunk is the next power of two,
 * 2^c, of two records and the chunk's head of 32 bytes: so a record is larger than 2^(c-2) - 16
 * bytes. The log is a power of two of at least 2^(c+3) - 512 bytes: 2^(c+3). Half of it is chunks.
 */
static int attachment_check_stacks(const struct profil_attach *arg)
{
	if (arg->stack_bytes % 8 || arg->stack_bytes > PROFIL_STACK_BYTES_MAX ||
	    !arg->stack_bytes != !arg->stack_words || arg->stack_words > PROFIL_STACK_WORDS_MAX ||
	    arg->text[0] > arg->text[1] || arg->text[2] > arg->text[3] ||
	    (!arg->stack_bytes && (arg->text[1] || arg->text[3])))
		return -EINVAL;
	if (!arg->stack_bytes)
		return 0;
	if (arg->log_bytes < 32ULL * profil_log_stack_size(arg->stack_words))
		return -EINVAL;
	if (!profil_stack_is_possible())
		return -EOPNOTSUPP;
	return arg->stack_bytes <= profil_policy_max_stack_bytes() ? 0 : -EPERM;
}

static int attachment_check(const struct profil_attachment *attachment,
			    const struct profil_attach *arg)
{
	u32 clock = arg->clock;
	int err;

	if (arg->flags & ~ATTACHMENT_FLAGS ||
	    (arg->flags & PROFIL_USER_ONLY && arg->flags & PROFIL_KERNEL_ONLY) ||
	    arg->log_bytes < PROFIL_LOG_MIN || arg->log_bytes > PROFIL_LOG_MAX ||
	    !is_power_of_2(arg->log_bytes))
		return -EINVAL;
	err = attachment_check_stacks(arg);
	if (err || !attachment)
		return err;
	err = profil_policy_choose_clock(arg->rate, &clock);
	if (err)
		return err;
	if (arg->rate != attachment->pace.rate || clock != attachment->pace.clock ||
	    arg->log_bytes != attachment->log.size ||
	    arg->stack_bytes != attachment->stack_bytes ||
	    arg->stack_words != attachment->stack_words ||
	    (arg->flags & ~PROFIL_FROM_EXEC) != attachment->flags)
		return -EINVAL;
	return 0;
}

/*
 * Publish a target for a process that has the memory @mm. That is checked before, so that other
 * processes are not affected at all, and again when exec and exit of the process are seen: only
 * then is the target confirmed. If the hook of exec comes between this check and the confirmation,
 * the target is refused; if it comes later, the new program is checked like any other.
 */
static int attachment_add(struct profil_attachment *attachment, struct pid *process,
			  const struct mm_struct *mm, const struct profil_attach *arg)
{
	struct profil_target *target;
	int err;

	if (!attachment_process_has(process, mm))
		return -ESRCH;
	target = profil_target_create(attachment, process);
	if (!target)
		return -ENOMEM;
	target->mm = mm;
	memcpy(target->text, arg->text, sizeof(target->text));
	target->waits = true;
	/* keeps the target: from here on, its process may exit and unpublish it */
	rcu_read_lock();
	err = profil_target_publish(target, NULL);
	if (!err && (!attachment_process_has(process, mm) ||
		     !profil_target_confirm(target, arg->flags & PROFIL_FROM_EXEC))) {
		profil_target_unpublish(target, NULL);
		rcu_read_unlock();
		return -ESRCH;
	}
	rcu_read_unlock();
	if (err)
		profil_target_free(target);
	return err;
}

static int file_attach(struct profil_file *opened, const struct profil_attach *arg,
		       struct pid *process, const struct mm_struct *mm)
{
	struct profil_attachment *attachment = opened->attachment;
	int err;

	lockdep_assert_held(&opened->mutex);
	err = attachment_check(attachment, arg);
	if (err)
		return err;
	if (!attachment)
		attachment = attachment_create(arg);
	if (IS_ERR(attachment))
		return PTR_ERR(attachment);
	err = attachment_add(attachment, process, mm, arg);
	if (err) {
		if (!opened->attachment)
			attachment_close(attachment);
		return err;
	}
	/* pairs with the acquire in file_attachment(); litmus: attachment-opened */
	smp_store_release(&opened->attachment, attachment);
	trace_profil_attach(pid_nr(process), arg->rate, arg->flags);
	if (profil_clock_needs_timer(&attachment->pace))
		profil_timer_start_target(process, mm);
	return 0;
}

/**
 * profil_file_attach - sample a process into the log of an open file
 * @opened: the open file
 * @arg:     copy of the caller's structure
 *
 * Return: 0, or an error as listed in uapi/linux/profil.h.
 */
int profil_file_attach(struct profil_file *opened, const struct profil_attach *arg)
{
	struct mm_struct *mm;
	struct pid *process;
	int err = -ESRCH;

	if (!mem_operations)
		return -EOPNOTSUPP;
	mm = attachment_get_mm(arg->mem);
	if (IS_ERR(mm))
		return PTR_ERR(mm);
	process = find_get_pid(arg->pid);
	if (!process)
		goto drop_mm;
	err = -EINTR;
	if (mutex_lock_killable(&opened->mutex))
		goto put_process;
	err = file_attach(opened, arg, process, mm);
	mutex_unlock(&opened->mutex);
put_process:
	put_pid(process);
drop_mm:
	mmdrop(mm);
	return err;
}

/* --- the open file ------------------------------------------------------------ */

/* Return: an open file to which nothing is attached, or NULL. */
struct profil_file *profil_file_open(void)
{
	struct profil_file *opened = kzalloc(sizeof(*opened), GFP_KERNEL_ACCOUNT);

	if (opened)
		mutex_init(&opened->mutex);
	return opened;
}

/* The last descriptor has been closed: nothing else uses the open file. */
void profil_file_close(struct profil_file *opened)
{
	if (opened->attachment)
		attachment_close(opened->attachment);
	kfree(opened);
}

static struct profil_attachment *file_attachment(struct profil_file *opened)
{
	/* pairs with the release in file_attach(); litmus: attachment-opened */
	return smp_load_acquire(&opened->attachment);
}

/**
 * profil_file_status - report the log of an open file
 * @opened: the open file
 * @status:  zeroed; stays zero if nothing was attached
 */
void profil_file_status(struct profil_file *opened, struct profil_status *status)
{
	struct profil_attachment *attachment = file_attachment(opened);

	if (!attachment)
		return;
	status->state = READ_ONCE(attachment->nr_targets) ? PROFIL_STATE_RUNNING :
							  PROFIL_STATE_OFF;
	status->rate = profil_clock_rate(&attachment->pace);
	status->clock = attachment->pace.clock;
	status->flags = attachment->flags;
	profil_log_status(&attachment->log, status);
	status->forks_followed = atomic_long_read(&attachment->forks_followed);
	status->fork_failures = atomic_long_read(&attachment->fork_failures);
}

/* As profil_log_read(); -EINVAL: nothing was attached. */
ssize_t profil_file_read(struct profil_file *opened, struct iov_iter *to, bool nonblock)
{
	struct profil_attachment *attachment = file_attachment(opened);

	return attachment ? profil_log_read(&attachment->log, to, nonblock) : -EINVAL;
}

__poll_t profil_file_poll(struct profil_file *opened, struct file *file, poll_table *table)
{
	struct profil_attachment *attachment = file_attachment(opened);
	__poll_t events = 0;

	if (!attachment)
		return EPOLLERR;
	/* then look, with a barrier: profil_log_is_readable() */
	poll_wait(file, &attachment->log.wait, table);
	if (profil_log_is_readable(&attachment->log))
		events |= EPOLLIN | EPOLLRDNORM;
	if (READ_ONCE(attachment->log.ended))
		events |= EPOLLHUP;
	return events;
}
