/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples, and the log in which they wait while the page of their counter is not
 * pinned: the kernel has replaced it, it was never hit, or the process has just
 * been forked. A worker pins the page (repair.c) and counts them then.
 *
 * First in, first out: a page that cannot be pinned ends the profile, and what came
 * before the sample that wanted it is to be counted, however late the worker comes. Only
 * where a page is not available without waiting, its sample goes to the end.
 */
#ifndef _PROFIL_WAITING_H
#define _PROFIL_WAITING_H

#include <linux/compiler.h>
#include <linux/gfp.h>
#include <linux/spinlock.h>
#include <linux/types.h>

/**
 * struct profil_sample - what a tick found, and where it goes
 * @place:        byte position (config.h) of the counter, or of the log's entry
 * @pc:           for a pc log, what is stored there
 * @samples:      how many, all at the same pc
 * @out_of_range: the counter is the catch-all
 */
struct profil_sample {
	u64 place;
	u64 pc;
	u32 samples;
	bool out_of_range;
};

/*
 * Distinct counters that can wait at once. A log begins with FEW, in the session: 128 ms
 * of one CPU's ticks at 250 Hz. It grows once, by a start, a fork or the worker, to what
 * CPUs sample in PROFIL_WAITING_MS: 2 ms are the least interval between two workers, and
 * the rest is for the worker to get a CPU. At MOST it takes 112 KiB: 256 CPUs at 4 kHz
 * fill that in 4 ms.
 */
#define PROFIL_WAITING_FEW	32
#define PROFIL_WAITING_LEAST	128
#define PROFIL_WAITING_MOST	4096
#define PROFIL_WAITING_MS	8

/* Memory of a log for that many: see struct profil_waiting. */
#define PROFIL_WAITING_BYTES(_size) \
	((_size) * (sizeof(struct profil_sample) + 2 * sizeof(u16)))

/**
 * struct profil_waiting - samples that wait
 * @lock:    taken by ticks and by the worker: raw, with interrupts off. Held for a number
 *           of steps that does not depend on how many samples wait
 * @bits:    log2 of the number of @entries
 * @first:   index of the entry that has waited longest
 * @nr:      entries in use: from @first on, and after the array's end from its beginning
 * @crowded: more than half of them were in use at once
 * @sum:     samples in all of them
 * @entries: each of another counter, but for what PROFIL_WAITING_CHAIN brings
 * @next:    of an entry: the next one in the same bucket. Index and 1; 0 if none
 * @buckets: of a hash of the counter: the first entry, in the same way. As many as entries
 * @few:     what all of these point to first
 */
struct profil_waiting {
	raw_spinlock_t lock;
	u32 bits;
	u32 first;
	u32 nr;
	bool crowded;
	u64 sum;
	struct profil_sample *entries;
	u16 *next;
	u16 *buckets;
	u64 few[PROFIL_WAITING_BYTES(PROFIL_WAITING_FEW) / sizeof(u64)];
};

/*
 * An entry that would be behind so many in its bucket is in none. It is not found, so that
 * its counter may have several entries: they take room, but are counted one by one.
 * Without intent such a bucket is rarer than one in a million. With intent a process makes
 * its own log fill sooner, and holds the lock no longer.
 */
#define PROFIL_WAITING_CHAIN	8

/* Any context. */
void profil_waiting_init(struct profil_waiting *waiting);
u32 profil_waiting_want(u32 rate, u32 cpus);
void profil_waiting_grow(struct profil_waiting *waiting, u32 want, gfp_t gfp);
bool profil_waiting_add(struct profil_waiting *waiting,
			const struct profil_sample *sample);
bool profil_waiting_first(struct profil_waiting *waiting,
			  struct profil_sample *sample);
void profil_waiting_done(struct profil_waiting *waiting, u32 samples);
void profil_waiting_rotate(struct profil_waiting *waiting);

/* Nobody uses it any more. */
void profil_waiting_free(struct profil_waiting *waiting);

/* Whether it should be larger. */
static inline bool profil_waiting_crowded(const struct profil_waiting *waiting)
{
	return READ_ONCE(waiting->crowded) &&
	       1U << waiting->bits == PROFIL_WAITING_FEW;
}

/* How many entries there are: who rotates has seen all after so many. Any context. */
static inline u32 profil_waiting_nr(const struct profil_waiting *waiting)
{
	return READ_ONCE(waiting->nr);
}

/* How many samples wait. Any context. */
static inline u64 profil_waiting_sum(struct profil_waiting *waiting)
{
	unsigned long flags;
	u64 sum;

	raw_spin_lock_irqsave(&waiting->lock, flags);
	sum = waiting->sum;
	raw_spin_unlock_irqrestore(&waiting->lock, flags);
	return sum;
}

#endif /* _PROFIL_WAITING_H */
