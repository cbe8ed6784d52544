// SPDX-License-Identifier: GPL-2.0-only
/*
 * Follows what targets do, and writes it to their logs: fork, exec and exit, by tracepoints of
 * the scheduler; and new executable mappings, by an ftrace callback on perf_event_mmap(), which the
 * kernel calls for each mapping of all processes. All run in process context and are atomic.
 *
 * In exec, the kernel installs the new memory and the new credentials, calls setup_new_exec(), maps
 * the program, and sets up its registers. Then comes the tracepoint sched_process_exec. A kprobe of
 * setup_new_exec() decides whether the new program may be sampled, before any of its addresses can
 * be. If kprobes are switched off, the tracepoint decides, and samples before it have no pc
 * (sampler.c: target_pc). Then mappings are missing: a LOST record says so.
 *
 * Without COMPAT_FTRACE_HAS_ARGUMENT, perf_event_mmap() has a kprobe, too, and mappings of all
 * processes pay more. Where that is a breakpoint, as on arm64, its handler runs with interrupts
 * off, d_path() of a long path included.
 */
#include <linux/binfmts.h>
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched/clock.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <linux/tracepoint.h>

#include <trace/events/sched.h>

#include "attach/attachment.h"
#include "attach/follow.h"
#include "attach/log.h"
#include "attach/stack.h"
#include "attach/target.h"
#include "attach/tracer.h"
#include "clock/function.h"
#include "clock/hooks.h"
#include "clock/timer.h"
#include "compat.h"

/*
 * CPU time that the current thread has used since the scheduler last added it up: at a tick or a
 * switch. The scheduler's clock is local_clock(), unless it subtracts the time of interrupts or of
 * a hypervisor: by how much is not known to modules. With interrupts disabled.
 *
 * Another CPU that wakes a thread for this one adds up, too, under the queue's lock, which modules
 * cannot take. If it does so between this and the reading of the sum, the time since the last tick
 * is counted twice or not at all.
 */
static u64 follow_time_since_tick(void)
{
	u64 start = READ_ONCE(current->se.exec_start), now = local_clock();

	if (IS_ENABLED(CONFIG_IRQ_TIME_ACCOUNTING) || IS_ENABLED(CONFIG_PARAVIRT_TIME_ACCOUNTING))
		return 0;
	/* the scheduler reads the clock once in each of its steps */
	return now > start ? now - start : 0;
}

/* CPU time of the current thread. */
static u64 follow_thread_time(void)
{
	unsigned long flags;
	u64 time;

	/* no tick between the sum up to the last one and the time since it */
	local_irq_save(flags);
	time = READ_ONCE(current->se.sum_exec_runtime) + follow_time_since_tick();
	local_irq_restore(flags);
	return time;
}

#define FOLLOW_MOST_VISITS	1000

/*
 * CPU time of all threads of the current process, in exec or at the end of its last thread; of
 * other threads up to their last tick or switch. The kernel adds the time of a thread that it
 * releases to the sum and takes the thread off the list in one write section of stats_lock: if its
 * sequence changes, the walk is repeated. It finds no other threads in exec; at the end, those that
 * are not released: thousands, if a debugger does not reap them. Interrupts stay on.
 *
 * Preemption may be disabled here. On PREEMPT_RT the lock sleeps, and the preempted writer may be
 * waiting for this CPU: the lock is not taken, and a walk after so many visits is the last one.
 * Then time may be counted twice or not at all. Under rcu_read_lock().
 */
static u64 follow_cpu_time(void)
{
	const struct signal_struct *signal = current->signal;
	const unsigned int *sequence = &signal->stats_lock.seqcount.seqcount.sequence;
	unsigned int before, visits = 0;
	struct task_struct *thread;
	u64 sum;

	do {
		/* the times are read after the sequence; litmus: cpu-time */
		before = smp_load_acquire(sequence);
		sum = READ_ONCE(signal->sum_sched_runtime) + follow_thread_time();
		for_each_thread(current, thread) {
			if (thread != current)
				sum += READ_ONCE(thread->se.sum_exec_runtime);
			visits++;
		}
		/* and before it is read again; litmus: cpu-time */
		smp_rmb();
	} while ((before & 1 || before != READ_ONCE(*sequence)) && visits < FOLLOW_MOST_VISITS);
	return sum;
}

/* --- fork --------------------------------------------------------------------- */

