// SPDX-License-Identifier: GPL-2.0-only
/*
 * Changes to a profiled address space that the kernel reports, and what they mean for its counters:
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
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/rbtree.h>
#include <linux/rmap.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>

#include "compat.h"
#include "counters/buffer.h"
#include "counters/config.h"
#include "counters/notifier.h"
#include "counters/session.h"
#include "counters/table.h"
#include "user.h"

/* Delay until the worker unpins stale pages: a few milliseconds. */
#define UNPIN_DELAY	(1 + HZ / 250)

/* How often, and for how many microseconds, a subscription waits for page faults to end. */
#define FAULT_WAITS	10
#define FAULT_US	50

static bool notifier_invalidate(struct mmu_interval_notifier *notifier,
				const struct mmu_notifier_range *range,
				unsigned long seq)
{
	struct profil_buffer *buffer = container_of(notifier, struct profil_buffer, notifier);
	struct profil_session *session = container_of(buffer, struct profil_session, buffer);
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

/*
 * A user keeps the lock of a file by removing pages: it is held for a walk over the mappings of the
 * file in all processes. That takes 0.6 us for each, and 0.3 us for each page that is mapped. So
 * with the default, others wait up to 5 ms for mappings and 10 ms for pages.
 */
#define PAGES_LIKE_MAPPING	4

static unsigned int max_start_maps = 8192;
module_param(max_start_maps, uint, 0644);
MODULE_PARM_DESC(max_start_maps,
		 "limit for the mappings of a process that starts, with those of users' files that it maps in all processes");

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

/*
 * Whether users could keep the lock of a file for long: not of a file of root that nobody else may
 * write, unless its file system says so that is a user's own. Such libraries have many mappings.
 */
static bool notifier_is_users(const struct inode *inode)
{
	return !uid_eq(inode->i_uid, GLOBAL_ROOT_UID) || inode->i_mode & 0022 ||
	       inode->i_sb->s_type->fs_flags & FS_USERNS_MOUNT;
}

/* How much is behind the lock of a file: mappings, and their pages; not much more than @most. */
static unsigned long notifier_behind(struct address_space *file, unsigned long most)
{
	struct rb_node *node = rb_first_cached(&file->i_mmap);
	unsigned long behind = 0;
	struct vm_area_struct *vma;

	for (; node && behind <= most; node = rb_next(node)) {
		vma = rb_entry(node, struct vm_area_struct, shared.rb);
		/* it is taken out before its memory is freed */
		behind += 1 + min(vma_pages(vma), get_mm_counter(vma->vm_mm, MM_FILEPAGES) +
				  get_mm_counter(vma->vm_mm, MM_SHMEMPAGES)) / PAGES_LIKE_MAPPING;
	}
	return behind;
}

/*
 * Look at what a first subscription is going to wait for. Return: 0; -EBUSY: somebody has the lock
 * of a user's file; or -EAGAIN: others could have to wait too long.
 */
static int notifier_try_files(struct mm_struct *mm)
{
	unsigned long behind = 0, most = READ_ONCE(max_start_maps);
	struct address_space *file, *last = NULL;
	struct vma_iterator mappings;
	struct vm_area_struct *vma;

	vma_iter_init(&mappings, mm, 0);
	while ((vma = vma_next(&mappings))) {
		behind++;
		file = vma->vm_file ? vma->vm_file->f_mapping : NULL;
		if (file && file != last && notifier_is_users(file->host)) {
			if (!i_mmap_trylock_write(file))
				return -EBUSY;
			behind += notifier_behind(file, most);
			i_mmap_unlock_write(file);
			last = file;
		}
		/* the root counts its forks and theirs, all of which reclaim may look at */
		if (behind > most ||
		    (vma->anon_vma && atomic_read(&vma->anon_vma->root->refcount) > most))
			return -EAGAIN;
	}
	return 0;
}

static int notifier_subscribe(struct profil_buffer *buffer)
{
	int err = mmu_interval_notifier_insert_locked(&buffer->notifier, buffer->mm,
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

/* One at a time, so that what is tried is true when the locks are taken. */
static int notifier_subscribe_first(struct profil_session *session)
{
	const struct profil_rights *rights = &profil_session_config(session)->rights;
	int err;

	if (!notifier_lock_mappings(session))
		return -EBUSY;
	err = profil_lock_subscription(rights);
	if (err)
		return err;
	err = notifier_try_files(session->mm) ?: notifier_subscribe(&session->buffer);
	profil_unlock_subscription(rights);
	return err;
}

/**
 * profil_notifier_watch - start watching the memory map
 * @session: of an address space that has users
 *
 * May sleep, for locks that are held briefly, and a millisecond for page faults. The
 * subscription covers the whole address space, not only the counters, because it also reports
 * the end of the address space.
 *
 * The first subscription of an address space takes the locks of all its mappings and files, in the
 * order of addresses, and holds a mutex of the whole machine meanwhile. It waits there for whoever
 * holds one, not killably, and others wait for those that it has: each fork and exit for that of
 * the C library. So what a user could hold for long is tried before:
 *
 * - Page faults hold the lock of their mapping for as long as they take. All mappings are locked
 *   without waiting long. mmap_lock keeps them locked, and new ones away: the subscription then
 *   finds no fault to wait for.
 * - Whoever removes pages of a file holds its lock. It is not waited for if it is held already. It
 *   may be taken right afterwards, so there is a limit to how long it can be held.
 *
 * Return: 0; -ENOMEM; -EBUSY: try again; -EAGAIN: too much is behind the locks of the files; or
 * -EINTR if the caller has a signal pending.
 */
int profil_notifier_watch(struct profil_session *session)
{
	struct profil_buffer *buffer = &session->buffer;

	mmap_assert_write_locked(session->mm);
	lockdep_assert_held(&session->service_mutex);
	if (buffer->watched)
		return 0;
	if (notifier_is_first(session->mm))
		return notifier_subscribe_first(session);
	return notifier_subscribe(buffer);
}
