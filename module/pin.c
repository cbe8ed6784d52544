// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which memory may hold counters, and how its pages are pinned so that a hard
 * interrupt, which cannot take a fault, can write them.
 *
 * FOLL_LONGTERM keeps the pages out of the movable zone and refuses memory
 * whose pages must not be held (DAX, secretmem). FOLL_WRITE breaks copy-on-write
 * first, so that the page pinned is the process's own. It stays the one that
 * the process sees over fork: the child gets a copy at once.
 *
 * What may be pinned: private mappings, whose written pages are anonymous
 * (heap, stack, .bss, also the private copy of a file's page that .data is),
 * shmem and hugetlb. Not shared mappings of files on disk: their file system
 * must be notified before each write, which a tick cannot do.
 *
 * A page that is not there may take any time to come: its file system may be the
 * user's own (FUSE). So pinning itself never waits for one. A call of the process
 * waits in profil_pin_fault_in(), without locks, and can be killed. A worker does
 * not wait at all.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/hugetlb.h>
#include <linux/magic.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched/signal.h>
#include <linux/shmem_fs.h>
#include <linux/userfaultfd_k.h>

#include "compat.h"
#include "pin.h"

/*
 * vma_is_shmem() is not exported, but all shmem lives on a tmpfs instance; as do device
 * nodes, which are no regular files.
 */
static bool pin_is_shmem(struct vm_area_struct *vma)
{
	struct inode *inode;

	if (!vma->vm_file)
		return false;
	inode = file_inode(vma->vm_file);
	return S_ISREG(inode->i_mode) && inode->i_sb->s_magic == TMPFS_MAGIC;
}

/* A store beyond the end of the mapped file is a SIGBUS. */
static bool pin_is_in_file(struct vm_area_struct *vma, unsigned long end)
{
	struct inode *inode;
	u64 last;

	if (!vma->vm_file)
		return true;
	inode = file_inode(vma->vm_file);
	last = ((u64)vma->vm_pgoff << PAGE_SHIFT) + (end - vma->vm_start);
	return !S_ISREG(inode->i_mode) ||
	       last <= PAGE_ALIGN((u64)i_size_read(inode));
}

/**
 * profil_pin_check - whether counters may lie in a range of memory
 * @mm:    address space, with its mmap_lock
 * @start: range
 * @end:   first address after it
 *
 * Could the process itself store to all of it, and may we for it? Protection keys
 * do not matter: they are a thread's, and a profile is the process's. Return: 0,
 * -EFAULT or -EOPNOTSUPP.
 */
int profil_pin_check(struct mm_struct *mm, unsigned long start,
		     unsigned long end)
{
	struct vm_area_struct *vma;

	while (start < end) {
		vma = find_vma(mm, start);
		if (!vma || vma->vm_start > start || !(vma->vm_flags & VM_WRITE))
			return -EFAULT;
		if (vma->vm_flags & (VM_IO | VM_PFNMAP | VM_MIXEDMAP))
			return -EOPNOTSUPP;
		if (vma->vm_flags & VM_SHARED && !pin_is_shmem(vma) &&
		    !is_vm_hugetlb_page(vma))
			return -EOPNOTSUPP;
		start = min(end, vma->vm_end);
		if (!pin_is_in_file(vma, start))
			return -EFAULT;
	}
	return 0;
}

/*
 * Whether a page of anonymous memory that is made now is charged to the process: a fault
 * charges the cgroup of mm->owner, and the root's if there is none. The owner may leave
 * just then, and the memory, with what the root's has paid, ends with it.
 */
static bool pin_has_owner(struct mm_struct *mm)
{
	struct mem_cgroup *memcg = compat_get_mem_cgroup_of(mm);

	mem_cgroup_put(memcg);
	return memcg || mem_cgroup_disabled();
}

/*
 * Whether a page of a mapping may be made where it is absent. Of anonymous memory and
 * shmem the kernel itself makes it, or reads it from swap, which FOLL_NOWAIT does not
 * wait for. With a file there is a read that no flag keeps from waiting, and hugetlb
 * pages are charged to the caller: a worker takes only those that are present. (Before
 * 6.5, hugetlb ignores FOLL_NOFAULT: the page comes from the pool that the administrator
 * has set up.)
 */
static bool pin_may_fault(struct vm_area_struct *vma)
{
	if (current->mm == vma->vm_mm)
		return vma_is_anonymous(vma) || pin_is_shmem(vma) ||
		       is_vm_hugetlb_page(vma);
	if (pin_is_shmem(vma))
		return compat_has_active_memcg();
	return vma_is_anonymous(vma) && pin_has_owner(vma->vm_mm);
}

/**
 * profil_pin_make - have a page of shmem exist
 * @mapping: of the file
 * @index:   of the page
 *
 * May sleep, for memory and the swap's disk. A page that is made outside a fault is charged
 * to the active memory cgroup. Return: the page, with a reference; -EFAULT: the file has
 * become shorter; or another error.
 */
struct page *profil_pin_make(struct address_space *mapping, pgoff_t index)
{
	struct page *page = shmem_read_mapping_page_gfp(mapping, index,
							mapping_gfp_mask(mapping));

	/* what lies beyond the end of a file is -EINVAL to shmem, and to a fault -EFAULT */
	return page == ERR_PTR(-EINVAL) ? ERR_PTR(-EFAULT) : page;
}

/*
 * In a worker, have a page of shmem exist before it is mapped: it would stay when the
 * process has gone, so that a fault, which may find no owner, must not make it. Return: the
 * page, with a reference; NULL: a fault brings it; or an error.
 */
static struct page *pin_make_first(struct vm_area_struct *vma,
				   unsigned long addr)
{
	if (current->mm == vma->vm_mm || !pin_is_shmem(vma) ||
	    userfaultfd_armed(vma))
		return NULL;
	return profil_pin_make(vma->vm_file->f_mapping,
			       linear_page_index(vma, addr));
}

/**
 * profil_pin_pages - pin pages that counters may lie in, without a wait for them
 * @mm:    address space, with its mmap_lock
 * @addr:  of the first page
 * @nr:    how many pages; 1 in a worker
 * @pages: out
 *
 * Check and pin are done under one mmap_lock, so that what is pinned is what was
 * checked. Return: how many pages are pinned, from the first on, at least 1; -EBUSY:
 * the first has to be brought first; -EFAULT: it cannot be written, or it is for
 * userfaultfd(2) to bring; -EOPNOTSUPP, -ENOMEM and the like.
 */
long profil_pin_pages(struct mm_struct *mm, unsigned long addr,
		      unsigned long nr, struct page **pages)
{
	struct vm_area_struct *vma;
	unsigned int flags = FOLL_WRITE | FOLL_LONGTERM | FOLL_NOWAIT;
	struct page *made = NULL;
	long pinned;
	int err;

	err = profil_pin_check(mm, addr, addr + nr * PAGE_SIZE);
	if (err)
		return err;
	/* flags are a mapping's: pages of the next one are for the next call */
	vma = find_vma(mm, addr);
	nr = min(nr, (vma->vm_end - addr) >> PAGE_SHIFT);
	if (pin_may_fault(vma))
		made = pin_make_first(vma, addr);
	else if (COMPAT_FOLL_NOFAULT || current->mm == mm)
		flags |= COMPAT_FOLL_NOFAULT;
	else
		return -EBUSY;
	if (IS_ERR(made))
		return PTR_ERR(made);
	pinned = compat_pin_user_pages_remote(mm, addr, nr, flags, pages);
	if (made)
		put_page(made);
	if (pinned > 0)
		return pinned;
	/* an absent page is 0 with FOLL_NOWAIT, and -EFAULT with FOLL_NOFAULT */
	if (!pinned || pinned == -EAGAIN || pinned == -EBUSY ||
	    (pinned == -EFAULT && flags & COMPAT_FOLL_NOFAULT))
		return userfaultfd_armed(vma) ? -EFAULT : -EBUSY;
	return pinned;
}

/**
 * profil_pin_fault_in - bring a page, as a store by the process would
 * @mm:   address space of the caller
 * @addr: of the page
 *
 * May sleep for as long as the page takes to come, like any fault: without mmap_lock,
 * and until the process is killed. Return: 0; -EINTR: it is being killed; or -EFAULT,
 * -ENOMEM and the like.
 */
int profil_pin_fault_in(struct mm_struct *mm, unsigned long addr)
{
	bool unlocked = false;
	int err;

	if (mmap_read_lock_killable(mm))
		return -EINTR;
	err = profil_pin_check(mm, addr, addr + PAGE_SIZE);
	if (!err)
		err = fixup_user_fault(mm, addr, FAULT_FLAG_WRITE, &unlocked);
	mmap_read_unlock(mm);
	if (fatal_signal_pending(current))
		return -EINTR;
	return err;
}