static void follow_probe_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	struct profil_target *target;

	if (!READ_ONCE(profil_nr_targets) || child->flags & COMPAT_PF_WORKERS)
		return;
	rcu_read_lock();
	for (target = profil_target_find(task_tgid(parent)); target;
	     target = profil_target_find_next(target)) {
		/*
		 * Pairs with the release in profil_target_confirm(), which counts until then.
		 * litmus: target-confirmed
		 */
		if (!smp_load_acquire(&target->confirmed))
			continue;
		/* a thread that was created before the start may have been counted then */
		if (child->signal == parent->signal)
			atomic_add(child->start_time > target->subject.timer_start_ns,
				   &target->threads);
		else if (!READ_ONCE(target->left))
			profil_target_fork(target, child);
	}
	rcu_read_unlock();
}

/* --- exec --------------------------------------------------------------------- */

/* The current process, a target, has the memory and the credentials of a new program. */
static void follow_new_program(struct profil_target *target, const struct linux_binprm *bprm)
{
	struct profil_attachment *attachment = target->attachment;
	struct profil_record_exec record = {
		.head.pid = target->pid,
		.cpu_ns = follow_cpu_time(),
	};

	/* exec has ended all others */
	atomic_set(&target->threads, 1);
	target->in_exec = true;
	target->is_new = true;
	memset(target->text, 0, sizeof(target->text));
	if (!profil_tracer_may_trace_current(target->tracer, bprm->secureexec))
		record.flags = PROFIL_EXEC_DENIED;
	else if (!target->waits && !(attachment->flags & PROFIL_FOLLOW_EXEC))
		record.flags = PROFIL_EXEC_LEFT;
	strscpy(record.comm, current->comm, sizeof(record.comm));
	if (record.flags)
		WRITE_ONCE(target->left, true);
	/* in this order, also for an interrupt in between: target_pc() */
	barrier();
	WRITE_ONCE(target->mm, current->mm);
	profil_log_write(&attachment->log, &record.head, PROFIL_RECORD_EXEC, sizeof(record),
			 NULL, 0);
}

/* A target of the current process, which executes a program. Once for each program. */
static void follow_decide(struct profil_target *target, const struct linux_binprm *bprm)
{
	if (target->left || target->mm == current->mm)
		return;
	if (!profil_target_refuse_exec(target))
		follow_new_program(target, bprm);
}

/* Before setup_new_exec(bprm). */
static int follow_probe_new_program(struct kprobe *probe, struct pt_regs *regs)
{
	const struct linux_binprm *bprm = (void *)regs_get_kernel_argument(regs, 0);
	struct profil_target *target;

	/* after the store to mm: pairs with attachment_process_has(); litmus: exec-attach */
	smp_mb();
	if (!READ_ONCE(profil_nr_targets))
		return 0;
	rcu_read_lock();
	for (target = profil_target_find(task_tgid(current)); target;
	     target = profil_target_find_next(target))
		follow_decide(target, bprm);
	rcu_read_unlock();
	return 0;
}

/*
 * The command line of the new program. The kernel has written it to the new memory, and the
 * loader of the program has just searched each argument for its end (create_elf_tables()), so its
 * pages are present, unless they have been reclaimed since. This context must not sleep, so it
 * cannot wait for those. No thread runs yet that could change the memory, or where it is
 * (prctl(PR_SET_MM)).
 */
static void follow_args(struct profil_target *target)
{
	const struct mm_struct *mm = current->mm;
	struct profil_record_args record = {
		.head.pid = target->pid,
		.args_bytes = mm->arg_end - mm->arg_start,
	};

	profil_log_write_user(&target->attachment->log, &record.head, PROFIL_RECORD_ARGS,
			      sizeof(record), (const void __user *)mm->arg_start,
			      min_t(u32, record.args_bytes, PROFIL_ARGS_MAX));
}

/* The new program is about to run: with PROFIL_FROM_EXEC, it is sampled from here on. */
static void follow_run(struct profil_target *target)
{
	struct profil_record_run record = { .head.pid = target->pid };

	target->in_exec = false;
	follow_args(target);
	if (target->waits)
		record.cpu_ns = follow_cpu_time();
	profil_log_write(&target->attachment->log, &record.head, PROFIL_RECORD_RUN,
			 sizeof(record), NULL, 0);
	if (!target->waits)
		return;
	profil_subject_mark_start(&target->subject);
	/* pairs with the acquire in profil_target_skip_unsampled(); litmus: target-waits */
	smp_store_release(&target->waits, false);
	if (profil_clock_needs_timer(target->subject.pace))
		profil_timer_start_current();
}

static void follow_probe_exec(void *data, struct task_struct *task, pid_t old_pid,
			      struct linux_binprm *bprm)
{
	struct profil_target *target;

