// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which memory may hold counters, and how to pin its pages so that a hard interrupt, which
 * cannot take a fault, can write to them.
 *
 * FOLL_LONGTERM keeps the pages out of the movable zone, and refuses memory whose pages must not be
 * pinned for long (DAX, secretmem). FOLL_WRITE breaks copy-on-write first, so that the pinned page
 * is the process's own. It stays that over fork, because the child gets a copy at once.
 *
 * These may be pinned: private mappings, whose written pages are anonymous (heap, stack, .bss, and
 * the private copy of a file's page in .data), shmem and hugetlb. Not shared mappings of files on
 * disk: their file system must be notified before each write, and a hard interrupt cannot do that.
 *
 * An absent page may take any time to arrive, since its file system may be the user's own
 * (FUSE). So pinning never waits for a page. A call of the process waits in
 * profil_pin_fault_in(), without locks, and can be killed. A worker does not wait at all: it
 * copies a file's page that is in memory, and starts to read one that is not.
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
#include "counters/pin.h"

/*
 * vma_is_shmem() is not exported. All shmem is on a tmpfs instance; so are device nodes,
 * but they are not regular files.
 */
static bool pin_is_shmem(struct vm_area_struct *vma)
{
	struct inode *inode;

	if (!vma->vm_file)
		return false;
	inode = file_inode(vma->vm_file);
	return S_ISREG(inode->i_mode) && inode->i_sb->s_magic == TMPFS_MAGIC;
}

/* Whether the file extends to @end in the mapping. A store beyond it raises SIGBUS. */
static bool pin_is_in_file(struct vm_area_struct *vma, unsigned long end)
{
	struct inode *inode;
	u64 last;

	if (!vma->vm_file)
		return true;
	inode = file_inode(vma->vm_file);
	last = ((u64)vma->vm_pgoff << PAGE_SHIFT) + (end - vma->vm_start);
	return !S_ISREG(inode->i_mode) || last <= PAGE_ALIGN((u64)i_size_read(inode));
}

/* Whether the kernel can pin pages of a mapping: for how long is not limited. */
static bool pin_is_possible(struct vm_area_struct *vma)
{
	if (vma->vm_flags & (VM_IO | VM_PFNMAP | VM_MIXEDMAP))
		return false;
	/* a file system may have to wait until nobody writes to a page of a shared mapping */
	return !(vma->vm_flags & VM_SHARED) || pin_is_shmem(vma) || is_vm_hugetlb_page(vma);
}

/**
 * profil_pin_check_kind - check that no writable memory in a range is of a kind without pins
 * @mm:    address space
 * @start: first address of the range
 * @end:   first address after it
 *
 * Return: 0 or -EOPNOTSUPP.
 */
int profil_pin_check_kind(struct mm_struct *mm, unsigned long start, unsigned long end)
{
	struct vm_area_struct *vma;

	mmap_assert_locked(mm);
	while (start < end) {
		vma = find_vma(mm, start);
		if (!vma || vma->vm_start >= end)
			return 0;
		if (vma->vm_flags & VM_WRITE && !pin_is_possible(vma))
			return -EOPNOTSUPP;
		start = vma->vm_end;
	}
	return 0;
}

/**
 * profil_pin_check - check that counters may lie in a range of memory
 * @mm:    address space
 * @start: first address of the range
 * @end:   first address after it
 *
 * The process must be able to store to all of it, and the kernel must be able to pin it.
 * Protection keys are ignored: they belong to a thread, but a profile to the process.
 *
 * Return: 0, -EFAULT or -EOPNOTSUPP.
 */
int profil_pin_check(struct mm_struct *mm, unsigned long start, unsigned long end)
{
	struct vm_area_struct *vma;

	mmap_assert_locked(mm);
	while (start < end) {
		vma = find_vma(mm, start);
		if (!vma || vma->vm_start > start || !(vma->vm_flags & VM_WRITE))
			return -EFAULT;
		if (!pin_is_possible(vma))
			return -EOPNOTSUPP;
		start = min(end, vma->vm_end);
		if (!pin_is_in_file(vma, start))
			return -EFAULT;
	}
	return 0;
}

/*
 * Whether a new page of anonymous memory would be charged to the process. A fault charges
 * the cgroup of mm->owner, or the root cgroup if there is no owner. The owner may exit right
 * after this check, but then the memory ends with it, and the charge too.
 */
static bool pin_has_owner(struct mm_struct *mm)
{
	struct mem_cgroup *memcg = compat_get_mem_cgroup_of(mm);

	mem_cgroup_put(memcg);
	return memcg || mem_cgroup_disabled();
}

/*
 * Whether an absent page of a mapping may be created. For anonymous memory and shmem, the
 * kernel allocates the page or reads it from swap, and FOLL_NOWAIT does not wait for that.
 * For a file, no flag prevents waiting for the read: see pin_read_file_page(). Hugetlb pages
 * are charged to the caller: a worker pins only pages that are present. (Before 6.5, hugetlb
 * ignores FOLL_NOFAULT: the page comes from the pool that the administrator has set up.)
 */
static bool pin_may_fault(struct vm_area_struct *vma)
{
	if (current->mm == vma->vm_mm)
		return vma_is_anonymous(vma) || pin_is_shmem(vma) || is_vm_hugetlb_page(vma);
	if (pin_is_shmem(vma))
		return compat_has_active_memcg() && compat_charges_file_pages();
	return vma_is_anonymous(vma) && pin_has_owner(vma->vm_mm);
}

/*
 * In a worker, make sure that the page of a file is in the page cache, so that a write fault of
 * a private mapping copies it without a read. .data lies in such a mapping, and so does the
 * start of .bss. The mapping has the file's page before the first write, and its parent's page
 * after a fork. The copy is charged to the process, as in a fault of its own.
 *
 * Another CPU can take the page from the page cache before the fault, for example by truncating the
 * file and extending it. The fault then waits for the file system. This is a device or a server
 * that the administrator has chosen, and the wait is like that of any access. A user's file system
 * could delay the worker for ever. So its pages are left to the process.
 *
 * Return: 0: it is in the page cache; -EINPROGRESS: it is being read; -EBUSY: the process must
 * fault it in.
 */
static int pin_read_file_page(struct vm_area_struct *vma, unsigned long addr)
{
	struct address_space *mapping;
	struct file_ra_state ra;
	bool locked, complete;
	struct page *page;
	pgoff_t index;

	if (!vma->vm_file || is_vm_hugetlb_page(vma) || pin_is_shmem(vma) ||
	    !pin_has_owner(vma->vm_mm))
		return -EBUSY;
	mapping = vma->vm_file->f_mapping;
	if (mapping->host->i_sb->s_type->fs_flags & FS_USERNS_MOUNT)
		return -EBUSY;

	index = linear_page_index(vma, addr);
	page = find_get_page(mapping, index);
	if (!page && compat_has_active_memcg() && compat_charges_file_pages()) {
		/*
		 * @ra is not the file's own, which belongs to its readers. One page, even
		 * on a file system that reads none ahead.
		 */
		file_ra_state_init(&ra, mapping);
		ra.ra_pages = max(ra.ra_pages, 1U);
		page_cache_sync_readahead(mapping, &ra, vma->vm_file, index, 1);
		page = find_get_page(mapping, index);
	}
	if (!page)
		return -EBUSY;
	locked = PageLocked(page);
	/* a read completes the page before it unlocks it, or it has failed; litmus: pin-page */
	smp_rmb();
	complete = PageUptodate(page);
	put_page(page);
	if (complete)
		return 0;
	return locked ? -EINPROGRESS : -EBUSY;
}

/*
 * What to do if a page is absent. Return: 0: a fault may create it; otherwise only a page that
 * is present may be pinned, and this is the error for one that is not: -EBUSY or, in a worker,
 * -EINPROGRESS.
 */
static int pin_error_if_absent(struct vm_area_struct *vma, unsigned long addr)
{
	if (pin_may_fault(vma))
		return 0;
	return current->mm == vma->vm_mm ? -EBUSY : pin_read_file_page(vma, addr);
}

/**
 * profil_pin_create_page - make sure that a page of shmem exists
 * @mapping: of the file
 * @index:   of the page
 *
 * May sleep, for memory and for the swap device. A page that is created outside a fault is
 * charged to the active memory cgroup.
 *
 * Return: the page, with a reference; -EFAULT: the file has become shorter; or another error.
 */
struct page *profil_pin_create_page(struct address_space *mapping, pgoff_t index)
{
	struct page *page = shmem_read_mapping_page_gfp(mapping, index, mapping_gfp_mask(mapping));

	/* beyond the end of a file, shmem returns -EINVAL, but a fault -EFAULT */
	return page == ERR_PTR(-EINVAL) ? ERR_PTR(-EFAULT) : page;
}

/*
 * In a worker, create a page of shmem before it is mapped. The page outlives the process, so
 * a fault, which may find no owner to charge, must not create it. No reference is kept: with one,
 * the kernel could not move the page out of CMA, where no page may be pinned for long. If the page
 * goes to swap meanwhile, the charge is on record there. Return: 0 or an error.
 */
static int pin_create_first(struct vm_area_struct *vma, unsigned long addr)
{
	struct page *page;

	if (current->mm == vma->vm_mm || !pin_is_shmem(vma) || userfaultfd_armed(vma))
		return 0;
	page = profil_pin_create_page(vma->vm_file->f_mapping, linear_page_index(vma, addr));
	if (IS_ERR(page))
		return PTR_ERR(page);
	put_page(page);
	return 0;
}

/**
 * profil_pin_pages - pin pages that counters may lie in, without waiting for them
 * @mm:    address space
 * @addr:  address of the first page
 * @nr:    number of pages; 1 in a worker
 * @pages: out
 *
 * Check and pin are done under one mmap_lock, so that exactly what was checked is pinned.
 *
 * Return: how many pages are pinned, from the first one on, at least 1; -EBUSY: the first
 * page must be faulted in; -EINPROGRESS, only in a worker: it is being read; -EFAULT: it is
 * not writable, or userfaultfd(2) must provide it; -EOPNOTSUPP, -ENOMEM and the like.
 */
long profil_pin_pages(struct mm_struct *mm, unsigned long addr,
		      unsigned long nr, struct page **pages)
{
	struct vm_area_struct *vma;
	unsigned int flags = FOLL_WRITE | FOLL_LONGTERM | FOLL_NOWAIT;
	int err, absent;
	long pinned;

	err = profil_pin_check(mm, addr, addr + nr * PAGE_SIZE);
	if (err)
		return err;
	/* the flags are for one mapping: the next call pins pages of the next one */
	vma = find_vma(mm, addr);
	nr = min(nr, (vma->vm_end - addr) >> PAGE_SHIFT);
	absent = pin_error_if_absent(vma, addr);
	if (absent) {
		if (current->mm != mm && !COMPAT_FOLL_NOFAULT)
			return absent;
		flags |= COMPAT_FOLL_NOFAULT;
	} else {
		err = pin_create_first(vma, addr);
		if (err)
			return err;
	}
	pinned = compat_pin_user_pages_remote(mm, addr, nr, flags, pages);
	if (pinned > 0)
		return pinned;
	/* for an absent page, FOLL_NOWAIT gives 0, and FOLL_NOFAULT -EFAULT */
	if (!pinned || pinned == -EAGAIN || pinned == -EBUSY ||
	    (pinned == -EFAULT && flags & COMPAT_FOLL_NOFAULT))
		return userfaultfd_armed(vma) ? -EFAULT : absent ?: -EBUSY;
	return pinned;
}

/**
 * profil_pin_fault_in - fault a page in, as a store by the process would
 * @mm:   address space of the caller
 * @addr: address of the page
 *
 * May sleep for as long as the page takes to arrive, like any fault, without mmap_lock. Can
 * be killed.
 *
 * Return: 0; -EINTR: the caller is being killed; or -EFAULT, -ENOMEM and the like.
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
