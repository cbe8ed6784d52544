/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples, and the queue of pending samples: those whose page is not pinned, because it was
 * never hit, the kernel has replaced it, or the process has just been forked. The worker
 * pins the page (service.c) and then counts the sample.
 *
 * First in, first out: a page that cannot be pinned ends the profile, and all samples that
 * were taken before are still counted, however late the worker runs. Only a sample whose
 * page is absent moves to the end, because the worker does not wait for pages.
 */
#ifndef _PROFIL_PENDING_H
#define _PROFIL_PENDING_H

#include <linux/compiler.h>
#include <linux/gfp.h>
#include <linux/spinlock.h>
#include <linux/types.h>

/**
 * struct profil_sample - a sample, and where it is counted
 * @buf_offset:   byte position (config.h) of the counter, or of the entry of a pc log
 * @pc:           for a pc log, the value to store
 * @samples:      how many, all at the same pc
 * @out_of_range: the counter is the catch-all counter
 */
struct profil_sample {
	u64 buf_offset;
	u64 pc;
	u32 samples;
	bool out_of_range;
};

/*
 * Numbers of entries, each for a different counter. A queue starts with INLINE entries in the
 * session itself, enough for 128 ms of one CPU's ticks at 250 Hz. It grows once, at a start,
 * at a fork or by the worker, to what the CPUs sample in PROFIL_PENDING_MS: by then, the
 * worker should have run. Where each hit is pending at first, it has room for what they sample
 * in PROFIL_PENDING_HITS_MS from the start, because on a busy machine the worker may wait for a
 * CPU. A queue of MAX entries takes 112 KiB. 256 CPUs at 4 kHz fill it in 4 ms.
 */
#define PROFIL_PENDING_INLINE	32
#define PROFIL_PENDING_MIN	128
#define PROFIL_PENDING_MAX	4096
#define PROFIL_PENDING_MS	8
#define PROFIL_PENDING_HITS_MS	300

/* Memory of a queue of @_size entries: see struct profil_pending. */
#define PROFIL_PENDING_BYTES(_size) \
	((_size) * (sizeof(struct profil_sample) + 2 * sizeof(u16)))

/**
 * struct profil_pending - a queue of pending samples
 * @lock:    taken by clocks and by the worker. Raw, with interrupts off. Held for a number
 *           of steps that does not depend on the number of samples
 * @bits:    log2 of the number of @entries
 * @first:   index of the entry that has been pending longest
 * @nr:      entries in use, from @first on; they continue at the array's start
 * @half_full: more than half of the entries have been in use at once
 * @sum:     samples in all entries
 * @entries: each for a different counter, except for those beyond PROFIL_PENDING_CHAIN
 * @next:    by entry: the next entry in the same bucket, as index + 1; 0 if none
 * @buckets: by hash of the counter: the first entry, also as index + 1. As many as @entries
 * @inline_entries: memory of the queue before it has grown
 */
struct profil_pending {
	raw_spinlock_t lock;
	u32 bits;
	u32 first;
	u32 nr;
	bool half_full;
	u64 sum;
	struct profil_sample *entries;
	u16 *next;
	u16 *buckets;
	u64 inline_entries[PROFIL_PENDING_BYTES(PROFIL_PENDING_INLINE) / sizeof(u64)];
};

/*
 * Most entries in one bucket. Further entries are in no bucket and are not found, so that
 * one counter can have several entries. They take room, but are counted like all others. By
 * chance, about one bucket in a million of a full queue has further entries. A process that
 * provokes them fills its own queue sooner, but the lock is not held for longer.
 */
#define PROFIL_PENDING_CHAIN	8

/* Any context. */
void profil_pending_init(struct profil_pending *pending);
u32 profil_pending_want(u32 rate, u32 cpus, u32 ms);
void profil_pending_grow(struct profil_pending *pending, u32 want, gfp_t gfp);
bool profil_pending_add(struct profil_pending *pending, const struct profil_sample *sample);
bool profil_pending_first(struct profil_pending *pending, struct profil_sample *sample);
void profil_pending_done(struct profil_pending *pending, u32 samples);
void profil_pending_rotate(struct profil_pending *pending);

/* No CPU uses it any more. */
void profil_pending_free(struct profil_pending *pending);

/* Whether the queue should grow. */
static inline bool profil_pending_wants_grow(const struct profil_pending *pending)
{
	return READ_ONCE(pending->half_full) && 1U << pending->bits == PROFIL_PENDING_INLINE;
}

/* The number of pending samples. Any context. */
static inline u64 profil_pending_sum(struct profil_pending *pending)
{
	unsigned long flags;
	u64 sum;

	raw_spin_lock_irqsave(&pending->lock, flags);
	sum = pending->sum;
	raw_spin_unlock_irqrestore(&pending->lock, flags);
	return sum;
}

#endif /* _PROFIL_PENDING_H */
