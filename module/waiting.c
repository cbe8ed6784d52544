// SPDX-License-Identifier: GPL-2.0-only
/*
 * The log in which samples wait (waiting.h): a ring of entries, found by a hash.
 *
 * All but profil_waiting_init(), profil_waiting_want() and profil_waiting_free() take the
 * log's lock. They may be called in any context. Who takes samples out of it, or has it
 * grow, holds the session's service_mutex (session.h) or is alone.
 */
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "waiting.h"

static u32 waiting_size(const struct profil_waiting *waiting)
{
	return 1U << waiting->bits;
}

/* The index of the @i-th of those that wait, or with @i = nr of a free one. */
static u32 waiting_index(const struct profil_waiting *waiting, u32 i)
{
	return (waiting->first + i) & (waiting_size(waiting) - 1);
}

static u16 *waiting_bucket(struct profil_waiting *waiting,
			   const struct profil_sample *sample)
{
	return &waiting->buckets[hash_64(sample->place + sample->out_of_range,
					 waiting->bits)];
}

/* Empty, in memory of PROFIL_WAITING_BYTES(). */
static void waiting_move_to(struct profil_waiting *waiting, void *memory,
			    u32 size)
{
	waiting->bits = ilog2(size);
	waiting->first = 0;
	waiting->nr = 0;
	waiting->entries = memory;
	waiting->next = (u16 *)(waiting->entries + size);
	waiting->buckets = waiting->next + size;
	memset(waiting->buckets, 0, size * sizeof(*waiting->buckets));
}

/* A free entry becomes the last one. There is one. */
static void waiting_append(struct profil_waiting *waiting,
			   const struct profil_sample *sample)
{
	u32 index = waiting_index(waiting, waiting->nr++);
	u16 *bucket = waiting_bucket(waiting, sample);
	u16 link = *bucket;
	u32 before;

	waiting->entries[index] = *sample;
	for (before = 0; link; before++)
		link = waiting->next[link - 1];
	waiting->next[index] = 0;
	if (before < PROFIL_WAITING_CHAIN) {
		waiting->next[index] = *bucket;
		*bucket = index + 1;
	}
}

/* The first does not wait there any more. There is one. */
static void waiting_drop(struct profil_waiting *waiting)
{
	u16 *link = waiting_bucket(waiting, &waiting->entries[waiting->first]);

	while (*link && *link != waiting->first + 1)
		link = &waiting->next[*link - 1];
	/* else it was in no bucket */
	if (*link)
		*link = waiting->next[waiting->first];
	waiting->first = waiting_index(waiting, 1);
	waiting->nr--;
}

/* The entry that a sample can be added to, or NULL. */
static struct profil_sample *waiting_find(struct profil_waiting *waiting,
					  const struct profil_sample *sample)
{
	u16 link = *waiting_bucket(waiting, sample);

	for (; link; link = waiting->next[link - 1]) {
		struct profil_sample *entry = &waiting->entries[link - 1];

		if (entry->place == sample->place &&
		    entry->out_of_range == sample->out_of_range &&
		    entry->samples <= U32_MAX - sample->samples)
			return entry;
	}
	return NULL;
}

/**
 * profil_waiting_init - an empty log of PROFIL_WAITING_FEW
 * @waiting: zeroed
 */
void profil_waiting_init(struct profil_waiting *waiting)
{
	raw_spin_lock_init(&waiting->lock);
	waiting_move_to(waiting, waiting->few, PROFIL_WAITING_FEW);
}

/**
 * profil_waiting_want - how many entries a log should have
 * @rate: samples a second on each CPU
 * @cpus: that sample
 *
 * One more for each CPU: time is cut into PROFIL_WAITING_MS anywhere.
 */
u32 profil_waiting_want(u32 rate, u32 cpus)
{
	u64 want = (u64)cpus * ((u64)rate * PROFIL_WAITING_MS / 1000 + 1);

	return min_t(u64, want, PROFIL_WAITING_MOST);
}

/**
 * profil_waiting_grow - have room for more
 * @waiting: log
 * @want:    how many; with PROFIL_WAITING_FEW or less nothing is done
 * @gfp:     how to allocate
 *
 * Only once. Where there is not so much memory, it has less room, or stays as it is.
 */
