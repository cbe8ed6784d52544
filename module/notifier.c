// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the kernel tells about changes to a profiled address space, and what they
 * mean for its counters:
 *
 *	event			comes from			counters
 *	UNMAP			munmap, mremap, MAP_FIXED	profile ends
 *	PROTECTION_VMA		mprotect to no write		profile ends
 *				NUMA hints, userfaultfd		no change
 *	PROTECTION_PAGE		fork, write-back		no change
 *	SOFT_DIRTY		/proc/PID/clear_refs		no change
 *	CLEAR and all others	madvise, truncation, KSM,	stale: pinned again
 *				migration, THP			when next hit
 *	RELEASE			exit, exec			session ends
 *
 * With PROFIL_CHECK_ON_HIT, what would end the profile makes the counters stale as
 * well: it ends when the next hit finds that they cannot be pinned any more.
 *
 * Older kernels (6.1) send UNMAP for hugetlb pages that are only discarded too:
 * there it ends the profile, since nothing tells the two apart.
 *
 * "No change": the process goes on with the page that is pinned. That is true
 * of fork too, which gives the child a copy of a pinned page at once.
 *
 * "Stale" may be the end as well (a file may have been truncated): until the worker has
 * seen that all of the memory is still there, all samples of the session wait.
 *
 * "Stale" and "ends": what the event announces must not happen while a CPU still
 * writes to the old page. So each CPU that may have looked the page up before is
 * waited for (profil_cpus_barrier(): a few instructions each); nothing here
 * waits for anything else. In particular not for service_mutex, whose holder may
 * be pinning, and so waiting for the lock that our caller holds: but at RELEASE,
 * when nobody can be. Events that may not block (the OOM killer's) are therefore
 * handled like all others.
 */
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>

#include "buffer.h"
#include "config.h"
#include "notifier.h"
#include "session.h"
#include "spare.h"

/* Between two visits of the worker for stale pages: a few milliseconds. */
#define PROFIL_VISIT_DELAY	(1 + HZ / 250)

static bool notifier_invalidate(struct mmu_interval_notifier *notifier,
				const struct mmu_notifier_range *range,
		       unsigned long seq)
{
	struct profil_buffer *buffer =
		container_of(notifier, struct profil_buffer, notifier);
	struct profil_session *session =
		container_of(buffer, struct profil_session, buffer);
	bool on_hit = session->config->flags & PROFIL_CHECK_ON_HIT;
	bool fault = false;

	/* no CPU counts any more, and what is pinned is being unpinned */
	if (range->event != MMU_NOTIFY_RELEASE && READ_ONCE(session->unpinned))
		return true;

	switch (range->event) {
	case MMU_NOTIFY_RELEASE:
		session->release(session);
		return true;
	case MMU_NOTIFY_PROTECTION_PAGE:
		if (current->mm == session->mm)
			profil_spare_prepare(session);
		return true;
	case MMU_NOTIFY_SOFT_DIRTY:
		return true;
	case MMU_NOTIFY_PROTECTION_VMA:
		/* all that send it hold mmap_lock, and have set the VMA's flags */
		mmap_assert_locked(session->mm);
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
	 * For the worker to unpin them: in a while, so that a process that changes its
	 * memory all the time does not keep a worker busy.
	 */
	profil_session_kick_later(session, PROFIL_VISIT_DELAY);
	return true;
}

static const struct mmu_interval_notifier_ops notifier_ops = {
	.invalidate = notifier_invalidate,
};

/**
 * profil_notifier_watch - watch for changes to the memory map from now on
 * @session: of an address space that has users, with its mmap_lock for writing and the
 *           service_mutex
 *
 * May sleep, for locks that the kernel holds briefly. The subscription covers the whole
 * address space, not only the counters, because it also reports fork and the end of the
 * address space. The first subscription of an address space takes the locks of all its
 * mappings. A process spends more time on creating a mapping than others do on that.
 *
 * Return: 0, -ENOMEM, or -EINTR if the caller has a signal pending.
 */
int profil_notifier_watch(struct profil_session *session)
{
	struct profil_buffer *buffer = &session->buffer;
	int err;

	if (buffer->watched)
		return 0;
	err = mmu_interval_notifier_insert_locked(&buffer->notifier, buffer->mm,
						  0, ULONG_MAX, &notifier_ops);
	if (err)
		return err;
	/*
	 * During an invalidation the insertion is deferred until the invalidation ends.
	 * Wait for that: otherwise the address space could end first (ksmd and khugepaged
	 * invalidate without holding mm_users), and no callback would report it.
	 */
	mmu_interval_read_begin(&buffer->notifier);
	buffer->watched = true;
	return 0;
}
