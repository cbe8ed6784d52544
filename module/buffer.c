// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pinning: how the pages that hold a session's counters are made safe to write
 * from hard interrupt context, where no fault can be taken.
 *
 * The pin is for memory safety: a pinned page is not freed, whatever the process
 * does. The notifier is for meaning: it tells when a pinned page is not the one
 * any more that the process sees (notifier.c). Neither would do alone.
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
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/hugetlb.h>
#include <linux/magic.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "buffer.h"
#include "compat.h"
#include "config.h"
#include "notifier.h"
#include "totals.h"

/* Pages pinned in one go, with mmap_lock held and nobody able to kill us. */
#define PIN_BATCH	512UL

/* Pages taken out in one go. */
#define UNPIN_BATCH	16

/*
 * Times that a page is tried: pinning one that is shared since a fork copies it,
 * and is itself a change of the memory map; more must come from others.
 */
#define PIN_TRIES	8

/* Index entries looked at with the lock held, before others get a chance. */
#define SCAN_BATCH	1024

#define STALE_MARK	XA_MARK_0

/*
 * vma_is_shmem() is not exported, but all shmem lives on a tmpfs instance; as do device
 * nodes, which are no regular files.
 */
static bool is_shmem(struct vm_area_struct *vma)
{
	struct inode *inode;

	if (!vma->vm_file)
		return false;
	inode = file_inode(vma->vm_file);
	return S_ISREG(inode->i_mode) && inode->i_sb->s_magic == TMPFS_MAGIC;
}

/* A store behind the end of the mapped file is a SIGBUS. */
static bool in_file(struct vm_area_struct *vma, unsigned long end)
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

/*
 * Could the process itself store to all of [addr, end), and may we for it?
 * Protection keys are not asked: they are a thread's, and a profile is the
 * process's. Under mmap_lock.
 */
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
		addr = min(end, vma->vm_end);
		if (!in_file(vma, addr))
			return -EFAULT;
	}
	return 0;
}

/**
 * profil_buffer_init - a buffer without pages
 * @buffer: zeroed
 * @mm:     address space
 * @config: the session's
 *
 * Any context.
 */
void profil_buffer_init(struct profil_buffer *buffer, struct mm_struct *mm,
			const struct profil_config *config)
{
	xa_init_flags(&buffer->pages, XA_FLAGS_ACCOUNT);
	buffer->mm = mm;
	buffer->config = config;
}

/**
 * profil_buffer_watch - be told of changes to the memory map from here on
 * @buffer: of an address space with users
 *
 * May sleep. The subscription spans the whole address space, not only the
 * counters: it is also how fork and the end of the address space are met.
 * Return: 0, -ENOMEM, or -EINTR if the caller has a signal pending.
 */
int profil_buffer_watch(struct profil_buffer *buffer)
{
	int err;

	if (buffer->watched)
		return 0;
	err = mmu_interval_notifier_insert(&buffer->notifier, buffer->mm, 0,
					   ULONG_MAX, &profil_notifier_ops);
	if (err)
		return err;
	/*
	 * During an invalidation the insertion is put off until that ends, which
	 * this waits for. Else the address space could end before it (ksmd's
	 * and khugepaged's hold no mm_users), and we were not told.
	 */
	mmu_interval_read_begin(&buffer->notifier);
	buffer->watched = true;
	return 0;
}

/**
 * profil_buffer_check - whether all counters lie in memory as they should
 * @buffer: buffer
 *
 * May sleep. With PROFIL_CHECK_ON_HIT only pinning asks. Return: 0, -EFAULT,
 * -EOPNOTSUPP, or -EINTR if the caller is being killed.
 */
int profil_buffer_check(struct profil_buffer *buffer)
{
	const struct profil_config *config = buffer->config;
	int err = 0;
	u32 i;

	if (config->flags & PROFIL_CHECK_ON_HIT)
		return 0;
	if (mmap_read_lock_killable(buffer->mm))
		return -EINTR;
	for (i = 0; i < config->nr_spans && !err; i++) {
		const struct profil_span *span = &config->spans[i];

		err = check_memory(buffer->mm, span->addr,
				   span->addr + span->nr_pages * PAGE_SIZE);
	}
	mmap_read_unlock(buffer->mm);
	return err;
}

