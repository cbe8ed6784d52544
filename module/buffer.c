// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pages that hold a session's counters: which are pinned, which are stale, and
 * what the user is charged for them.
 *
 * The pin is for memory safety: a pinned page is not freed, whatever the process
 * does. The notifier is for meaning: it reports when a pinned page is no longer the
 * one that the process sees (notifier.c). Neither would do alone. How a page is
 * pinned is in pin.c.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>

#include "buffer.h"
#include "config.h"
#include "pin.h"
#include "stats.h"

/* Pages taken out in one go. */
#define UNPIN_BATCH	16

/* Stale pages that one pass looks after, with mmap_lock held. */
#define SWEEP_MOST	4096

/*
 * Times that a page is tried: pinning one that is shared since a fork copies it,
 * and is itself a change of the memory map; more must come from others.
 */
#define PIN_TRIES	8

/* Index entries looked at with the lock held, before others get a chance. */
#define SCAN_BATCH	1024

#define STALE_MARK	XA_MARK_0

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
	xa_init_flags(&buffer->wholes, XA_FLAGS_ACCOUNT);
	buffer->mm = mm;
	buffer->config = config;
}

/**
 * profil_buffer_check - whether the counters in a range can be stored to
 * @buffer: buffer
 * @start:  range,
 * @end:    all of it with 0 and ULONG_MAX
 *
 * With mmap_lock. Return: 0, -EFAULT or -EOPNOTSUPP.
 */
int profil_buffer_check(struct profil_buffer *buffer, unsigned long start,
			unsigned long end)
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

/* Charge what is held beyond what is charged. */
static int buffer_charge(struct profil_buffer *buffer)
{
	unsigned long wanted = max(buffer->held, buffer->reserved);
	int err;

	if (wanted <= buffer->charged)
		return 0;
	err = profil_charge_pages(&buffer->config->rights,
				  wanted - buffer->charged);
	if (!err)
		buffer->charged = wanted;
	return err;
}

/**
 * profil_buffer_charge_all - charge all pages ahead, for a profile that pins them at once
 * @buffer: without pages
 *
 * Return: 0 or -ENOMEM.
 */
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
	unsigned long wanted = max(buffer->held, buffer->reserved);

	profil_uncharge_pages(&buffer->config->rights,
			      buffer->charged - wanted);
	buffer->charged = wanted;
}

static void buffer_add_held(struct profil_buffer *buffer, long nr)
{
	buffer->held += nr;
	atomic64_add(nr, &buffer->mm->pinned_vm);
	atomic_long_add(nr, &profil_stats[PROFIL_PINNED_PAGES]);
}

/*
 * How many pages of @page's compound page are pinned, from @before on; 0 takes it out. A
 * pinned compound page is not split, so its head and size stay.
 */
static int buffer_set_whole(struct profil_buffer *buffer, struct page *page,
			    unsigned long nr)
{
	unsigned long index = page_to_pfn(compound_head(page));

	if (!nr) {
		xa_erase(&buffer->wholes, index);
		return 0;
	}
	return xa_err(xa_store(&buffer->wholes, index, xa_mk_value(nr),
			       GFP_NOWAIT | __GFP_NOWARN));
}

static unsigned long buffer_whole(struct profil_buffer *buffer,
				  struct page *page)
{
	void *entry = xa_load(&buffer->wholes, page_to_pfn(compound_head(page)));

	return entry ? xa_to_value(entry) : 0;
}

/* Note that a pin keeps a page, and charge it. Return: 0 or -ENOMEM. */
static int buffer_hold(struct profil_buffer *buffer, struct page *page)
{
	unsigned long size = compound_nr(compound_head(page)), pinned = 0;
	int err;

	if (size > 1) {
		pinned = buffer_whole(buffer, page);
		err = buffer_set_whole(buffer, page, pinned + 1);
		if (err)
			return err;
	}
	if (pinned)
		return 0;
	buffer_add_held(buffer, size);
	err = buffer_charge(buffer);
	if (!err)
		return 0;
	buffer_add_held(buffer, -size);
	if (size > 1)
		buffer_set_whole(buffer, page, 0);
	return err;
}

