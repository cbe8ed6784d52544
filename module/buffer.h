/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The user's counters as the kernel holds them: pinned pages, charged.
 */
#ifndef _PROFIL_BUFFER_H
#define _PROFIL_BUFFER_H

#include <linux/mmu_notifier.h>
#include <linux/xarray.h>

struct page;
struct profil_config;

/* Pages pinned in one go, with mmap_lock held. */
#define PROFIL_PIN_BATCH	512UL

/**
 * struct profil_buffer - the pages of one session
 * @mm:       the address space they belong to
 * @config:   says where its counters lie, and on whose terms
 * @pages:    by the page's number among the pages of all spans: the page, pinned;
 *            tagged PROFIL_STALE if the process does not see it there any more.
 *            Read by the sampler without a lock. Its lock is what pairs changes
 *            to the memory map (notifier.c) with what is put in
 * @nr_stale: how many of them are stale; written under @pages' lock
 * @wholes:   by the page frame of a compound page's head: how many of its pages are
 *            pinned. A pin of one of them keeps all of it
 * @held:     memory that the pins keep, compound pages in whole; in pages
 * @reserved: what is charged whatever is held; in pages
 * @charged:  what the user is charged: the larger of @held and @reserved; in pages
 * @notifier: reports changes to the memory map; inserted if @watched
 * @watched:  whether. Until then, no page may be pinned
 *
 * Changes to @wholes, @held, @reserved, @charged, @watched, and pages put in or taken
 * out, need the session's service_mutex. Only notifier.c, which may not wait for
 * it, works beside: all it does is to tag pages as stale.
 */
struct profil_buffer {
	struct mm_struct *mm;
	const struct profil_config *config;
	struct xarray pages;
	unsigned long nr_stale;
	struct xarray wholes;
	unsigned long held;
	unsigned long reserved;
	unsigned long charged;
	struct mmu_interval_notifier notifier;
	bool watched;
};

#define PROFIL_STALE	1	/* of xa_pointer_tag() */

/**
 * profil_buffer_page - where to write
 * @buffer: buffer
 * @index:  the page's number among the pages of all spans
 *
 * Any context, under rcu_read_lock(). Return: the page, which the caller may
 * write while he holds a CPU's lock of the session; NULL: it is to be pinned.
 */
static inline struct page *profil_buffer_page(struct profil_buffer *buffer,
					      unsigned long index)
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

/* With mmap_lock, in process context. */
int profil_buffer_check(struct profil_buffer *buffer, unsigned long start,
			unsigned long end);
long profil_buffer_pin_range(struct profil_buffer *buffer, unsigned long index,
			     struct page **pages);
int profil_buffer_pin(struct profil_buffer *buffer, unsigned long index);
int profil_buffer_sweep(struct profil_buffer *buffer);

/* In notifier callbacks. */
bool profil_buffer_invalidate(struct profil_buffer *buffer, unsigned long start,
			      unsigned long end, unsigned long seq);

#endif /* _PROFIL_BUFFER_H */
