// SPDX-License-Identifier: GPL-2.0-only
/*
 * The queue of pending samples (pending.h): a ring of entries, with a hash table to find them.
 *
 * All functions except profil_pending_init(), profil_pending_want() and profil_pending_free() take
 * the queue's lock and may be called in any context. A caller that removes samples or makes the
 * queue grow holds the session's service_mutex (session.h), or has the only reference to the queue.
 */
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "counters/pending.h"

static u32 pending_size(const struct profil_pending *pending)
{
	return 1U << pending->bits;
}

/* The index of the @i-th entry in use; with @i = nr, of the first free one. */
static u32 pending_index(const struct profil_pending *pending, u32 i)
{
	return (pending->first + i) & (pending_size(pending) - 1);
}

static u16 *pending_bucket(struct profil_pending *pending, const struct profil_sample *sample)
{
	return &pending->buckets[hash_64(sample->buf_offset + sample->out_of_range, pending->bits)];
}

/* Use @memory, of PROFIL_PENDING_BYTES(), as an empty queue. */
static void pending_move_to(struct profil_pending *pending, void *memory, u32 size)
{
	pending->bits = ilog2(size);
	pending->first = 0;
	pending->nr = 0;
	pending->entries = memory;
	pending->next = (u16 *)(pending->entries + size);
	pending->buckets = pending->next + size;
	memset(pending->buckets, 0, size * sizeof(*pending->buckets));
}

/* Append a sample. There must be a free entry. */
static void pending_append(struct profil_pending *pending, const struct profil_sample *sample)
{
	u32 index = pending_index(pending, pending->nr++);
	u16 *bucket = pending_bucket(pending, sample);
	u16 link = *bucket;
	u32 before;

	pending->entries[index] = *sample;
	for (before = 0; link; before++)
		link = pending->next[link - 1];
	pending->next[index] = 0;
	if (before < PROFIL_PENDING_CHAIN) {
		pending->next[index] = *bucket;
		*bucket = index + 1;
	}
}

/* Remove the first entry. There must be one. */
static void pending_drop(struct profil_pending *pending)
{
	u16 *link = pending_bucket(pending, &pending->entries[pending->first]);

	while (*link && *link != pending->first + 1)
		link = &pending->next[*link - 1];
	/* otherwise it was in no bucket */
	if (*link)
		*link = pending->next[pending->first];
	pending->first = pending_index(pending, 1);
	pending->nr--;
}

/* Find the entry that a sample can be added to, or NULL. */
static struct profil_sample *pending_find(struct profil_pending *pending,
					  const struct profil_sample *sample)
{
	u16 link = *pending_bucket(pending, sample);

	for (; link; link = pending->next[link - 1]) {
		struct profil_sample *entry = &pending->entries[link - 1];

		if (entry->buf_offset == sample->buf_offset &&
		    entry->out_of_range == sample->out_of_range &&
		    entry->samples <= U32_MAX - sample->samples)
			return entry;
	}
	return NULL;
}

/* Initialize an empty queue of PROFIL_PENDING_INLINE entries. @pending: zeroed. */
void profil_pending_init(struct profil_pending *pending)
{
	raw_spin_lock_init(&pending->lock);
	pending_move_to(pending, pending->inline_entries, PROFIL_PENDING_INLINE);
}

/**
 * profil_pending_want - compute how many entries a queue should have
 * @rate: samples per second on each CPU
 * @cpus: number of CPUs that sample
 * @ms:   for how long, in milliseconds
 *
 * A CPU can take one sample more in that time than the rate gives, rounded down.
 *
 * Return: number of entries, at most PROFIL_PENDING_MAX.
 */
u32 profil_pending_want(u32 rate, u32 cpus, u32 ms)
{
	u64 want = (u64)cpus * (div_u64((u64)rate * ms, 1000) + 1);

	return min_t(u64, want, PROFIL_PENDING_MAX);
}

/**
 * profil_pending_grow - make room for more entries
 * @pending: queue
 * @want:    number of entries; up to PROFIL_PENDING_INLINE nothing is done
 * @gfp:     how to allocate
 *
 * A queue grows only once. Without enough memory it gets fewer entries, or none.
 */
