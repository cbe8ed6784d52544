/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The only place for differences between kernel versions. All other code is written for the
 * newest kernel, and this file supplies what older kernels lack.
 */
#ifndef _PROFIL_COMPAT_H
#define _PROFIL_COMPAT_H

#include <linux/fs.h>
#include <linux/ftrace.h>
#include <linux/highmem.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/mount.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 10, 0)
#error "profil needs Linux 5.10 or newer"
#endif

#if !defined(CONFIG_DYNAMIC_FTRACE) || !defined(CONFIG_FUNCTION_TRACER)
#error "profil needs a kernel with CONFIG_FUNCTION_TRACER and CONFIG_DYNAMIC_FTRACE"
#endif
#ifndef CONFIG_MMU_NOTIFIER
#error "profil needs a kernel with CONFIG_MMU_NOTIFIER"
#endif
/* for the arguments of functions in kprobes */
#ifndef CONFIG_HAVE_FUNCTION_ARG_ACCESS_API
#error "profil needs an architecture with regs_get_kernel_argument(), which arm and mips lack"
#endif
/*
 * The kernel writes a counter at one virtual address, and the program reads it at another. If the
 * cache holds a separate line for each, the program sees stale counts, and the cache cannot be
 * flushed in a hard interrupt. No architecture with regs_get_kernel_argument() has such caches so
 * far. The option exists from 6.9 on.
 */
#ifdef CONFIG_ARCH_HAS_CPU_CACHE_ALIASING
#error "profil needs processors whose data caches do not alias"
#endif
/* needed for locked_vm of struct user_struct, which RLIMIT_MEMLOCK is charged to */
#if !defined(CONFIG_NET) && !defined(CONFIG_IO_URING)
#error "profil needs a kernel with CONFIG_NET or CONFIG_IO_URING"
#endif

/* The type of an ftrace callback's fourth argument. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 11, 0)
#define compat_ftrace_regs ftrace_regs
#else
#define compat_ftrace_regs pt_regs
#endif

/*
 * Whether an ftrace callback that does not ask for all registers gets the arguments of the
 * function: not on arm64 before 6.2, nor on i386. Before 5.16, perf_event_mmap() cannot be traced.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 16, 0)
#define COMPAT_FTRACE_HAS_ARGUMENT	IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_ARGS)
#else
#define COMPAT_FTRACE_HAS_ARGUMENT	0
#endif

/* The first argument. */
static __always_inline unsigned long compat_ftrace_argument(struct compat_ftrace_regs *regs)
{
#if !COMPAT_FTRACE_HAS_ARGUMENT
	return 0;
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
	return ftrace_regs_get_argument(regs, 0);
#else
	return regs_get_kernel_argument(&regs->regs, 0);
#endif
}

/* From 5.11 on, ftrace guards a callback against recursion only on request. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 11, 0)
#define COMPAT_FTRACE_RECURSION_SAFE	0
#else
#define COMPAT_FTRACE_RECURSION_SAFE	FTRACE_OPS_FL_RECURSION_SAFE
#endif

/* ftrace_free_filter() is exported from 6.1 on. Before, an empty filter uses no memory. */
static inline void compat_ftrace_free_filter(struct ftrace_ops *ops)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0)
	ftrace_free_filter(ops);
#else
	ftrace_set_filter(ops, NULL, 0, 1);
#endif
}

/* The end of user addresses. Before 5.18 only some architectures define it. */
#ifndef TASK_SIZE_MAX
#define TASK_SIZE_MAX	TASK_SIZE
#endif

/*
 * Threads that never run in user mode: kernel threads, from 5.12 on also io_uring's workers,
 * and from 6.4 on other kernel threads created by a process.
 */
#ifndef PF_USER_WORKER
#define PF_USER_WORKER	0
#endif
#define COMPAT_PF_WORKERS	(PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER)

/*
 * When the current thread came to its CPU, on that CPU's local_clock(). U64_MAX: this kernel
 * does not record it.
 */