/* Room in the index, so that nothing is allocated under its lock later. */
static int reserve(struct profil_buffer *buffer, unsigned long index,
		   unsigned long nr)
{
	unsigned long i;
	int err = 0;

	for (i = 0; i < nr && !err; i++)
		err = xa_reserve(&buffer->pages, index + i, GFP_KERNEL);
	return err;
}

static void unreserve(struct profil_buffer *buffer, unsigned long index,
		      unsigned long nr)
{
	for (; nr; nr--, index++)
		xa_release(&buffer->pages, index);
}

/* Unpin pages that are in no index any more. May sleep. */
static void unpin(struct profil_buffer *buffer, struct page **pages,
		  unsigned long nr)
{
	unpin_user_pages_dirty_lock(pages, nr, true);
	atomic64_sub(nr, &buffer->mm->pinned_vm);
	atomic_long_sub(nr, &profil_totals[PROFIL_PINNED_PAGES]);
	buffer->pinned -= nr;
}

/*
 * Put pages into the index, unless the memory map has changed since @seq, so
 * that they may not be the process's any more.
 */
static bool install(struct profil_buffer *buffer, unsigned long index,
		    struct page **pages, unsigned long nr, unsigned long seq)
{
	unsigned long i;

	xa_lock(&buffer->pages);
	if (mmu_interval_read_retry(&buffer->notifier, seq)) {
		xa_unlock(&buffer->pages);
		return false;
	}
	for (i = 0; i < nr; i++)
		__xa_store(&buffer->pages, index + i, pages[i], 0);
	xa_unlock(&buffer->pages);
	return true;
}

/*
 * Pin @nr pages from @addr on, which are absent from the index. Check and pin
 * under one mmap_lock, so that what is pinned is what was checked. The lock is
 * never dropped in between, and a page that userfaultfd has to bring is an error,
 * not a wait for its handler. A page that a file system has to bring is waited for, as
 * the process would, and with its mmap_lock: of ours that holds up only what is the same
 * user's (user.c).
 */
static long check_and_pin(struct profil_buffer *buffer, unsigned long addr,
			  unsigned long index, unsigned long nr,
			  struct page **pages)
{
	struct mm_struct *mm = buffer->mm;
	unsigned long seq;
	long pinned;

	/* if there is not room for all of them, there may be for some */
	pinned = reserve(buffer, index, nr);
	if (pinned)
		goto unreserve;
	seq = mmu_interval_read_begin(&buffer->notifier);
	pinned = -EINTR;
	if (mmap_read_lock_killable(mm))
		goto unreserve;
	pinned = check_memory(mm, addr, addr + nr * PAGE_SIZE);
	if (!pinned)
		pinned = compat_pin_user_pages_remote(mm, addr, nr,
						      FOLL_WRITE | FOLL_LONGTERM,
						      pages);
	mmap_read_unlock(mm);
	if (pinned <= 0) {
		pinned = !pinned || pinned == -EAGAIN ? -EFAULT : pinned;
		goto unreserve;
	}
	buffer->pinned += pinned;
	atomic64_add(pinned, &mm->pinned_vm);
	atomic_long_add(pinned, &profil_totals[PROFIL_PINNED_PAGES]);
	if (!install(buffer, index, pages, pinned, seq)) {
		unpin(buffer, pages, pinned);
		pinned = -EAGAIN;
		goto unreserve;
	}
	/* fewer than asked for is progress: the rest gives the error */
	unreserve(buffer, index + pinned, nr - pinned);
	return pinned;

unreserve:
	unreserve(buffer, index, nr);
	return pinned;
}

/*
 * The same, also in a worker, which has no memory cgroup: what is allocated, page tables
 * too, is the process's. Return: how many; -EAGAIN: the memory map has changed meanwhile;
 * or an error.
 */
static long pin_pages(struct profil_buffer *buffer, unsigned long addr,
		      unsigned long index, unsigned long nr, struct page **pages)
{
	struct mem_cgroup *memcg = get_mem_cgroup_from_mm(buffer->mm);
	struct mem_cgroup *old = compat_set_active_memcg(memcg);
	long pinned = check_and_pin(buffer, addr, index, nr, pages);

	compat_set_active_memcg(old);
	mem_cgroup_put(memcg);
	return pinned;
}

/**
 * profil_buffer_pin_all - charge and pin every page, at the start of a profile
 * @buffer: watched, without pages
 *
 * May sleep. Return: 0, -EFAULT, -EOPNOTSUPP, -ENOMEM or -EINTR; then the caller
 * takes out what is in.
 */