static void buffer_let_go(struct profil_buffer *buffer, struct page *page)
{
	unsigned long size = compound_nr(compound_head(page)), pinned = 1;

	if (size > 1) {
		pinned = buffer_whole(buffer, page);
		/* in place of one that is there: nothing is allocated */
		buffer_set_whole(buffer, page, pinned - 1);
	}
	if (pinned == 1)
		buffer_add_held(buffer, -size);
}

/* Unpin pages that are in no index any more. May sleep. */
static void buffer_unpin(struct profil_buffer *buffer, struct page **pages,
			 unsigned long nr)
{
	unsigned long i;

	for (i = 0; i < nr; i++)
		buffer_let_go(buffer, pages[i]);
	buffer_uncharge(buffer);
	unpin_user_pages_dirty_lock(pages, nr, true);
}

/* Room in the index, so that nothing is allocated under its lock later. */
static int buffer_reserve(struct profil_buffer *buffer, unsigned long index,
			  unsigned long nr)
{
	/* a call may wait for memory; nobody waits for a worker's mmap_lock */
	gfp_t gfp = current->mm == buffer->mm ? GFP_KERNEL :
						GFP_NOWAIT | __GFP_NOWARN;
	unsigned long i;
	int err = 0;

	for (i = 0; i < nr && !err; i++)
		err = xa_reserve(&buffer->pages, index + i, gfp);
	return err;
}

static void buffer_unreserve(struct profil_buffer *buffer, unsigned long index,
			     unsigned long nr)
{
	for (; nr; nr--, index++)
		xa_release(&buffer->pages, index);
}

/*
 * Put pages into the index, unless the memory map has changed since @seq, so
 * that they may not be the process's any more.
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
 * Pin up to @nr pages from number @index on, which lie in one span and are absent from
 * the index. Return: how many; -EAGAIN: the memory map has changed meanwhile; or as
 * profil_pin_pages().
 */