void profil_pending_grow(struct profil_pending *pending, u32 want, gfp_t gfp)
{
	u32 size = roundup_pow_of_two(clamp_t(u32, want, PROFIL_PENDING_MIN, PROFIL_PENDING_MAX));
	struct profil_sample *old;
	unsigned long flags;
	u32 first, nr, i;
	void *memory;

	if (want <= PROFIL_PENDING_INLINE || pending_size(pending) > PROFIL_PENDING_INLINE)
		return;
	do {
		memory = kmalloc(PROFIL_PENDING_BYTES(size), gfp | __GFP_NOWARN);
		size = memory ? size : size / 2;
	} while (!memory && size >= PROFIL_PENDING_MIN);
	if (!memory)
		return;

	raw_spin_lock_irqsave(&pending->lock, flags);
	old = pending->entries;
	first = pending->first;
	nr = pending->nr;
	pending_move_to(pending, memory, size);
	for (i = 0; i < nr; i++)
		pending_append(pending, &old[(first + i) % PROFIL_PENDING_INLINE]);
	raw_spin_unlock_irqrestore(&pending->lock, flags);
}

/**
 * profil_pending_add - add a pending sample
 * @pending: queue
 * @sample:  merged with a pending sample of the same counter, if there is one. Each entry of
 *           a pc log is a counter of its own
 *
 * Return: false if the queue is full.
 */
bool profil_pending_add(struct profil_pending *pending, const struct profil_sample *sample)
{
	struct profil_sample *entry;
	unsigned long flags;
	bool room = true;

	raw_spin_lock_irqsave(&pending->lock, flags);
	entry = pending_find(pending, sample);
	if (entry)
		entry->samples += sample->samples;
	else if (pending->nr < pending_size(pending))
		pending_append(pending, sample);
	else
		room = false;
	if (room)
		pending->sum += sample->samples;
	if (pending->nr > pending_size(pending) / 2)
		WRITE_ONCE(pending->half_full, true);
	raw_spin_unlock_irqrestore(&pending->lock, flags);
	return room;
}

/**
 * profil_pending_first - get the sample that has been pending longest
 * @pending: queue
 * @sample:  out; it stays in the queue, as the first, until profil_pending_done()
 *
 * Return: false if the queue is empty.
 */
bool profil_pending_first(struct profil_pending *pending, struct profil_sample *sample)
{
	unsigned long flags;
	bool found;

	raw_spin_lock_irqsave(&pending->lock, flags);
	found = pending->nr;
	if (found)
		*sample = pending->entries[pending->first];
	raw_spin_unlock_irqrestore(&pending->lock, flags);
	return found;
}

/**
 * profil_pending_done - remove the first sample
 * @pending: queue
 * @samples: the number that profil_pending_first() returned. Samples merged since then stay
 *           pending, in the same entry
 *
 * The caller holds the service_mutex from profil_pending_first() on, so that no other caller
 * removes the sample.
 */
void profil_pending_done(struct profil_pending *pending, u32 samples)
{
	struct profil_sample *first;
	unsigned long flags;

	raw_spin_lock_irqsave(&pending->lock, flags);
	first = &pending->entries[pending->first];
	first->samples -= samples;
	pending->sum -= samples;
	if (!first->samples)
		pending_drop(pending);
	raw_spin_unlock_irqrestore(&pending->lock, flags);
}

/**
 * profil_pending_rotate - move the first sample to the end
 * @pending: queue, not empty
 *
 * The entry moves with all samples that have been merged into it.
 */
void profil_pending_rotate(struct profil_pending *pending)
{
	struct profil_sample first;
	unsigned long flags;

	raw_spin_lock_irqsave(&pending->lock, flags);
	first = pending->entries[pending->first];
	pending_drop(pending);
	pending_append(pending, &first);
	raw_spin_unlock_irqrestore(&pending->lock, flags);
}

/* Free the memory of a queue that has grown. No CPU uses it any more. */
void profil_pending_free(struct profil_pending *pending)
{
	if (pending_size(pending) > PROFIL_PENDING_INLINE)
		kfree(pending->entries);
}