	/* after the store to mm: pairs with attachment_process_has(); litmus: exec-attach */
	smp_mb();
	rcu_read_lock();
	for (target = profil_target_find(task_tgid(task)); target;
	     target = profil_target_find_next(target)) {
		/* kprobes are switched off */
		follow_decide(target, bprm);
		if (target->left || !target->in_exec)
			continue;
		/* they were when the program was mapped: the next mapping is another one */
		if (target->is_new)
			profil_log_lose(&target->attachment->log);
		target->is_new = false;
		follow_run(target);
	}
	rcu_read_unlock();
}

/* --- mappings ----------------------------------------------------------------- */

static void follow_describe_file(struct profil_record_map *record, const struct file *file)
{
	const struct inode *inode = compat_file_user_inode(file);
	const struct inode *contents = file_inode(file);
	struct timespec64 time;

	record->inode = inode->i_ino;
	record->major = MAJOR(inode->i_sb->s_dev);
	record->minor = MINOR(inode->i_sb->s_dev);
	/* a reader that comes later can tell by these that another file is there */
	record->file_bytes = i_size_read(contents);
	time = compat_inode_mtime(contents);
	record->mtime_ns = timespec64_to_ns(&time);
	time = compat_inode_ctime(contents);
	record->ctime_ns = timespec64_to_ns(&time);
}

/*
 * The path of a mapping's file, or the name of memory that the kernel provides ("[vdso]").
 * @room: PATH_MAX bytes, or NULL. d_path() may take a spinlock, which sleeps on PREEMPT_RT:
 * there, no paths are known.
 */
static const char *follow_path(struct vm_area_struct *vma, char *room)
{
	const char *path = NULL;

	if (!vma->vm_file && vma->vm_ops && vma->vm_ops->name)
		path = vma->vm_ops->name(vma);
	else if (vma->vm_file && room)
		path = d_path(compat_file_user_path(vma->vm_file), room, PATH_MAX);
	return IS_ERR_OR_NULL(path) ? "" : path;
}

static noinline void follow_map(struct profil_target *target, struct vm_area_struct *vma)
{
	struct profil_record_map record = {
		.head.pid = target->pid,
		.start = vma->vm_start,
		.end = vma->vm_end,
	};
	char *room = NULL;
	const char *path;

	if (vma->vm_file) {
		record.offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
		follow_describe_file(&record, vma->vm_file);
		/* the kernel maps the program first, then its interpreter */
		if (target->is_new)
			record.flags = PROFIL_MAP_PROGRAM;
		target->is_new = false;
		if (!IS_ENABLED(CONFIG_PREEMPT_RT))
			room = kmalloc(PATH_MAX, GFP_NOWAIT | __GFP_NOWARN);
	}
	if (profil_stack_is_possible() && target->attachment->stack_bytes)
		profil_stack_add_text(target, vma->vm_start, vma->vm_end);
	path = follow_path(vma, room);
	profil_log_write(&target->attachment->log, &record.head, PROFIL_RECORD_MAP, sizeof(record),
			 path, strlen(path) + 1);
	kfree(room);
}

/* Of the current process. */
static noinline void follow_new_map(struct vm_area_struct *vma)
{
	struct profil_target *target;

	/* a probe may be preempted: keeps the targets, and their attachments */
	rcu_read_lock();
	for (target = profil_target_find(task_tgid(current)); target;
	     target = profil_target_find_next(target)) {
		/* not of a program about which is not decided yet */
		if (target->mm == current->mm && !target->left &&
		    (target->in_exec || !READ_ONCE(target->waits)))
			follow_map(target, vma);
	}
	rcu_read_unlock();
}

/*
 * Before perf_event_mmap(vma), with mmap_lock held: for writing, or, when a stack grows before
 * Linux 6.5, for reading. All processes pay for this, so the first test ends nearly all calls.
 */
static __always_inline void follow_look_at_map(struct vm_area_struct *vma)
{
	/* exec sets up the stack of memory that is not current yet */
	if (unlikely(vma->vm_flags & VM_EXEC) && vma->vm_mm == current->mm)
		follow_new_map(vma);
}

/*
 * In process context. It may be preempted, unless ftrace calls others, too, and it never sleeps:
 * unregister_ftrace_function() waits by RCU-tasks until no thread is in it. It cannot recurse:
 * nothing that it calls maps memory, and no interrupt does.
 */
static void notrace follow_hook_map(unsigned long ip, unsigned long parent_ip,
				    struct ftrace_ops *ops, struct compat_ftrace_regs *regs)
{
	follow_look_at_map((void *)compat_ftrace_argument(regs));
}

static int follow_probe_map(struct kprobe *probe, struct pt_regs *regs)
{
	follow_look_at_map((void *)regs_get_kernel_argument(regs, 0));
	return 0;
}

/* --- exit --------------------------------------------------------------------- */

