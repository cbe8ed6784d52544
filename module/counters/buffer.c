// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pages that hold a session's counters: which are pinned, which are stale, and what the
 * user is charged for them.
 *
 * The pin and the notifier are both needed. A pinned page is not freed, whatever the process does.
 * The notifier reports when the process no longer maps it (notifier.c). pin.c pins the pages.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>

#include "counters/buffer.h"
#include "counters/config.h"
#include "counters/pin.h"
#include "stats.h"

/* Pages removed from a buffer in one batch. */
#define UNPIN_BATCH	16

/* Stale pages that one sweep handles, with mmap_lock held. */
#define SWEEP_LIMIT	4096

/*
 * How often to try to pin a page. Pinning a page that a fork has shared copies it, which is
 * itself a change of the memory map. Other threads make more changes.
 */
#define PIN_TRIES	8

/* Entries scanned before the xarray's lock is dropped for a moment. */
#define SCAN_BATCH	1024

#define STALE_MARK	XA_MARK_0

/**
 * profil_buffer_init - initialize a buffer without pages
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
	xa_init_flags(&buffer->compounds, XA_FLAGS_ACCOUNT);
	buffer->mm = mm;
	buffer->config = config;
}

/**
 * profil_buffer_check - check that the counters in a range are writable
 * @buffer: buffer
 * @start:  first address of the range
 * @end:    first address after it
 *
 * From 0 to ULONG_MAX, all counters are checked.
 *
 * Return: 0, -EFAULT or -EOPNOTSUPP.
 */
int profil_buffer_check(struct profil_buffer *buffer, unsigned long start, unsigned long end)
{
	const struct profil_config *config = buffer->config;
	u32 i = profil_config_span_after(config, start);
	int err = 0;

	for (; i < config->nr_spans && config->spans[i].addr < end && !err; i++) {
		const struct profil_span *span = &config->spans[i];

		err = profil_pin_check(buffer->mm, max(start, span->addr),
				       min(end, span->addr +
					   span->nr_pages * PAGE_SIZE));
	}
	return err;
}

/**
 * profil_buffer_check_kind - check that no counter is in memory that cannot be pinned
 * @buffer: buffer
 *
 * Memory that does not exist, or that is not writable, is not checked.
 *
 * Return: 0 or -EOPNOTSUPP.
 */
int profil_buffer_check_kind(struct profil_buffer *buffer)
{
	const struct profil_config *config = buffer->config;
	int err = 0;
	u32 i;

	for (i = 0; i < config->nr_spans && !err; i++)
		err = profil_pin_check_kind(buffer->mm, config->spans[i].addr,
					    config->spans[i].addr +
					    config->spans[i].nr_pages * PAGE_SIZE);
	return err;
}

/* Charge pages that are pinned or reserved, but not yet charged. Return: 0 or -ENOMEM. */
static int buffer_charge(struct profil_buffer *buffer)
{
	unsigned long wanted = max(buffer->nr_pinned, buffer->reserved);
	int err;

	if (wanted <= buffer->charged)
		return 0;
	err = profil_charge_pages(&buffer->config->rights, wanted - buffer->charged);
	if (!err)
		buffer->charged = wanted;
	return err;
}

/* Charge all pages before they are pinned. @buffer: without pages. Return: 0 or -ENOMEM. */
int profil_buffer_charge_all(struct profil_buffer *buffer)
{
	int err;

	buffer->reserved = buffer->config->nr_pages;
	err = buffer_charge(buffer);
	if (err)
		buffer->reserved = 0;
	return err;
}

static void buffer_uncharge(struct profil_buffer *buffer)
{
	unsigned long wanted = max(buffer->nr_pinned, buffer->reserved);

	profil_uncharge_pages(&buffer->config->rights, buffer->charged - wanted);
	buffer->charged = wanted;
}

static void buffer_add_pinned(struct profil_buffer *buffer, long nr)
{
	buffer->nr_pinned += nr;
	atomic64_add(nr, &buffer->mm->pinned_vm);
	atomic_long_add(nr, &profil_stats[PROFIL_PINNED_PAGES]);
}

