/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples, and the log in which they wait while the page of their counter is not
 * pinned: the kernel has replaced it, it was never hit, or the process has just
 * been forked. A worker pins the page (repair.c) and counts them then.
 *
 * First in, first out: a page that cannot be pinned ends the profile, and what came
 * before the sample that wanted it is to be counted, however late the worker comes.
 */
#ifndef _PROFIL_WAITING_H
#define _PROFIL_WAITING_H

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
 * Distinct counters that can wait at once. A worker takes less than a millisecond
 * to come; this is half a second of one CPU's ticks, or one of 20 kHz for 6 ms.
 */
#define PROFIL_WAITING_MAX	128

/**
 * struct profil_waiting - samples that wait
 * @lock:    taken by ticks and by the worker: raw, with interrupts off
 * @first:   index of the entry that has waited longest
 * @nr:      entries in use: from @first on, and after the array's end from its beginning
 * @entries: each of another counter
 */
struct profil_waiting {
	raw_spinlock_t lock;
	u32 first;
	u32 nr;
	struct profil_sample entries[PROFIL_WAITING_MAX];
};

static inline void profil_waiting_init(struct profil_waiting *waiting)
{
	raw_spin_lock_init(&waiting->lock);
	waiting->first = 0;
	waiting->nr = 0;
}

/* The @i-th of those that wait, or with @i = nr a free one. With the lock. */
static inline struct profil_sample *
profil_waiting_entry(struct profil_waiting *waiting, u32 i)
{
	return &waiting->entries[(waiting->first + i) % PROFIL_WAITING_MAX];
}

/**
 * profil_waiting_add - let a sample wait
 * @waiting: log
 * @sample:  added to one that waits for the same counter, if there is one. Those
 *           of a pc log all have their own place
 *
 * Any context. Return: false if there is no room.
 */
static inline bool profil_waiting_add(struct profil_waiting *waiting,
				      const struct profil_sample *sample)
{
	struct profil_sample *entry;
	unsigned long flags;
	bool room = true;
	u32 i;

	raw_spin_lock_irqsave(&waiting->lock, flags);
	for (i = 0; i < waiting->nr; i++) {
		entry = profil_waiting_entry(waiting, i);
		if (entry->place == sample->place &&
		    entry->out_of_range == sample->out_of_range)
			break;
	}
	if (i < waiting->nr) {
		entry->samples += sample->samples;
	} else if (waiting->nr < PROFIL_WAITING_MAX) {
		*profil_waiting_entry(waiting, waiting->nr) = *sample;
		waiting->nr++;
	} else {
		room = false;
	}
	raw_spin_unlock_irqrestore(&waiting->lock, flags);
	return room;
}

/**
 * profil_waiting_first - look at what has waited longest
 * @waiting: log
 * @sample:  out; it stays in the log, and stays the first, until it is done
 *
 * Any context. Return: false if none waits.
 */
static inline bool profil_waiting_first(struct profil_waiting *waiting,
					struct profil_sample *sample)
{
	unsigned long flags;
	bool found;

	raw_spin_lock_irqsave(&waiting->lock, flags);
	found = waiting->nr;
	if (found)
		*sample = *profil_waiting_entry(waiting, 0);
	raw_spin_unlock_irqrestore(&waiting->lock, flags);
	return found;
}

/**
 * profil_waiting_done - the first does not wait any more
 * @waiting: log
 * @samples: how many profil_waiting_first() has told of. Those that have been added to
 *           it since go on waiting, in its place
 *
 * Any context. Who calls both holds service_mutex (session.h) from the one to the other,
 * so that nobody else is done with that sample first.
 */
static inline void profil_waiting_done(struct profil_waiting *waiting,
				       u32 samples)
{
	struct profil_sample *first;
	unsigned long flags;

	raw_spin_lock_irqsave(&waiting->lock, flags);
	first = profil_waiting_entry(waiting, 0);
	first->samples -= samples;
	if (!first->samples) {
		waiting->first = (waiting->first + 1) % PROFIL_WAITING_MAX;
		waiting->nr--;
	}
	raw_spin_unlock_irqrestore(&waiting->lock, flags);
}

/**
 * profil_waiting_rotate - the first goes after all others
 * @waiting: log, of which profil_waiting_first() has just reported the first
 *
 * Any context; with service_mutex, as profil_waiting_done().
 */
static inline void profil_waiting_rotate(struct profil_waiting *waiting)
{
	struct profil_sample first;
	unsigned long flags;

	raw_spin_lock_irqsave(&waiting->lock, flags);
	first = *profil_waiting_entry(waiting, 0);
	waiting->first = (waiting->first + 1) % PROFIL_WAITING_MAX;
	*profil_waiting_entry(waiting, waiting->nr - 1) = first;
	raw_spin_unlock_irqrestore(&waiting->lock, flags);
}

/* How many samples wait. Any context. */
static inline u64 profil_waiting_sum(struct profil_waiting *waiting)
{
	unsigned long flags;
	u64 sum = 0;
	u32 i;

	raw_spin_lock_irqsave(&waiting->lock, flags);
	for (i = 0; i < waiting->nr; i++)
		sum += profil_waiting_entry(waiting, i)->samples;
	raw_spin_unlock_irqrestore(&waiting->lock, flags);
	return sum;
}

#endif /* _PROFIL_WAITING_H */