static __always_inline u64 compat_on_cpu_since(void)
{
#ifdef CONFIG_SCHED_INFO
	return current->sched_info.last_arrival;
#else
	return U64_MAX;
#endif
}

/* 6.5 removed the vmas argument. mmap_lock stays held, so "locked" is NULL. */
static inline long compat_pin_user_pages_remote(struct mm_struct *mm,
						unsigned long start,
						unsigned long nr_pages,
						unsigned int gup_flags,
						struct page **pages)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0)
	return pin_user_pages_remote(mm, start, nr_pages, gup_flags, pages, NULL);
#else
	return pin_user_pages_remote(mm, start, nr_pages, gup_flags, pages, NULL, NULL);
#endif
}

/* Open a file by its path from the root of a mount. 5.14 changed the arguments. */
static inline struct file *compat_file_open_root_mnt(struct vfsmount *mnt, const char *name,
						     int flags)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 14, 0)
	return file_open_root_mnt(mnt, name, flags, 0);
#else
	return file_open_root(mnt->mnt_root, mnt, name, flags, 0);
#endif
}

/*
 * The mapped file as the process sees it: on overlayfs, the mapping has the file of
 * a layer. Before 6.8, its path is nevertheless the one that the process sees.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
#define compat_file_user_path(file)	file_user_path(file)
#define compat_file_user_inode(file)	file_user_inode(file)
#else
#define compat_file_user_path(file)	(&(file)->f_path)
#define compat_file_user_inode(file)	file_inode(file)
#endif

/* When a file was last modified, and its inode changed. */
static inline struct timespec64 compat_inode_mtime(const struct inode *inode)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
	return inode_get_mtime(inode);
#else
	return inode->i_mtime;
#endif
}

static inline struct timespec64 compat_inode_ctime(const struct inode *inode)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
	return inode_get_ctime(inode);
#else
	return inode->i_ctime;
#endif
}

/* Before 6.1, the mappings of an address space are a list. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
struct vma_iterator {
	struct vm_area_struct *next;
};

static inline void vma_iter_init(struct vma_iterator *iterator, struct mm_struct *mm,
				 unsigned long address)
{
	iterator->next = find_vma(mm, address);
}

static inline struct vm_area_struct *vma_next(struct vma_iterator *iterator)
{
	struct vm_area_struct *vma = iterator->next;

	if (vma)
		iterator->next = vma->vm_next;
	return vma;
}
#endif

/*
 * From 6.4 on, each mapping has a lock of its own, which most page faults hold instead of
 * mmap_lock. A mapping is locked for writing if its vm_lock_seq is the mm_lock_seq of the memory,
 * whose mmap_lock is held for writing. mmap_write_unlock() and mmap_write_downgrade() change
 * mm_lock_seq, and so unlock all mappings at once.
 */
#ifdef CONFIG_PER_VMA_LOCK

/*
 * mm_lock_seq is an int; from 6.13 on, and in stable versions of 6.12, a seqcount_t, which begins
 * with its number.
 */
static inline void compat_mm_lock_seq_begin(struct mm_struct *mm)
{
	if (__same_type(mm->mm_lock_seq, seqcount_t))
		do_raw_write_seqcount_begin((seqcount_t *)&mm->mm_lock_seq);
}

static inline unsigned int compat_mm_lock_seq(const struct mm_struct *mm)
{
	return *(const unsigned int *)&mm->mm_lock_seq;
}

/*
 * Keep new page faults out of a mapping, which then take mmap_lock. Those that have the lock of
 * the mapping go on.
 */
static inline void compat_vma_keep_faults_out(struct vm_area_struct *vma)
{
	mmap_assert_write_locked(vma->vm_mm);
	/* faults look at this before they take the lock, and again when they have it */
	WRITE_ONCE(vma->vm_lock_seq, compat_mm_lock_seq(vma->vm_mm));
}

