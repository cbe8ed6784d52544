// SPDX-License-Identifier: GPL-2.0-only
/*
 * The log in which samples wait (pending.h): a ring of entries, found by a hash.
 *
 * All but profil_pending_init(), profil_pending_want() and profil_pending_free() take the
 * log's lock. They may be called in any context. Who takes samples out of it, or has it
 * grow, holds the session's service_mutex (session.h) or is alone.
 */
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "pending.h"

static u32 pending_size(const struct profil_pending *pending)
{
	return 1U << pending->bits;
}

/* The index of the @i-th of those that wait, or with @i = nr of a free one. */
static u32 pending_index(const struct profil_pending *pending, u32 i)
{
	return (pending->first + i) & (pending_size(pending) - 1);
}

static u16 *pending_bucket(struct profil_pending *pending,
			   const struct profil_sample *sample)
{
	return &pending->buckets[hash_64(sample->buf_offset + sample->out_of_range,
					 pending->bits)];
}

/* Empty, in memory of PROFIL_PENDING_BYTES(). */
static void pending_move_to(struct profil_pending *pending, void *memory,
			    u32 size)
{
	pending->bits = ilog2(size);
	pending->first = 0;
	pending->nr = 0;
	pending->entries = memory;
	pending->next = (u16 *)(pending->entries + size);
	pending->buckets = pending->next + size;
	memset(pending->buckets, 0, size * sizeof(*pending->buckets));
}

/* A free entry becomes the last one. There is one. */
static void pending_append(struct profil_pending *pending,
			   const struct profil_sample *sample)
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

/* The first does not wait there any more. There is one. */
static void pending_drop(struct profil_pending *pending)
{
	u16 *link = pending_bucket(pending, &pending->entries[pending->first]);

	while (*link && *link != pending->first + 1)
		link = &pending->next[*link - 1];
	/* else it was in no bucket */
	if (*link)
		*link = pending->next[pending->first];
	pending->first = pending_index(pending, 1);
	pending->nr--;
}

/* The entry that a sample can be added to, or NULL. */
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

/**
 * profil_pending_init - an empty log of PROFIL_PENDING_FEW
 * @pending: zeroed
 */
void profil_pending_init(struct profil_pending *pending)
{
	raw_spin_lock_init(&pending->lock);
	pending_move_to(pending, pending->few, PROFIL_PENDING_FEW);
}

/**
 * profil_pending_want - how many entries a log should have
 * @rate: samples a second on each CPU
 * @cpus: that sample
 *
 * One more for each CPU: time is cut into PROFIL_PENDING_MS anywhere.
 */
u32 profil_pending_want(u32 rate, u32 cpus)
{
	u64 want = (u64)cpus * ((u64)rate * PROFIL_PENDING_MS / 1000 + 1);

	return min_t(u64, want, PROFIL_PENDING_MOST);
}

/**
 * profil_pending_grow - have room for more
 * @pending: log
 * @want:    how many; with PROFIL_PENDING_FEW or less nothing is done
 * @gfp:     how to allocate
 *
 * Only once. Where there is not so much memory, it has less room, or stays as it is.
 */
void profil_pending_grow(struct profil_pending *pending, u32 want, gfp_t gfp)
{
	u32 size = roundup_pow_of_two(clamp_t(u32, want, PROFIL_PENDING_LEAST,
					      PROFIL_PENDING_MOST));
	struct profil_sample *few;
	unsigned long flags;
	u32 first, nr, i;
	void *memory;

	if (want <= PROFIL_PENDING_FEW ||
	    pending_size(pending) > PROFIL_PENDING_FEW)
		return;
	do {
		memory = kmalloc(PROFIL_PENDING_BYTES(size), gfp | __GFP_NOWARN);
		size = memory ? size : size / 2;
	} while (!memory && size >= PROFIL_PENDING_LEAST);
	if (!memory)
		return;

	raw_spin_lock_irqsave(&pending->lock, flags);
	few = pending->entries;
	first = pending->first;
	nr = pending->nr;
	pending_move_to(pending, memory, size);
	for (i = 0; i < nr; i++)
		pending_append(pending, &few[(first + i) % PROFIL_PENDING_FEW]);
	raw_spin_unlock_irqrestore(&pending->lock, flags);
}

/**
 * profil_pending_add - let a sample wait
 * @pending: log
 * @sample:  added to one that waits for the same counter, if there is one. Those
 *           of a pc log all have their own place
 *
 * Return: false if there is no room.
 */
bool profil_pending_add(struct profil_pending *pending,
			const struct profil_sample *sample)
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
		WRITE_ONCE(pending->crowded, true);
	raw_spin_unlock_irqrestore(&pending->lock, flags);
	return room;
}

/**
 * profil_pending_first - look at what has waited longest
 * @pending: log
 * @sample:  out; it stays in the log, and stays the first, until it is done
 *
 * Return: false if none waits.
 */
bool profil_pending_first(struct profil_pending *pending,
			  struct profil_sample *sample)
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
 * profil_pending_done - the first does not wait any more
 * @pending: log
 * @samples: how many profil_pending_first() has reported. Those that have been added to
 *           it since go on waiting, in its place
 *
 * The caller holds service_mutex from the one to the other, so that nobody else is done
 * with that sample first.
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
 * profil_pending_rotate - the first becomes the last
 * @pending: log, with a first one
 *
 * With all that has been added to it. Where there is only one, it stays.
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

/* Memory of a log that has grown. Nobody uses it any more. */
void profil_pending_free(struct profil_pending *pending)
{
	if (pending_size(pending) > PROFIL_PENDING_FEW)
		kfree(pending->entries);
}
