/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A slot is the part of a session that a CPU uses: a lock, a phase, counts and the last
 * page. A session starts with one slot that all CPUs share. When CPUs take turns in it, the
 * worker gives each CPU its own. So a short-lived process costs the same on any machine, and
 * threads of a busy process do not wait for each other.
 */
#ifndef _PROFIL_CPU_H
#define _PROFIL_CPU_H

#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/gfp.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct page;
struct profil_fast;

/**
 * struct profil_counts - what happened to samples
 * @samples:      samples taken; those in none of the next three are pending
 * @counted:      of these, added to a region's counter or stored in the pc log
 * @out_of_range: of these, in no region
 * @lost:         of these, not counted
 * @skipped:      not in @samples: due, but too many at once (clock.c)
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

static inline void profil_counts_add(struct profil_counts *sum, const struct profil_counts *counts)
{
	sum->samples += counts->samples;
	sum->counted += counts->counted;
	sum->out_of_range += counts->out_of_range;
	sum->lost += counts->lost;
	sum->skipped += counts->skipped;
}

/**
 * struct profil_cpu - a slot, which one CPU uses, or all share
 * @lock:    held by a CPU while it samples. profil_cpus_barrier() takes it to wait for that.
 *           Raw, because it is taken in hard interrupts, on PREEMPT_RT too
 * @phase:   part of a sample that ticks have earned so far (tick_math.h)
 * @counts:  counts of the samples taken with this slot
 * @page:    page of the last sample, which saves a lookup; or NULL. Valid while @lock is
 *           held: profil_cpus_barrier() clears it
 * @index:   number of @page among the pages of all spans
 * @fast:    the cache of the fast path that the slot is in, or NULL (fast.h)
 */
struct profil_cpu {
	raw_spinlock_t lock;
	u32 phase;
	struct profil_counts counts;
	struct page *page;
	unsigned long index;
	struct profil_fast *fast;
};

/**
 * struct profil_cpus - the slots of a session
 * @own:     the CPUs' own slots; NULL until the worker has allocated them. Written with
 *           @shared's lock held, read without
 * @serial:  number of the session
 * @shared:  used by all CPUs until there is @own
 * @last:    CPU that last used @shared
 * @changes: how often @last changed. Both are written with @shared's lock held
 *
 * Every sample reads the first cache line. It writes the second only without own slots.
 */
struct profil_cpus {
	struct profil_cpu __percpu *own;
	u32 serial;
	struct profil_cpu shared ____cacheline_aligned_in_smp;
	int last;
	u32 changes;
};

/*
 * The shared slot must change its CPU this many times before own slots are allocated. A
 * process with one thread seldom migrates that often.
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
	/* pairs with profil_cpus_grow(); see profil_cpus_barrier(); litmus: cpus-grow, cpus-own */
	struct profil_cpu __percpu *own = smp_load_acquire(&cpus->own);

	return own ? this_cpu_ptr(own) : &cpus->shared;
}

/**
 * profil_cpus_used - record that this CPU has used a slot
 * @cpus: slots
 * @cpu:  the slot
 *
 * Return: whether the worker must call profil_cpus_grow(). True at every
 * PROFIL_CPU_CHANGES-th change, so that it tries again if it found no memory.
 */
static __always_inline bool profil_cpus_used(struct profil_cpus *cpus, const struct profil_cpu *cpu)
{
	lockdep_assert_held(&cpu->lock);
	if (cpu != &cpus->shared || cpus->last == smp_processor_id())
		return false;
	cpus->last = smp_processor_id();
	WRITE_ONCE(cpus->changes, cpus->changes + 1);
	return cpus->changes % PROFIL_CPU_CHANGES == 0;
}

/* Whether CPUs take turns, and have no slots of their own. */
static inline bool profil_cpus_wants_grow(const struct profil_cpus *cpus)
{
	return !cpus->own && READ_ONCE(cpus->changes) >= PROFIL_CPU_CHANGES;
}

/* Remove a slot from the cache of the fast path. */
void profil_cpu_forget(struct profil_cpu *slot);

/* Any context. */
void profil_cpus_init(struct profil_cpus *cpus);
void profil_cpus_barrier(struct profil_cpus *cpus);
struct profil_counts profil_cpus_counts(struct profil_cpus *cpus);

/* With the session's service_mutex held. */
void profil_cpus_grow(struct profil_cpus *cpus, gfp_t gfp);

/* No CPU uses the slots any more. */
void profil_cpus_free(struct profil_cpus *cpus);

#endif /* _PROFIL_CPU_H */