/*
 * Lock a mapping for writing, as vma_start_write() does, but without waiting. Return: false if a
 * page fault has the lock of the mapping.
 */
static inline bool compat_vma_try_write_lock(struct vm_area_struct *vma)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 15, 0)
#ifdef VM_REFCNT_EXCLUDE_READERS_FLAG
	const int writer = VM_REFCNT_EXCLUDE_READERS_FLAG;
#else
	const int writer = VMA_LOCK_OFFSET;
#endif
	int refs = 1; /* of the memory; each fault has one more */

	/* while this is set, no fault gets a reference; litmus: vma-lock */
	if (!atomic_try_cmpxchg_acquire(&vma->vm_refcnt.refs, &refs, refs + writer))
		return false;
	compat_vma_keep_faults_out(vma);
	WARN_ON_ONCE(refcount_sub_and_test(writer, &vma->vm_refcnt));
#else
	if (!down_write_trylock(&vma->vm_lock->lock))
		return false;
	compat_vma_keep_faults_out(vma);
	up_write(&vma->vm_lock->lock);
#endif
	return true;
}

#else

static inline void compat_mm_lock_seq_begin(struct mm_struct *mm)
{
}

static inline void compat_vma_keep_faults_out(struct vm_area_struct *vma)
{
}

static inline bool compat_vma_try_write_lock(struct vm_area_struct *vma)
{
	return true;
}

#endif /* CONFIG_PER_VMA_LOCK */

/* Take mmap_lock for writing, without waiting: newer kernels have no mmap_write_trylock(). */
static inline bool compat_mmap_write_trylock(struct mm_struct *mm)
{
	if (!down_write_trylock(&mm->mmap_lock))
		return false;
	/* as mmap_write_lock(): the unlock or the downgrade ends it */
	compat_mm_lock_seq_begin(mm);
	return true;
}

/*
 * Pin only pages that are present. Before 5.16 this flag does not exist. On those kernels, a
 * worker does not pin where it must not fault. A call relies on FOLL_NOWAIT, which waits for
 * a page of a file only if an earlier read of it failed.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 16, 0)
#define COMPAT_FOLL_NOFAULT	FOLL_NOFAULT
#else
#define COMPAT_FOLL_NOFAULT	0
#endif

/*
 * Set the memory cgroup that allocations of this thread are charged to. Not for interrupts:
 * before 5.14, what set_active_memcg() uses there is not exported. Return: the previous one.
 */
static inline struct mem_cgroup *
compat_set_active_memcg(struct mem_cgroup *memcg)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 14, 0) || !defined(CONFIG_MEMCG)
	return set_active_memcg(memcg);
#else
	return xchg(&current->active_memcg, memcg);
#endif
}

/*
 * Get the memory cgroup of a process: the cgroup of the thread that owns the memory, while
 * the thread still uses it. (Afterwards, get_mem_cgroup_from_mm() returns the root cgroup,
 * which must not be charged.) Any context. Return: the cgroup, with a reference; NULL if
 * there is none, or without CONFIG_MEMCG.
 */
static inline struct mem_cgroup *compat_get_mem_cgroup_of(struct mm_struct *mm)
{
	struct mem_cgroup *memcg = NULL;

#ifdef CONFIG_MEMCG
	struct task_struct *owner;

	rcu_read_lock();
	owner = rcu_dereference(mm->owner);
	if (owner && READ_ONCE(owner->mm) == mm) {
		memcg = mem_cgroup_from_task(owner);
		if (memcg && !css_tryget(&memcg->css))
			memcg = NULL;
	}
	rcu_read_unlock();
#endif
	return memcg;
}

/* The same for the current thread, which may have no memory any more. */
static inline struct mem_cgroup *compat_get_mem_cgroup_of_current(void)
{
	struct mem_cgroup *memcg = NULL;

#ifdef CONFIG_MEMCG
	rcu_read_lock();
	memcg = mem_cgroup_from_task(current);
	if (memcg && !css_tryget(&memcg->css))
		memcg = NULL;
	rcu_read_unlock();
#endif
	return memcg;
}

