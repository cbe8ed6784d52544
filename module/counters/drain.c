// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts samples that are still pending when their address space ends, because the process
 * ended before the worker pinned their pages. Called by lifecycle.c. Counters in private
 * memory end with it. Counters in shared memory remain: each is in a page of a file, whether
 * or not this process has mapped the page.
 *
 * mm_users is 0, so no fault is possible, and the page is taken from the file. If the page does not
 * exist yet, it is created, and the cgroup of the process is charged. This is done by the exiting
 * process, or by the worker if that held the last reference to the memory. Another process that
 * held the last reference does not create pages. Nor does any if the kernel cannot charge them.
 */
#include <linux/errno.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched.h>

#include "compat.h"
#include "counters/config.h"
#include "counters/drain.h"
#include "counters/pending.h"
#include "counters/pin.h"
#include "counters/sampler.h"
#include "counters/session.h"

/*
 * Create a page of shmem, or read it from swap, in the exiting thread. The thread has no
 * memory any more, which usually determines the cgroup to charge. Return: the page, with a
 * reference; an error; or NULL: it cannot be charged.
 */
static struct page *drain_create_page(struct address_space *mapping, pgoff_t index)
{
	struct mem_cgroup *memcg = compat_get_mem_cgroup_of_current();
	struct mem_cgroup *old = compat_set_active_memcg(memcg);
	struct page *page;

	page = compat_charges_file_pages() ?
	       profil_pin_create_page(mapping, index) :
	       find_get_page(mapping, index);
	compat_set_active_memcg(old);
	mem_cgroup_put(memcg);
	return page;
}

/* Get the page of a shared mapping at an address, with a reference; or NULL. */
static struct page *drain_get_page(struct profil_session *session, unsigned long addr)
{
	struct vm_area_struct *vma = find_vma(session->mm, addr);
	struct address_space *mapping;
	struct page *page;
	pgoff_t index;

	if (!vma || !(vma->vm_flags & VM_SHARED) || is_vm_hugetlb_page(vma) ||
	    profil_pin_check(session->mm, addr, addr + PAGE_SIZE))
		return NULL;
	mapping = vma->vm_file->f_mapping;
	index = linear_page_index(vma, addr);
	if (session->tgid == current->tgid)
		page = drain_create_page(mapping, index);
	else if (current->flags & PF_WQ_WORKER && compat_has_active_memcg() &&
		 compat_charges_file_pages())
		page = profil_pin_create_page(mapping, index);
	else
		page = find_get_page(mapping, index);
	return IS_ERR(page) ? NULL : page;
}

/* Return: false if the sample cannot be counted. */
static bool drain_count_one(struct profil_session *session, const struct profil_sample *sample)
{
	unsigned long addr = profil_config_address(profil_session_config(session),
						   sample->buf_offset >> PAGE_SHIFT);
	struct page *page = drain_get_page(session, addr);
	bool counted = false;

	if (!page)
		return false;
	lock_page(page);
	/* not if the file has been truncated */
	if (page->mapping && PageUptodate(page)) {
		counted = profil_sampler_count_in(session, page, sample, &session->settled);
		set_page_dirty(page);
	}
	unlock_page(page);
	put_page(page);
	return counted;
}

/**
 * profil_drain_pending - count the pending samples of an address space that ends
 * @session: unpublished. mm_users is 0, but the mappings still exist
 *
 * May sleep. Samples that cannot be counted are lost.
 */
void profil_drain_pending(struct profil_session *session)
{
	struct profil_sample sample;

	mmap_assert_locked(session->mm);
	lockdep_assert_held(&session->service_mutex);
	while (profil_pending_first(&session->pending, &sample)) {
		if (test_bit(SESSION_FAULTED, &session->flags) ||
		    !drain_count_one(session, &sample))
			profil_session_lose(session, &session->settled, sample.samples, ESRCH);
		profil_pending_done(&session->pending, sample.samples);
	}
}
