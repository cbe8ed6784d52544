// SPDX-License-Identifier: GPL-2.0-only
/*
 * Changes to a profiled address space that the kernel reports, and what they mean for its
 * counters:
 *
 *	event			sent by				counters
 *	UNMAP			munmap, mremap, MAP_FIXED	profile stops
 *	PROTECTION_VMA		mprotect to read-only		profile stops
 *				NUMA hints, userfaultfd		no change
 *	PROTECTION_PAGE		fork, write-back		no change
 *	SOFT_DIRTY		/proc/PID/clear_refs		no change
 *	CLEAR and all others	madvise, truncation, KSM,	stale: pinned again
 *				migration, THP			at the next hit
 *	RELEASE			exit, exec			session ends
 *
 * No change: the process still maps the page that is pinned. This is true for fork too,
 * which copies a pinned page for the child at once.
 *
 * Stale: the memory may also be gone, for example if a file was truncated. So all samples of
 * the session stay pending until the worker has checked that the memory is still there.
 *
 * With PROFIL_CHECK_ON_HIT, an event that would stop the profile only makes the counters
 * stale. The profile stops when a later hit finds that they cannot be pinned any more.
 *
 * Older kernels (6.1) send UNMAP also for hugetlb pages that are only discarded. On those
 * kernels that stops the profile, because the callback cannot distinguish the two cases.
 *
 * Except for "no change", the kernel must not continue while a CPU still writes to the old
 * page. So the callback waits for each CPU that may have looked the page up before
 * (profil_cpus_barrier(): a few instructions each). It waits for nothing else, and in
 * particular not for the service_mutex: its holder may be pinning, and so be waiting for a
 * lock that our caller holds. Therefore events that must not block (from the OOM killer) are
 * handled like all others. Only RELEASE takes the service_mutex: nothing can be pinning then.
 */
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>

#include "compat.h"
#include "counters/buffer.h"
#include "counters/config.h"
#include "counters/notifier.h"
#include "counters/session.h"
#include "counters/table.h"

/* Delay until the worker unpins stale pages: a few milliseconds. */
#define UNPIN_DELAY	(1 + HZ / 250)

/* How often, and for how many microseconds, a subscription waits for page faults to end. */
#define FAULT_WAITS	10
#define FAULT_US	50

static bool notifier_invalidate(struct mmu_interval_notifier *notifier,
				const struct mmu_notifier_range *range,
				unsigned long seq)
{
	struct profil_buffer *buffer =
		container_of(notifier, struct profil_buffer, notifier);
	struct profil_session *session =
		container_of(buffer, struct profil_session, buffer);
	bool on_hit = profil_session_config(session)->flags & PROFIL_CHECK_ON_HIT;
	bool fault = false;

	/* no CPU samples any more, and all pages are unpinned, or will be soon */
	if (range->event != MMU_NOTIFY_RELEASE && READ_ONCE(session->unpinned))
		return true;

	switch (range->event) {
	case MMU_NOTIFY_RELEASE:
		session->release(session);
		return true;
	case MMU_NOTIFY_PROTECTION_PAGE:
	case MMU_NOTIFY_SOFT_DIRTY:
		return true;
	case MMU_NOTIFY_PROTECTION_VMA:
		/* all senders hold mmap_lock, and have set the flags of the VMA */
		if (!profil_buffer_check(buffer, range->start, range->end))
			return true;
		fault = !on_hit;
		break;
	case MMU_NOTIFY_UNMAP:
		fault = !on_hit;
		break;
	default:
		break;
	}

	if (!profil_buffer_invalidate(buffer, range->start, range->end, seq))
		return true;
	if (fault)
		profil_session_stop(session, PROFIL_STATE_FAULT, EFAULT);
	else
		profil_session_recheck(session);
	profil_cpus_barrier(&session->cpus);
	/*
	 * Let the worker unpin the pages. Because of the delay, a process that changes its
	 * memory all the time does not keep a worker busy.
	 */
	profil_session_kick_later(session, UNPIN_DELAY);
	return true;
}

static const struct mmu_interval_notifier_ops notifier_ops = {
	.invalidate = notifier_invalidate,
};

/* Whether the address space has a subscription already: then another one takes no locks. */
static bool notifier_is_first(struct mm_struct *mm)
{
	struct profil_session *other;
	bool first;

	/* a session holds its address space; a watched one has subscribed before */
	rcu_read_lock();
	other = profil_table_find(mm);
	first = !other || !READ_ONCE(other->buffer.watched);
	rcu_read_unlock();
	return first;
}

/* Return: false if a page fault in the mapping does not end within what is left of @waits. */
static bool notifier_lock_mapping(struct vm_area_struct *vma, unsigned int *waits)
{
	compat_vma_keep_faults_out(vma);
	while (!compat_vma_try_write_lock(vma)) {
		if (!*waits)
			return false;
		--*waits;
		usleep_range(FAULT_US, 2 * FAULT_US);
	}
	return true;
}

/*
 * Lock all mappings for writing, until mmap_lock is unlocked or downgraded. Most page faults end
 * within microseconds. But one may wait for as long as the file system likes, and that may be a
 * user's own. Return: false if there is such a one.
 */
static bool notifier_lock_mappings(struct profil_session *session)
{
	struct mm_struct *mm = session->mm;
	unsigned int waits = FAULT_WAITS;
	struct vma_iterator mappings;
	struct vm_area_struct *vma;

	if (!IS_ENABLED(CONFIG_PER_VMA_LOCK))
		return true;
	/* the mapping that had a fault the last time comes first: there may be many others */
	vma = find_vma(mm, session->faulting);
	if (vma && !notifier_lock_mapping(vma, &waits))
		return false;
	vma_iter_init(&mappings, mm, 0);
	while ((vma = vma_next(&mappings))) {
		if (!notifier_lock_mapping(vma, &waits)) {
			session->faulting = vma->vm_start;
			return false;
		}
	}
	return true;
}

/**
 * profil_notifier_watch - start watching the memory map
 * @session: of an address space that has users
 *
 * May sleep, for locks that the kernel holds briefly, and a millisecond for page faults. The
 * subscription covers the whole address space, not only the counters, because it also reports
 * the end of the address space.
 *
 * The first subscription of an address space takes the locks of all its mappings, and holds a
 * mutex of the whole machine meanwhile. It waits there for page faults that hold the lock of
 * their mapping, for as long as they take, and not killably. So all mappings are locked before,
 * without waiting long and without that mutex. mmap_lock keeps them locked, and new ones away:
 * the subscription then finds no fault to wait for. What is left cannot be used to delay
 * others: the locks take less time than the process needed to create the mappings.
 *
 * Return: 0; -ENOMEM; -EAGAIN: a page fault does not end; or -EINTR if the caller has a signal
 * pending.
 */
int profil_notifier_watch(struct profil_session *session)
{
	struct profil_buffer *buffer = &session->buffer;
	int err;

	mmap_assert_write_locked(session->mm);
	lockdep_assert_held(&session->service_mutex);
	if (buffer->watched)
		return 0;
	if (notifier_is_first(session->mm) && !notifier_lock_mappings(session))
		return -EAGAIN;
	err = mmu_interval_notifier_insert_locked(&buffer->notifier, buffer->mm,
						  0, ULONG_MAX, &notifier_ops);
	if (err)
		return err;
	/*
	 * During an invalidation, the insertion is deferred until the invalidation ends.
	 * Wait for that. Otherwise the address space could end first, without a callback:
	 * ksmd and khugepaged invalidate without holding mm_users.
	 */
	mmu_interval_read_begin(&buffer->notifier);
	buffer->watched = true;
	return 0;
}