static long buffer_pin_pages(struct profil_buffer *buffer, unsigned long index,
			     unsigned long nr, struct page **pages)
{
	unsigned long addr = profil_config_address(buffer->config, index);
	unsigned long seq, held = 0;
	long pinned;
	int err = 0;

	/* if there is not room for all of them, there may be for some */
	pinned = buffer_reserve(buffer, index, nr);
	if (pinned)
		goto unreserve;
	seq = mmu_interval_read_begin(&buffer->notifier);
	pinned = profil_pin_pages(buffer->mm, addr, nr, pages);
	if (pinned <= 0)
		goto unreserve;
	while (held < pinned && !err) {
		err = buffer_hold(buffer, pages[held]);
		held += !err;
	}
	if (err) {
		unpin_user_pages(pages + held, pinned - held);
		pinned = held;
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
	/* fewer than asked for is progress: the rest gives the error */
	buffer_unreserve(buffer, index + pinned, nr - pinned);
	return pinned;

unreserve:
	buffer_unreserve(buffer, index, nr);
	return pinned;
}

/**
 * profil_buffer_pin_range - pin the next pages, at the start of a profile
 * @buffer: watched, with mmap_lock
 * @index:  the number of the first among the pages of all spans: none of these has
 *          been pinned
 * @pages:  room for PROFIL_PIN_BATCH of them
 *
 * Return: how many have been pinned, at least 1; -EAGAIN: the memory map has changed
 * meanwhile; -EBUSY: the first has to be brought first; or another error.
 */
long profil_buffer_pin_range(struct profil_buffer *buffer, unsigned long index,
			     struct page **pages)
{
	unsigned long nr = profil_config_run(buffer->config, index);

	return buffer_pin_pages(buffer, index, min(nr, PROFIL_PIN_BATCH), pages);
}

/* Take up to UNPIN_BATCH pages out of the index. Return: how many. */
static unsigned int buffer_take_out(struct profil_buffer *buffer,
				    bool only_stale, struct page **pages,
				    unsigned long *indices)
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
 * profil_buffer_sweep - unpin the pages that the process does not see any more
 * @buffer: with mmap_lock
 *
 * And check the memory where they were: it may be gone, as where a file was truncated.
 * So the work is in proportion to what the process has had changed. A CPU may be writing
 * to such a page still, if its notifier has not waited for that yet: until it has, the
 * mapping that it is about keeps the page. Return: 0; -EAGAIN: there are more; or as
 * profil_buffer_check().
 */
int profil_buffer_sweep(struct profil_buffer *buffer)
{
	unsigned long indices[UNPIN_BATCH], addr;
	struct page *pages[UNPIN_BATCH];
	unsigned int i, nr, done = 0;
	int err = 0;

	while (READ_ONCE(buffer->nr_stale)) {
		if (done >= SWEEP_MOST)
			return err ?: -EAGAIN;
		nr = buffer_take_out(buffer, true, pages, indices);
		buffer_unpin(buffer, pages, nr);
		for (i = 0; i < nr && !err &&
		     !(buffer->config->flags & PROFIL_CHECK_ON_HIT); i++) {
			addr = profil_config_address(buffer->config, indices[i]);
			err = profil_pin_check(buffer->mm, addr,
					       addr + PAGE_SIZE);
		}
		done += nr;
		cond_resched();
	}
	return err;
}

/**
 * profil_buffer_pin - pin the page that a sample waits for
 * @buffer: watched, with mmap_lock
 * @index:  the page's number among the pages of all spans
 *
 * Return: 0; -EAGAIN: the memory map changes all the time; -EBUSY: the page has to be
 * brought first; -ENOMEM: the user's limit, or no memory; or what ends the profile:
 * -EFAULT, -EOPNOTSUPP and the like.
 */
int profil_buffer_pin(struct profil_buffer *buffer, unsigned long index)
{
	void *entry = xa_load(&buffer->pages, index);
	unsigned int tries = 0;
	struct page *page;
	long pinned;
	int err;

	if (entry && !xa_pointer_tag(entry))
		return 0;
	/*
	 * It may be going stale just now: out with it. Taking the lock here makes sure
	 * that what goes stale is counted. Once out, it stays out, as only we put pages
	 * in.
	 */
	if (entry) {
		xa_lock(&buffer->pages);
		xa_unlock(&buffer->pages);
		err = profil_buffer_sweep(buffer);
		if (err)
			return err;
	}
	do {
		pinned = buffer_pin_pages(buffer, index, 1, &page);
	} while (pinned == -EAGAIN && ++tries < PIN_TRIES);
	return pinned > 0 ? 0 : pinned;
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
	unsigned long indices[UNPIN_BATCH];
	struct page *pages[UNPIN_BATCH];
	unsigned int nr;

	buffer->reserved = 0;
	do {
		nr = buffer_take_out(buffer, false, pages, indices);
		buffer_unpin(buffer, pages, nr);
		cond_resched();
	} while (nr == UNPIN_BATCH);
}

/* Tag the pages from @index to @last. Holds up others only for SCAN_BATCH. */
static void buffer_go_stale(struct profil_buffer *buffer, unsigned long index,
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
 * @end:    first address after it
 * @seq:    of the notifier
 *
 * Does not sleep (but for the index's lock on PREEMPT_RT), and neither pins nor
 * unpins: that needs service_mutex. A CPU that has looked a page up before may be
 * writing to it: the caller waits for those. Return: whether the range holds counters.
 */
bool profil_buffer_invalidate(struct profil_buffer *buffer, unsigned long start,
			      unsigned long end, unsigned long seq)
{
	const struct profil_config *config = buffer->config;
	u32 i = profil_config_span_after(config, start);

	if (i == config->nr_spans || config->spans[i].addr >= end)
		return false;
	/*
	 * A pin that is under way starts over. Not so for a range without counters,
	 * whatever the comment at mmu_interval_set_seq() asks for: no pin looks
	 * there, and all that malloc() does should not hold pinning up.
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
		buffer_go_stale(buffer, first, last);
	}
	return true;
}
