// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples that still wait when their address space ends: a process may end before a
 * worker has come to pin the page of its last sample. Private memory ends with it, and
 * its counters with nobody to read them. Shared memory stays: there the counter is in a
 * page of the file, whether or not this process has it mapped.
 *
 * mm_users is 0, so that no fault is taken any more. The page is taken from the file.
 * Where it does not exist yet, the exiting process makes it, or a worker that has been
 * here, and the cgroup of the process is charged. Another process that held the memory
 * last makes none.
 */
#include <linux/errno.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched.h>

#include "compat.h"
#include "config.h"
#include "drain.h"
#include "pin.h"
#include "sampler.h"
#include "session.h"
#include "pending.h"

/*
 * Make a page of shmem, or read it from swap. The exiting thread has no memory any more
 * that would say which cgroup to charge. Return: the page, with a reference, or an error.
 */
static struct page *drain_make(struct address_space *mapping, pgoff_t index)
{
	struct mem_cgroup *memcg = compat_get_mem_cgroup_of_current();
	struct mem_cgroup *old = compat_set_active_memcg(memcg);
	struct page *page = profil_pin_make(mapping, index);

	compat_set_active_memcg(old);
	mem_cgroup_put(memcg);
	return page;
}

/* The page of a shared mapping at an address, with a reference; or NULL. */
static struct page *drain_page(struct profil_session *session,
			       unsigned long addr)
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
		page = drain_make(mapping, index);
	else if (current->flags & PF_WQ_WORKER && compat_has_active_memcg())
		page = profil_pin_make(mapping, index);
	else
		page = find_get_page(mapping, index);
	return IS_ERR(page) ? NULL : page;
}

static bool drain_count_one(struct profil_session *session,
			    const struct profil_sample *sample)
{
	unsigned long addr = profil_config_address(session->config,
						   sample->buf_offset >> PAGE_SHIFT);
	struct page *page = drain_page(session, addr);
	bool counted = false;

	if (!page)
		return false;
	lock_page(page);
	/* else the file has been truncated meanwhile */
	if (page->mapping && PageUptodate(page)) {
		counted = profil_sampler_count_in(session, page, sample,
						  &session->settled);
		set_page_dirty(page);
	}
	unlock_page(page);
	put_page(page);
	return counted;
}

/**
 * profil_drain_pending - count what still waits, where the address space ends
 * @session: withdrawn, with mmap_lock and its service_mutex; mm_users is 0, and its
 *           mappings are there
 *
 * May sleep. What cannot be counted is lost.
 */
void profil_drain_pending(struct profil_session *session)
{
	struct profil_sample sample;

	while (profil_pending_first(&session->pending, &sample)) {
		if (test_bit(PROFIL_FAULTED, &session->flags) ||
		    !drain_count_one(session, &sample))
			profil_session_lose(session, &session->settled,
					    sample.samples, ESRCH);
		profil_pending_done(&session->pending, sample.samples);
	}
}
