/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pages that hold a session's counters.
 */
#ifndef _PROFIL_BUFFER_H
#define _PROFIL_BUFFER_H

#include <linux/mmu_notifier.h>
#include <linux/xarray.h>

struct page;
struct profil_config;

/* Pages pinned in one batch, with mmap_lock held. */
#define PROFIL_PIN_BATCH	512UL

/**
 * struct profil_buffer - the pages of one session
 * @mm:       the address space that they belong to
 * @config:   where the counters are, and who is charged
 * @pages:    pinned pages, by their number among the pages of all spans. Tagged with PROFIL_STALE
 *            if the process no longer maps the page there. The sampler reads it without a lock. Its
 *            lock orders changes to the memory map (notifier.c) and the insertion of pages
 * @nr_stale: how many of @pages are stale; written under their lock
 * @compounds: by the page frame of a compound page's head: how many of its pages are
 *            pinned. Each of these pins keeps the whole compound page in memory
 * @nr_pinned: pages that the pins keep in memory, with compound pages in full
 * @reserved: pages to charge even if fewer are pinned
 * @charged:  pages charged to the user: the larger of @nr_pinned and @reserved
 * @notifier: reports changes to the memory map; inserted if @watched
 * @watched:  @notifier is inserted. Until then no page may be pinned
 *
 * Pages are added and removed with the session's service_mutex held. notifier.c cannot wait
 * for it, and only tags pages as stale.
 */
struct profil_buffer {
	struct mm_struct *mm;
	const struct profil_config *config;
	struct xarray pages;
	unsigned long nr_stale;
	struct xarray compounds;
	unsigned long nr_pinned;
	unsigned long reserved;
	unsigned long charged;
	struct mmu_interval_notifier notifier;
	bool watched;
};

#define PROFIL_STALE	1	/* tag of a pointer in @pages */

/**
 * profil_buffer_page - look up a page to write to
 * @buffer: buffer
 * @index:  the page's number among the pages of all spans
 *
 * Any context, under rcu_read_lock().
 *
 * Return: the page, which the caller may write while it holds the lock of a slot of the
 * session; or NULL: the page must be pinned first.
 */
static inline struct page *profil_buffer_page(struct profil_buffer *buffer, unsigned long index)
{
	void *entry = xa_load(&buffer->pages, index);

	return xa_pointer_tag(entry) == PROFIL_STALE ? NULL : entry;
}

/* Any context. */
void profil_buffer_init(struct profil_buffer *buffer, struct mm_struct *mm,
			const struct profil_config *config);

/* May sleep. */
int profil_buffer_charge_all(struct profil_buffer *buffer);
void profil_buffer_unpin_all(struct profil_buffer *buffer);

/* Process context. */
int profil_buffer_check_kind(struct profil_buffer *buffer);
int profil_buffer_check(struct profil_buffer *buffer, unsigned long start, unsigned long end);
long profil_buffer_pin_range(struct profil_buffer *buffer, unsigned long index,
			     struct page **pages);
int profil_buffer_pin(struct profil_buffer *buffer, unsigned long index);
int profil_buffer_sweep(struct profil_buffer *buffer);

/* In notifier callbacks. */
bool profil_buffer_invalidate(struct profil_buffer *buffer, unsigned long start,
			      unsigned long end, unsigned long seq);

#endif /* _PROFIL_BUFFER_H */