void profil_waiting_grow(struct profil_waiting *waiting, u32 want, gfp_t gfp)
{
	u32 size = roundup_pow_of_two(clamp_t(u32, want, PROFIL_WAITING_LEAST,
					      PROFIL_WAITING_MOST));
	struct profil_sample *few;
	unsigned long flags;
	u32 first, nr, i;
	void *memory;

	if (want <= PROFIL_WAITING_FEW ||
	    waiting_size(waiting) > PROFIL_WAITING_FEW)
		return;
	do {
		memory = kmalloc(PROFIL_WAITING_BYTES(size), gfp | __GFP_NOWARN);
		size = memory ? size : size / 2;
	} while (!memory && size >= PROFIL_WAITING_LEAST);
	if (!memory)
		return;

	raw_spin_lock_irqsave(&waiting->lock, flags);
	few = waiting->entries;
	first = waiting->first;
	nr = waiting->nr;
	waiting_move_to(waiting, memory, size);
	for (i = 0; i < nr; i++)
		waiting_append(waiting, &few[(first + i) % PROFIL_WAITING_FEW]);
	raw_spin_unlock_irqrestore(&waiting->lock, flags);
}

/**
 * profil_waiting_add - let a sample wait
 * @waiting: log
 * @sample:  added to one that waits for the same counter, if there is one. Those
 *           of a pc log all have their own place
 *
 * Return: false if there is no room.
 */
bool profil_waiting_add(struct profil_waiting *waiting,
			const struct profil_sample *sample)
{
	struct profil_sample *entry;
	unsigned long flags;
	bool room = true;

	raw_spin_lock_irqsave(&waiting->lock, flags);
	entry = waiting_find(waiting, sample);
	if (entry)
		entry->samples += sample->samples;
	else if (waiting->nr < waiting_size(waiting))
		waiting_append(waiting, sample);
	else
		room = false;
	if (room)
		waiting->sum += sample->samples;
	if (waiting->nr > waiting_size(waiting) / 2)
		WRITE_ONCE(waiting->crowded, true);
	raw_spin_unlock_irqrestore(&waiting->lock, flags);
	return room;
}

/**
 * profil_waiting_first - look at what has waited longest
 * @waiting: log
 * @sample:  out; it stays in the log, and stays the first, until it is done
 *
 * Return: false if none waits.
 */
bool profil_waiting_first(struct profil_waiting *waiting,
			  struct profil_sample *sample)
{
	unsigned long flags;
	bool found;

	raw_spin_lock_irqsave(&waiting->lock, flags);
	found = waiting->nr;
	if (found)
		*sample = waiting->entries[waiting->first];
	raw_spin_unlock_irqrestore(&waiting->lock, flags);
	return found;
}

/**
 * profil_waiting_done - the first does not wait any more
 * @waiting: log
 * @samples: how many profil_waiting_first() has reported. Those that have been added to
 *           it since go on waiting, in its place
 *
 * The caller holds service_mutex from the one to the other, so that nobody else is done
 * with that sample first.
 */
void profil_waiting_done(struct profil_waiting *waiting, u32 samples)
{
	struct profil_sample *first;
	unsigned long flags;

	raw_spin_lock_irqsave(&waiting->lock, flags);
	first = &waiting->entries[waiting->first];
	first->samples -= samples;
	waiting->sum -= samples;
	if (!first->samples)
		waiting_drop(waiting);
	raw_spin_unlock_irqrestore(&waiting->lock, flags);
}

/**
 * profil_waiting_rotate - the first becomes the last
 * @waiting: log, with a first one
 *
 * With all that has been added to it. Where there is only one, it stays.
 */
void profil_waiting_rotate(struct profil_waiting *waiting)
{
	struct profil_sample first;
	unsigned long flags;

	raw_spin_lock_irqsave(&waiting->lock, flags);
	first = waiting->entries[waiting->first];
	waiting_drop(waiting);
	waiting_append(waiting, &first);
	raw_spin_unlock_irqrestore(&waiting->lock, flags);
}

/* Memory of a log that has grown. Nobody uses it any more. */
void profil_waiting_free(struct profil_waiting *waiting)
{
	if (waiting_size(waiting) > PROFIL_WAITING_FEW)
		kfree(waiting->entries);
}