/*
 * Whether the memory of the current thread is that of another process, which has lent it by vfork()
 * or clone(CLONE_VM). The kernel knows whose it is, and at that process's end makes another one the
 * owner. Without CONFIG_MEMCG, only children of vfork() are known.
 */
static inline bool compat_current_borrows_memory(void)
{
#ifdef CONFIG_MEMCG
	struct task_struct *owner;
	bool borrows;

	rcu_read_lock();
	owner = rcu_dereference(current->mm->owner);
	borrows = owner && owner->tgid != current->tgid;
	rcu_read_unlock();
	return borrows;
#else
	return current->vfork_done;
#endif
}

/* Whether allocations of a worker, other than pages of files, are charged to a process. */
static inline bool compat_has_active_memcg(void)
{
#ifdef CONFIG_MEMCG
	return current->active_memcg || mem_cgroup_disabled();
#else
	return true;
#endif
}

/*
 * Whether pages of files that a thread without memory allocates are charged to its active
 * memory cgroup. Before 5.14, they are charged to the root cgroup, whichever is active.
 */
static inline bool compat_charges_file_pages(void)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 14, 0) || !defined(CONFIG_MEMCG)
	return true;
#else
	return mem_cgroup_disabled() ||
	       (current->active_memcg && !current->active_memcg->css.parent);
#endif
}

/*
 * Whether a user may trace the program of the current process without a capability, as far as
 * the program is concerned. Return: NULL, or the user namespace in which CAP_SYS_PTRACE is needed:
 * it may read the file of the program. Under rcu_read_lock().
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 2, 0)
#include <linux/sched/exec_state.h>
static inline const struct user_namespace *compat_current_needs_ptrace_in(void)
{
	const struct task_exec_state *state = rcu_dereference(current->exec_state);

	return state->dumpable == TASK_DUMPABLE_OWNER ? NULL : state->user_ns;
}
#else
#include <linux/sched/coredump.h>
static inline const struct user_namespace *compat_current_needs_ptrace_in(void)
{
	return get_dumpable(current->mm) == SUID_DUMP_USER ? NULL : current->mm->user_ns;
}
#endif

/* The arguments of a probe of sched_process_exit. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#define COMPAT_EXIT_ARGS						\
	void *data, struct task_struct *task, bool group_dead
#else
#define COMPAT_EXIT_ARGS						\
	void *data, struct task_struct *task
#endif

/* The arguments of a probe of sched_switch. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 18, 0)
#define COMPAT_SWITCH_ARGS						\
	void *data, bool preempt, struct task_struct *prev,		\
	struct task_struct *next, unsigned int prev_state
#else
#define COMPAT_SWITCH_ARGS						\
	void *data, bool preempt, struct task_struct *prev,		\
	struct task_struct *next
#endif

static inline void
compat_hrtimer_setup(struct hrtimer *timer,
		     enum hrtimer_restart (*function)(struct hrtimer *),
		     clockid_t clock, enum hrtimer_mode mode)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(timer, function, clock, mode);
#else
	hrtimer_init(timer, clock, mode);
	timer->function = function;
#endif
}

/* Initialize @work to run in the hard interrupt itself, also on PREEMPT_RT. */
static inline void
compat_init_irq_work_hard(struct irq_work *work, void (*function)(struct irq_work *work))
{
	init_irq_work(work, function);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 11, 0)
	atomic_or(IRQ_WORK_HARD_IRQ, &work->node.a_flags);
#else
	atomic_or(IRQ_WORK_HARD_IRQ, &work->flags);
#endif
}

/* kmap_local_page() exists from 5.11 on. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 11, 0)
#define kmap_local_page(page)	kmap_atomic(page)
#define kunmap_local(addr)	kunmap_atomic(addr)
#endif

#endif /* _PROFIL_COMPAT_H */