/*
 * Set how many pages of @page's compound page are pinned; 0 removes the entry. A pinned
 * compound page is not split, so its head and size do not change.
 */
static int buffer_set_compound(struct profil_buffer *buffer, struct page *page, unsigned long nr)
{
	unsigned long index = page_to_pfn(compound_head(page));

	if (!nr) {
		xa_erase(&buffer->compounds, index);
		return 0;
	}
	return xa_err(xa_store(&buffer->compounds, index, xa_mk_value(nr),
			       GFP_NOWAIT | __GFP_NOWARN));
}

static unsigned long buffer_compound_pins(struct profil_buffer *buffer, struct page *page)
{
	void *entry = xa_load(&buffer->compounds, page_to_pfn(compound_head(page)));

	return entry ? xa_to_value(entry) : 0;
}

/* Account and charge a page that has just been pinned. Return: 0 or -ENOMEM. */
static int buffer_account_pin(struct profil_buffer *buffer, struct page *page)
{
	unsigned long size = compound_nr(compound_head(page)), pinned = 0;
	int err;

	if (size > 1) {
		pinned = buffer_compound_pins(buffer, page);
		err = buffer_set_compound(buffer, page, pinned + 1);
		if (err)
			return err;
	}
	if (pinned)
		return 0;
	buffer_add_pinned(buffer, size);
	err = buffer_charge(buffer);
	if (!err)
		return 0;
	buffer_add_pinned(buffer, -size);
	if (size > 1)
		buffer_set_compound(buffer, page, 0);
	return err;
}

static void buffer_unaccount_pin(struct profil_buffer *buffer, struct page *page)
{
	unsigned long size = compound_nr(compound_head(page)), pinned = 1;

	if (size > 1) {
		pinned = buffer_compound_pins(buffer, page);
		/* replaces an entry, so nothing is allocated */
		buffer_set_compound(buffer, page, pinned - 1);
	}
	if (pinned == 1)
		buffer_add_pinned(buffer, -size);
}

/* Unpin pages that have been removed from the xarray. May sleep. */
static void buffer_unpin(struct profil_buffer *buffer, struct page **pages, unsigned long nr)
{
	unsigned long i;

	for (i = 0; i < nr; i++)
		buffer_unaccount_pin(buffer, pages[i]);
	buffer_uncharge(buffer);
	unpin_user_pages_dirty_lock(pages, nr, true);
}

/* Allocate entries of the xarray, because nothing may be allocated under its lock. */
static int buffer_reserve(struct profil_buffer *buffer, unsigned long index, unsigned long nr)
{
	/* a call may wait for memory; a worker must not, as it holds the process's mmap_lock */
	gfp_t gfp = current->mm == buffer->mm ? GFP_KERNEL :
						GFP_NOWAIT | __GFP_NOWARN;
	unsigned long i;
	int err = 0;

	for (i = 0; i < nr && !err; i++)
		err = xa_reserve(&buffer->pages, index + i, gfp);
	return err;
}

static void buffer_unreserve(struct profil_buffer *buffer, unsigned long index, unsigned long nr)
{
	for (; nr; nr--, index++)
		xa_release(&buffer->pages, index);
}

/*
 * Add pages to the xarray. Fails if the memory map has changed since @seq, because
 * the process may map other pages now.
 */
static bool buffer_install(struct profil_buffer *buffer, unsigned long index,
			   struct page **pages, unsigned long nr,
			   unsigned long seq)
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
 * Pin up to @nr pages from number @index on. They lie in one span, and none is pinned. Return: how
 * many are pinned; -EAGAIN: the memory map has changed; or as profil_pin_pages().
 */
