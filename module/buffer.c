// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pinning: how the pages that hold a session's counters are made safe to write
 * from hard interrupt context, where no fault can be taken.
 *
 * FOLL_LONGTERM keeps the pages out of the movable zone and refuses memory
 * whose pages must not be held (DAX, secretmem); FOLL_WRITE breaks copy-on-write
 * first, so that the page pinned is the process's own, and it stays the one
 * that the process sees over fork (the child gets a copy at once).
 *
 * What may be pinned: private mappings, whose written pages are anonymous
 * (heap, stack, .bss, also the private copy of a file's page that .data is),
 * shmem and hugetlb. Not shared mappings of files on disk: their file system
 * must be told before each write, which a tick cannot do.
 *
 * Everything here may sleep.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/hugetlb.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>
#include <linux/slab.h>

#include "buffer.h"
#include "compat.h"
#include "config.h"

/* Pages pinned in one go, with mmap_lock held and nobody able to kill us. */
#define PIN_BATCH	512UL

/* vma_is_shmem() is not exported, but all shmem lives on a tmpfs instance. */
static bool is_shmem(struct vm_area_struct *vma)
{
	return vma->vm_file &&
	       file_inode(vma->vm_file)->i_sb->s_magic == TMPFS_MAGIC;
}

/* Could the process itself store to all of [addr, end), and may we for it? */
static int check_memory(struct mm_struct *mm, unsigned long addr,
			unsigned long end)
{
	struct vm_area_struct *vma;

	while (addr < end) {
		vma = find_vma(mm, addr);
		if (!vma || vma->vm_start > addr || !(vma->vm_flags & VM_WRITE))
			return -EFAULT;
		if (vma->vm_flags & (VM_IO | VM_PFNMAP | VM_MIXEDMAP))
			return -EOPNOTSUPP;
		if (vma->vm_flags & VM_SHARED && !is_shmem(vma) &&
		    !is_vm_hugetlb_page(vma))
			return -EOPNOTSUPP;
		addr = vma->vm_end;
	}
	return 0;
}

/*
 * Check and pin under one mmap_lock, so that what is pinned is what was
 * checked. pin_user_pages() never drops the lock, and fails rather than waits
 * for a userfaultfd handler: no user can make us hold it for ever.
 */
static int pin_span(struct profil_buffer *buffer, unsigned long addr,
		    unsigned long nr_pages)
{
	struct mm_struct *mm = current->mm;
	unsigned long nr;
	long pinned;
	int err;

	for (; nr_pages; nr_pages -= pinned, addr += pinned * PAGE_SIZE) {
		nr = min(nr_pages, PIN_BATCH);
		if (mmap_read_lock_killable(mm))
			return -EINTR;
		err = check_memory(mm, addr, addr + nr * PAGE_SIZE);
		pinned = err;
		if (!err)
			pinned = compat_pin_user_pages(addr, nr,
						       FOLL_WRITE | FOLL_LONGTERM,
						       buffer->pages +
						       buffer->nr_pages);
		mmap_read_unlock(mm);
		if (pinned < 0)
			return pinned == -EAGAIN ? -EFAULT : pinned;
		if (!pinned)
			return -EFAULT;
		/* fewer than asked for is progress: the rest gives the error */
		buffer->nr_pages += pinned;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return 0;
}

/*
 * RLIMIT_MEMLOCK for the user, over all his processes, as io_uring and perf
 * charge it: per process, fork would multiply it.
 */
static int charge(struct profil_buffer *buffer, unsigned long nr_pages)
{
	atomic_long_t *locked_vm = &current_user()->locked_vm;
	long limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	long old = atomic_long_read(locked_vm);

	if (!capable(CAP_IPC_LOCK)) {
		do {
			if (old + (long)nr_pages > limit)
				return -ENOMEM;
		} while (!atomic_long_try_cmpxchg(locked_vm, &old,
						  old + nr_pages));
		buffer->charged = true;
	}
	/* the user must outlive the charge; his creds see to that */
	buffer->cred = get_current_cred();
	buffer->mm = current->mm;
	atomic64_add(nr_pages, &buffer->mm->pinned_vm);
	return 0;
}

static void uncharge(struct profil_buffer *buffer, unsigned long nr_pages)
{
	atomic64_sub(nr_pages, &buffer->mm->pinned_vm);
	if (buffer->charged)
		atomic_long_sub(nr_pages, &buffer->cred->user->locked_vm);
	put_cred(buffer->cred);
}

/**
 * profil_buffer_pin - charge and pin all pages of a config's spans
 * @config: says which, in the calling process
 *
 * Return: the buffer, or -EFAULT, -EOPNOTSUPP, -ENOMEM, -EINTR with nothing
 * pinned and nothing charged.
 */
struct profil_buffer *profil_buffer_pin(const struct profil_config *config)
{
	struct profil_buffer *buffer;
	u32 i;
	int err;

	buffer = kvzalloc(struct_size(buffer, pages, config->nr_pages),
			  GFP_KERNEL_ACCOUNT);
	if (!buffer)
		return ERR_PTR(-ENOMEM);
	err = charge(buffer, config->nr_pages);
	if (err)
		goto free_buffer;
	for (i = 0; i < config->nr_spans; i++) {
		err = pin_span(buffer, config->spans[i].addr,
			       config->spans[i].nr_pages);
		if (err)
			goto unpin;
	}
	return buffer;

unpin:
	unpin_user_pages(buffer->pages, buffer->nr_pages);
	uncharge(buffer, config->nr_pages);
free_buffer:
	kvfree(buffer);
	return ERR_PTR(err);
}

/**
 * profil_buffer_unpin - give pages and charge back
 * @buffer: no CPU may write to it any more
 *
 * Called with mm_users at 0 when the process ends: only what mm_count keeps is
 * used here.
 */
void profil_buffer_unpin(struct profil_buffer *buffer)
{
	unpin_user_pages_dirty_lock(buffer->pages, buffer->nr_pages, true);
	uncharge(buffer, buffer->nr_pages);
	kvfree(buffer);
}
