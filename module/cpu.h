/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A slot is the part of a session that a CPU uses: a lock, a phase, counts and the last
 * page. A session starts with one slot that all CPUs share. When several CPUs take turns in
 * it, the worker gives each of them its own. So a short-lived process costs the same on any
 * machine, and threads of a busy process do not wait for each other.
 */
#ifndef _PROFIL_CPU_H
#define _PROFIL_CPU_H

#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/gfp.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct page;

/**
 * struct profil_counts - what happened to samples
 * @samples:      samples taken; those in none of the next three are pending
 * @counted:      of these, added to a region's counter or stored in the pc log
 * @out_of_range: of these, in no region
 * @lost:         of these, not counted
 * @skipped:      not in @samples: due, but too many at once (sampler.c)
 *
 * A slot's counts are accessed with its lock held, those of pending samples with the
 * session's service_mutex held. So a 32-bit CPU never reads half of one.
 */
struct profil_counts {
	u64 samples;
	u64 counted;
	u64 out_of_range;
	u64 lost;
	u64 skipped;
};

/**
 * struct profil_cpu - a slot, which one CPU uses, or several share
 * @lock:    held by a CPU while it samples. profil_cpus_barrier() takes it to wait for that.
 *           Raw, because it is taken in hard interrupts, on PREEMPT_RT too
 * @phase:   part of a sample that ticks have earned so far (tick_math.h)
 * @counts:  counts of the samples taken with this slot
 * @page:    page of the last sample, which saves a lookup; or NULL. Valid while @lock is
 *           held: profil_cpus_barrier() clears it
 * @index:   number of @page among the pages of all spans
 * @next:    another slot, or NULL. The shared slot's is written with its lock held, that of
 *           any other slot only before the slot is published
 */
struct profil_cpu {
	raw_spinlock_t lock;
	u32 phase;
	struct profil_counts counts;
	struct page *page;
	unsigned long index;
	struct profil_cpu *next;
};

/**
 * struct profil_cpus - the slots of a session
 * @own:     by CPU number: its own slot, NULL, or PROFIL_CPU_WANTED. Written with @shared's
 *           lock held, read without. NULL itself until the first slot is wanted
 * @serial:  number of the session
 * @shared:  used by all CPUs without an own slot; head of the list of all slots
 * @last:    CPU that last used @shared
 * @changes: how often @last changed since the worker last allocated slots. Both are written
 *           with @shared's lock held, except when the worker resets @changes
 *
 * Every sample reads the first cache line. It writes the second only without an own slot.
 */
struct profil_cpus {
	struct profil_cpu **own;
	u32 serial;
	struct profil_cpu shared ____cacheline_aligned_in_smp;
	int last;
	u32 changes;
};

/* In profil_cpus.own: the CPU needs its own slot, because it shares one with others. */
#define PROFIL_CPU_WANTED	((struct profil_cpu *)1UL)

/*
 * The shared slot must change its CPU this many times before own slots are allocated, and
 * before that is retried. A process with one thread seldom migrates that often.
 */
#define PROFIL_CPU_CHANGES	16

/**
 * profil_cpus_here - get the slot that this CPU uses
 * @cpus: slots
 *
 * The caller must not be preempted, and takes the slot's lock. While it waits for the lock
 * of the shared slot, the CPU may get its own slot. It may still use the shared one then:
 * profil_cpus_barrier() always takes that lock.
 *
 * Return: the slot.
 */
static __always_inline struct profil_cpu *
profil_cpus_here(struct profil_cpus *cpus)
{
	/* pairs with cpus_publish_table() */
	struct profil_cpu **table = smp_load_acquire(&cpus->own);
	struct profil_cpu *own;

	if (table) {
		/* pairs with cpus_publish(); see profil_cpus_barrier() */
		own = smp_load_acquire(&table[smp_processor_id()]);
		if (likely((unsigned long)own >
			   (unsigned long)PROFIL_CPU_WANTED))
			return own;
	}
	return &cpus->shared;
}

bool profil_cpus_change(struct profil_cpus *cpus, int cpu);

/**
 * profil_cpus_used - record which CPU has used a slot
 * @cpus: slots
 * @cpu:  the slot, with its lock held
 *
 * Return: whether profil_cpus_grow() must be called.
 */
static __always_inline bool profil_cpus_used(struct profil_cpus *cpus,
					     const struct profil_cpu *cpu)
{
	return cpu == &cpus->shared && cpus->last != smp_processor_id() &&
	       profil_cpus_change(cpus, smp_processor_id());
}

/* Any context. */
u32 profil_cpus_phase(u32 serial, u32 number);
void profil_cpus_init(struct profil_cpus *cpus);
void profil_cpus_barrier(struct profil_cpus *cpus);
struct profil_counts profil_cpus_counts(struct profil_cpus *cpus);

/* With the session's service_mutex held. */
bool profil_cpus_wants_grow(struct profil_cpus *cpus);
void profil_cpus_grow(struct profil_cpus *cpus, gfp_t gfp);

/* No CPU uses the slots any more. */
void profil_cpus_free(struct profil_cpus *cpus);

#endif /* _PROFIL_CPU_H */