int profil_buffer_pin_all(struct profil_buffer *buffer)
{
	const struct profil_config *config = buffer->config;
	struct page **pages;
	long pinned = 0;
	int err;
	u32 i;

	err = profil_charge_pages(&config->rights, config->nr_pages);
	if (err)
		return err;
	buffer->charged = config->nr_pages;
	pages = kvmalloc_array(min(config->nr_pages, PIN_BATCH), sizeof(*pages),
			       GFP_KERNEL);
	if (!pages)
		return -ENOMEM;
	for (i = 0; i < config->nr_spans && !err; i++) {
		const struct profil_span *span = &config->spans[i];
		unsigned long done = 0;

		while (done < span->nr_pages && !err) {
			pinned = pin_pages(buffer, span->addr + done * PAGE_SIZE,
					   (span->place >> PAGE_SHIFT) + done,
					   min(span->nr_pages - done, PIN_BATCH),
					   pages);
			if (pinned > 0)
				done += pinned;
			else if (pinned != -EAGAIN)
				err = pinned;
			if (fatal_signal_pending(current))
				err = -EINTR;
			cond_resched();
		}
	}
	kvfree(pages);
	return err;
}

/* Take up to UNPIN_BATCH pages out of the index. Return: how many. */
static unsigned int take_out(struct profil_buffer *buffer, bool only_stale,
			     struct page **pages)
{
	XA_STATE(xas, &buffer->pages, 0);
	unsigned int nr = 0;
	void *entry;

	xas_lock(&xas);
	while (nr < UNPIN_BATCH) {
		entry = only_stale ?
			xas_find_marked(&xas, ULONG_MAX, STALE_MARK) :
			xas_find(&xas, ULONG_MAX);
		if (!entry)
			break;
		if (xa_pointer_tag(entry) == PROFIL_STALE)
			WRITE_ONCE(buffer->nr_stale, buffer->nr_stale - 1);
		pages[nr++] = xa_untag_pointer(entry);
		xas_store(&xas, NULL);
	}
	xas_unlock(&xas);
	return nr;
}

static void take_out_and_unpin(struct profil_buffer *buffer, bool only_stale)
{
	struct page *pages[UNPIN_BATCH];
	unsigned int nr;

	do {
		nr = take_out(buffer, only_stale, pages);
		unpin(buffer, pages, nr);
		if (only_stale && buffer->config->flags & PROFIL_PIN_ON_HIT) {
			buffer->charged -= nr;
			profil_uncharge_pages(&buffer->config->rights, nr);
		}
		cond_resched();
	} while (nr == UNPIN_BATCH);
}

/**
 * profil_buffer_pin - pin the page that a sample waits for
 * @buffer: watched
 * @index:  the page's number among the pages of all spans
 *
 * May sleep. Return: 0; -EAGAIN: the memory map changes all the time; -ENOMEM: the
 * user's limit, or no memory; -EINTR: the caller is being killed; or what ends
 * the profile: -EFAULT, -EOPNOTSUPP and the like.
 */
int profil_buffer_pin(struct profil_buffer *buffer, unsigned long index)
{
	const struct profil_config *config = buffer->config;
	bool charge = config->flags & PROFIL_PIN_ON_HIT;
	unsigned int tries = 0;
	void *entry = xa_load(&buffer->pages, index);
	struct page *page;
	long pinned;
	int err;

	if (entry && !xa_pointer_tag(entry))
		return 0;
	/*
	 * It may be going stale just now: out with it, whatever @nr_stale says
	 * so far; this takes the lock under which all of that is done. Once out,
	 * it stays out, as only we put pages in.
	 */
	if (entry)
		take_out_and_unpin(buffer, true);
	if (charge) {
		err = profil_charge_pages(&config->rights, 1);
		if (err)
			return err;
		buffer->charged++;
	}
	do {
		pinned = pin_pages(buffer, profil_config_address(config, index),
				   index, 1, &page);
	} while (pinned == -EAGAIN && ++tries < PIN_TRIES);
	if (pinned > 0)
		return 0;
	if (charge) {
		buffer->charged--;
		profil_uncharge_pages(&config->rights, 1);
	}
	return pinned;
}

