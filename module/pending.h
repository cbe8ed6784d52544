/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples, and the log in which they wait while the page of their counter is not
 * pinned: the kernel has replaced it, it was never hit, or the process has just
 * been forked. A worker pins the page (worker.c) and counts them then.
 *
 * First in, first out: a page that cannot be pinned ends the profile, and what came
 * before the sample that wanted it is to be counted, however late the worker comes. Only
 * where a page is not available without waiting, its sample goes to the end.
 */
#ifndef _PROFIL_PENDING_H
#define _PROFIL_PENDING_H

#include <linux/compiler.h>
#include <linux/gfp.h>
#include <linux/spinlock.h>
#include <linux/types.h>

/**
 * struct profil_sample - what a tick found, and where it goes
 * @buf_offset:        byte position (config.h) of the counter, or of the log's entry
 * @pc:           for a pc log, what is stored there
 * @samples:      how many, all at the same pc
 * @out_of_range: the counter is the catch-all
 */
struct profil_sample {
	u64 buf_offset;
	u64 pc;
	u32 samples;
	bool out_of_range;
};

/*
 * Distinct counters that can wait at once. A log begins with FEW, in the session: 128 ms
 * of one CPU's ticks at 250 Hz. It grows once, by a start, a fork or the worker, to what
 * CPUs sample in PROFIL_PENDING_MS: 2 ms are the least interval between two workers, and
 * the rest is for the worker to get a CPU. At MOST it takes 112 KiB: 256 CPUs at 4 kHz
 * fill that in 4 ms.
 */
#define PROFIL_PENDING_FEW	32
#define PROFIL_PENDING_LEAST	128
#define PROFIL_PENDING_MOST	4096
#define PROFIL_PENDING_MS	8

/* Memory of a log for that many: see struct profil_pending. */
#define PROFIL_PENDING_BYTES(_size) \
	((_size) * (sizeof(struct profil_sample) + 2 * sizeof(u16)))

/**
 * struct profil_pending - samples that wait
 * @lock:    taken by ticks and by the worker: raw, with interrupts off. Held for a number
 *           of steps that does not depend on how many samples wait
 * @bits:    log2 of the number of @entries
 * @first:   index of the entry that has waited longest
 * @nr:      entries in use: from @first on, and after the array's end from its beginning
 * @crowded: more than half of them were in use at once
 * @sum:     samples in all of them
 * @entries: each of another counter, but for what PROFIL_PENDING_CHAIN brings
 * @next:    of an entry: the next one in the same bucket. Index and 1; 0 if none
 * @buckets: of a hash of the counter: the first entry, in the same way. As many as entries
 * @few:     what all of these point to first
 */
struct profil_pending {
	raw_spinlock_t lock;
	u32 bits;
	u32 first;
	u32 nr;
	bool crowded;
	u64 sum;
	struct profil_sample *entries;
	u16 *next;
	u16 *buckets;
	u64 few[PROFIL_PENDING_BYTES(PROFIL_PENDING_FEW) / sizeof(u64)];
};

/*
 * An entry that would be behind so many in its bucket is in none. It is not found, so that
 * its counter may have several entries: they take room, but are counted one by one.
 * Without intent such a bucket is rarer than one in a million. With intent a process makes
 * its own log fill sooner, and holds the lock no longer.
 */
#define PROFIL_PENDING_CHAIN	8

/* Any context. */
void profil_pending_init(struct profil_pending *pending);
u32 profil_pending_want(u32 rate, u32 cpus);
void profil_pending_grow(struct profil_pending *pending, u32 want, gfp_t gfp);
bool profil_pending_add(struct profil_pending *pending,
			const struct profil_sample *sample);
bool profil_pending_first(struct profil_pending *pending,
			  struct profil_sample *sample);
void profil_pending_done(struct profil_pending *pending, u32 samples);
void profil_pending_rotate(struct profil_pending *pending);

/* Nobody uses it any more. */
void profil_pending_free(struct profil_pending *pending);

/* Whether it should be larger. */
static inline bool profil_pending_crowded(const struct profil_pending *pending)
{
	return READ_ONCE(pending->crowded) &&
	       1U << pending->bits == PROFIL_PENDING_FEW;
}

/* How many entries there are: who rotates has seen all after so many. Any context. */
static inline u32 profil_pending_nr(const struct profil_pending *pending)
{
	return READ_ONCE(pending->nr);
}

/* How many samples wait. Any context. */
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