/* The current thread ends. Return: whether it is the last one of the process. */
static bool follow_thread_end(struct profil_target *target)
{
	struct profil_record_thread record = {
		.head.pid = target->pid,
		.tid = pid_nr_ns(task_pid(current), target->attachment->pids),
		.cpu_ns = follow_thread_time(),
	};

	strscpy(record.comm, current->comm, sizeof(record.comm));
	return profil_target_end_thread(target, current, &record);
}

/* Called for each thread, which is the current one. With the last one, the process has ended. */
static void follow_probe_exit(COMPAT_EXIT_ARGS)
{
	struct profil_record_exit record = {};
	struct profil_target *target;

	if (!READ_ONCE(profil_nr_targets))
		return;
	rcu_read_lock();
	for (target = profil_target_find(task_tgid(task)); target;
	     target = profil_target_find_next(target)) {
		if (!follow_thread_end(target))
			continue;
		record.head.pid = target->pid;
		/* a walk for the first one only: a process may have many targets */
		if (!record.cpu_ns)
			record.cpu_ns = follow_cpu_time();
		profil_target_unpublish(target, &record);
	}
	rcu_read_unlock();
}

/* --- hooks -------------------------------------------------------------------- */

static struct profil_function map_function = PROFIL_FUNCTION("perf_event_mmap", follow_hook_map);

/* The second one only where ftrace cannot call follow_hook_map(). */
static struct kprobe kprobes[] = {
	{ .symbol_name = "setup_new_exec", .pre_handler = follow_probe_new_program },
	{ .symbol_name = "perf_event_mmap", .pre_handler = follow_probe_map },
};

#define NR_KPROBES	(ARRAY_SIZE(kprobes) - COMPAT_FTRACE_HAS_ARGUMENT)

static void follow_unregister_kprobes(unsigned int nr)
{
	while (nr--)
		unregister_kprobe(&kprobes[nr]);
}

/* Return: 0, -ENOMEM or -EOPNOTSUPP. Then none is registered. */
static int follow_register_kprobes(unsigned int nr, u32 flags)
{
	unsigned int i;
	int err;

	for (i = 0; i < nr; i++) {
		/* left behind by an earlier registration, also a failed one, and refused */
		kprobes[i].addr = NULL;
		kprobes[i].flags = flags;
		err = register_kprobe(&kprobes[i]);
		if (err) {
			follow_unregister_kprobes(i);
			return err == -ENOMEM ? err : -EOPNOTSUPP;
		}
	}
	return 0;
}

/*
 * Return: whether the kernel has the functions: CONFIG_KPROBES, CONFIG_PERF_EVENTS, and forbids no
 * probe there. The kprobes stay disarmed, so nothing is patched. May sleep.
 */
bool __init profil_follow_init(void)
{
	if (follow_register_kprobes(ARRAY_SIZE(kprobes), KPROBE_FLAG_DISABLED))
		return false; /* GCOV_EXCL_LINE: other kernels only */
	follow_unregister_kprobes(ARRAY_SIZE(kprobes));
	if (COMPAT_FTRACE_HAS_ARGUMENT)
		profil_function_init(&map_function);
	return true;
}

static int follow_attach(void)
{
	int err;

	/* generate no code: let the compiler check the types of the probes */
	check_trace_callback_type_sched_process_fork(follow_probe_fork);
	check_trace_callback_type_sched_process_exec(follow_probe_exec);
	check_trace_callback_type_sched_process_exit(follow_probe_exit);

	err = follow_register_kprobes(NR_KPROBES, 0);
	if (err)
		return err;
	err = COMPAT_FTRACE_HAS_ARGUMENT ? profil_function_attach(&map_function) : 0;
	if (err)
		follow_unregister_kprobes(NR_KPROBES);
	else
		profil_reserve_fill(&profil_target_reserve);
	return err;
}

static void follow_detach(void)
{
	if (COMPAT_FTRACE_HAS_ARGUMENT)
		profil_function_detach(&map_function);
	follow_unregister_kprobes(NR_KPROBES);
	profil_reserve_empty(&profil_target_reserve);
}

static struct profil_probe probes[] = {
	{ "sched_process_fork", follow_probe_fork },
	{ "sched_process_exec", follow_probe_exec },
	{ "sched_process_exit", follow_probe_exit },
};

const struct profil_hook_ops profil_follow_hook = {
	.attach = follow_attach,
	.detach = follow_detach,
	.probes = probes,
	.nr_probes = ARRAY_SIZE(probes),
};

/* May sleep, for ever: profil_function_exit(). */
void profil_follow_exit(void)
{
	profil_function_exit(&map_function);
}