/**
 * profil_buffer_sweep - unpin the pages that the process does not see any more
 * @buffer: buffer
 *
 * May sleep. A CPU may be writing to one of them still, if its notifier has not waited
 * for that yet: until it has, the mapping that it is about keeps the page. If the whole
 * buffer was charged at the start, it stays so: its pages will be pinned again.
 */
void profil_buffer_sweep(struct profil_buffer *buffer)
{
	if (READ_ONCE(buffer->nr_stale))
		take_out_and_unpin(buffer, true);
}

/**
 * profil_buffer_unpin_all - give all pages and the charge back
 * @buffer: no CPU may write to it any more
 *
 * May sleep. Called with mm_users at 0 when the process ends: only what mm_count
 * keeps is used here.
 */
void profil_buffer_unpin_all(struct profil_buffer *buffer)
{
	take_out_and_unpin(buffer, false);
	profil_uncharge_pages(&buffer->config->rights, buffer->charged);
	buffer->charged = 0;
}

/**
 * profil_buffer_writable - whether the counters in a range can still be stored to
 * @buffer: buffer
 * @start:  range that was changed,
 * @end:    which the caller, who holds mmap_lock, has done already
 */
bool profil_buffer_writable(struct profil_buffer *buffer, unsigned long start,
			    unsigned long end)
{
	const struct profil_config *config = buffer->config;
	u32 i = profil_config_span_behind(config, start);

	for (; i < config->nr_spans && config->spans[i].addr < end; i++) {
		const struct profil_span *span = &config->spans[i];

		if (check_memory(buffer->mm, max(start, span->addr),
				 min(end, span->addr +
					  span->nr_pages * PAGE_SIZE)))
			return false;
	}
	return true;
}

/* Tag the pages from @index to @last. Holds up others only for SCAN_BATCH. */
static void go_stale(struct profil_buffer *buffer, unsigned long index,
		     unsigned long last)
{
	XA_STATE(xas, &buffer->pages, index);
	unsigned int scanned = 0;
	void *entry;

	xas_lock(&xas);
	xas_for_each(&xas, entry, last) {
		/* else it is only reserved, or stale since earlier */
		if (!xa_is_zero(entry) && !xa_pointer_tag(entry)) {
			xas_store(&xas, xa_tag_pointer(entry, PROFIL_STALE));
			xas_set_mark(&xas, STALE_MARK);
			WRITE_ONCE(buffer->nr_stale, buffer->nr_stale + 1);
		}
		if (++scanned % SCAN_BATCH == 0) {
			xas_pause(&xas);
			xas_unlock(&xas);
			xas_lock(&xas);
		}
	}
	xas_unlock(&xas);
}

/**
 * profil_buffer_invalidate - let go of pages that are being replaced
 * @buffer: buffer
 * @start:  range of user addresses
 * @end:    first address behind it
 * @seq:    of the notifier
 *
 * Does not sleep (but for the index's lock on PREEMPT_RT), and neither pins nor
 * unpins: that is left to whoever holds service_mutex. A CPU that has looked a
 * page up before may be writing to it: the caller waits for those. Return: whether
 * the range holds counters.
 */
bool profil_buffer_invalidate(struct profil_buffer *buffer, unsigned long start,
			      unsigned long end, unsigned long seq)
{
	const struct profil_config *config = buffer->config;
	u32 i = profil_config_span_behind(config, start);

	if (i == config->nr_spans || config->spans[i].addr >= end)
		return false;
	/*
	 * Who is pinning starts over. Not so for a range without counters,
	 * whatever the comment at mmu_interval_set_seq() asks for: nobody looks
	 * there, and all that malloc() does should not hold pinning up.
	 */
	xa_lock(&buffer->pages);
	mmu_interval_set_seq(&buffer->notifier, seq);
	xa_unlock(&buffer->pages);

	for (; i < config->nr_spans && config->spans[i].addr < end; i++) {
		const struct profil_span *span = &config->spans[i];
		unsigned long first = span->place >> PAGE_SHIFT;
		unsigned long last = first + span->nr_pages - 1;

		if (end < span->addr + span->nr_pages * PAGE_SIZE)
			last = first + ((end - 1 - span->addr) >> PAGE_SHIFT);
		if (start > span->addr)
			first += (start - span->addr) >> PAGE_SHIFT;
		go_stale(buffer, first, last);
	}
	return true;
}