static long buffer_pin_pages(struct profil_buffer *buffer, unsigned long index,
			     unsigned long nr, struct page **pages)
{
	unsigned long addr = profil_config_address(buffer->config, index);
	unsigned long seq, accounted = 0;
	long pinned;
	int err = 0;

	pinned = buffer_reserve(buffer, index, nr);
	if (pinned)
		goto unreserve;
	seq = mmu_interval_read_begin(&buffer->notifier);
	pinned = profil_pin_pages(buffer->mm, addr, nr, pages);
	if (pinned <= 0)
		goto unreserve;
	/* the user's limit may allow only some of them */
	while (accounted < pinned && !err) {
		err = buffer_account_pin(buffer, pages[accounted]);
		accounted += !err;
	}
	if (err) {
		unpin_user_pages(pages + accounted, pinned - accounted);
		pinned = accounted;
	}
	if (!pinned) {
		pinned = err;
		goto unreserve;
	}
	if (!buffer_install(buffer, index, pages, pinned, seq)) {
		buffer_unpin(buffer, pages, pinned);
		pinned = -EAGAIN;
		goto unreserve;
	}
	/* fewer than requested is progress: the next call reports the error */
	buffer_unreserve(buffer, index + pinned, nr - pinned);
	return pinned;

unreserve:
	buffer_unreserve(buffer, index, nr);
	return pinned;
}

/**
 * profil_buffer_pin_range - pin the next pages at the start of a profile
 * @buffer: watched
 * @index:  number of the first page among the pages of all spans. None of these pages is pinned
 * @pages:  room for PROFIL_PIN_BATCH pages
 *
 * Return: how many are pinned, at least 1; -EAGAIN: the memory map has changed; -EBUSY: the
 * first page must be faulted in; or another error.
 */
long profil_buffer_pin_range(struct profil_buffer *buffer, unsigned long index, struct page **pages)
{
	unsigned long nr = profil_config_pages_from(buffer->config, index);

	mmap_assert_locked(buffer->mm);
	return buffer_pin_pages(buffer, index, min(nr, PROFIL_PIN_BATCH), pages);
}

/* Remove up to UNPIN_BATCH pages from the xarray. Return: how many. */
static unsigned int buffer_remove(struct profil_buffer *buffer, bool only_stale,
				  struct page **pages, unsigned long *indices)
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
		indices[nr] = xas.xa_index;
		pages[nr++] = xa_untag_pointer(entry);
		xas_store(&xas, NULL);
	}
	xas_unlock(&xas);
	return nr;
}

/**
 * profil_buffer_sweep - unpin stale pages, and check the memory where they were
 * @buffer: buffer
 *
 * The check finds memory that is gone, for example because a file was truncated. The cost is
 * proportional to what has changed. A CPU may still be writing to a stale page, if the notifier's
 * callback has not yet waited for that CPU. Until it has, the old mapping keeps the page in memory.
 *
 * Return: 0; -EAGAIN: there are more stale pages; or as profil_buffer_check().
 */
int profil_buffer_sweep(struct profil_buffer *buffer)
{
	unsigned long indices[UNPIN_BATCH], addr;
	struct page *pages[UNPIN_BATCH];
	unsigned int i, nr, done = 0;
	int err = 0;

	mmap_assert_locked(buffer->mm);
	while (READ_ONCE(buffer->nr_stale)) {
		if (done >= SWEEP_LIMIT)
			return err ?: -EAGAIN;
		nr = buffer_remove(buffer, true, pages, indices);
		buffer_unpin(buffer, pages, nr);
		for (i = 0; i < nr && !err && !(buffer->config->flags & PROFIL_CHECK_ON_HIT); i++) {
			addr = profil_config_address(buffer->config, indices[i]);
			err = profil_pin_check(buffer->mm, addr, addr + PAGE_SIZE);
		}
		done += nr;
		cond_resched();
	}
	return err;
}

/**
 * profil_buffer_pin - pin the page of a pending sample
 * @buffer: watched
 * @index:  the page's number among the pages of all spans
 *
 * Return: 0; -EAGAIN: the memory map keeps changing; -EBUSY: the page must be faulted in;
 * -EINPROGRESS: it is being read; -ENOMEM: the user's limit, or no memory; or an error that
 * ends the profile: -EFAULT, -EOPNOTSUPP and the like.
 */
int profil_buffer_pin(struct profil_buffer *buffer, unsigned long index)
{
	void *entry = xa_load(&buffer->pages, index);
	unsigned int tries = 0;
	struct page *page;
	long pinned;
	int err;

	mmap_assert_locked(buffer->mm);
	if (entry && !xa_pointer_tag(entry))
		return 0;
	/*
	 * The page is stale, or becomes stale now: remove it first. The sweep finds it only
	 * when it is counted in nr_stale: taking the lock waits for that. Pages are added
	 * only under the caller's service_mutex, so the entry then stays empty.
	 */
	if (entry) {
		xa_lock(&buffer->pages);
		xa_unlock(&buffer->pages);
		err = profil_buffer_sweep(buffer);
		if (err)
			return err; /* GCOV_EXCL_LINE: a race with the sweep */
	}
	do {
		pinned = buffer_pin_pages(buffer, index, 1, &page);
	} while (pinned == -EAGAIN && ++tries < PIN_TRIES);
	return pinned > 0 ? 0 : pinned;
}

/**
 * profil_buffer_unpin_all - unpin and uncharge all pages
 * @buffer: no CPU may write to it any more
 *
 * May sleep. When the process ends, mm_users is 0: this uses only what mm_count protects.
 */
void profil_buffer_unpin_all(struct profil_buffer *buffer)
{
	unsigned long indices[UNPIN_BATCH];
	struct page *pages[UNPIN_BATCH];
	unsigned int nr;

	buffer->reserved = 0;
	do {
		nr = buffer_remove(buffer, false, pages, indices);
		buffer_unpin(buffer, pages, nr);
		cond_resched();
	} while (nr == UNPIN_BATCH);
}

/* Tag pages @index to @last as stale. Drops the lock after each SCAN_BATCH entries. */
static void buffer_mark_stale(struct profil_buffer *buffer, unsigned long index, unsigned long last)
{
	XA_STATE(xas, &buffer->pages, index);
	unsigned int scanned = 0;
	void *entry;

	xas_lock(&xas);
	xas_for_each(&xas, entry, last) {
		/* others are only reserved, or already stale */
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
 * profil_buffer_invalidate - mark pages as stale that are being replaced
 * @buffer: buffer
 * @start:  first user address of the range
 * @end:    first address after it
 * @seq:    sequence number of the notifier
 *
 * Does not sleep, except for the xarray's lock on PREEMPT_RT. Does not pin or unpin, which
 * would need the service_mutex. A CPU that looked up a page before may still be writing to
 * it: the caller waits for that CPU.
 *
 * Return: whether the range holds counters.
 */
bool profil_buffer_invalidate(struct profil_buffer *buffer, unsigned long start,
			      unsigned long end, unsigned long seq)
{
	const struct profil_config *config = buffer->config;
	u32 i = profil_config_span_after(config, start);

	if (i == config->nr_spans || config->spans[i].addr >= end)
		return false;
	/*
	 * Makes a pin that is in progress start over. Not done for a range without counters,
	 * although the comment at mmu_interval_set_seq() requires it: nothing is pinned
	 * there, and otherwise each munmap() elsewhere could delay pinning.
	 */
	xa_lock(&buffer->pages);
	mmu_interval_set_seq(&buffer->notifier, seq);
	xa_unlock(&buffer->pages);

	for (; i < config->nr_spans && config->spans[i].addr < end; i++) {
		const struct profil_span *span = &config->spans[i];
		unsigned long first = span->buf_offset >> PAGE_SHIFT;
		unsigned long last = first + span->nr_pages - 1;

		if (end < span->addr + span->nr_pages * PAGE_SIZE)
			last = first + ((end - 1 - span->addr) >> PAGE_SHIFT);
		if (start > span->addr)
			first += (start - span->addr) >> PAGE_SHIFT;
		buffer_mark_stale(buffer, first, last);
	}
	return true;
}
