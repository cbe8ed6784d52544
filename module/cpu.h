/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What CPUs have of a session: a lock, a phase, figures and the last page. A session
 * begins with one slot that all CPUs share. When several CPUs sample it in turns, the
 * worker gives each of them a slot of its own. So a short-lived process costs the same on
 * any machine, and threads of a busy one do not wait for one another.
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
 * struct profil_figures - what became of sampling points
 * @samples:      samples taken; those in none of the next three are pending
 * @counted:      of these, in a region's counter or the log
 * @out_of_range: of these, in none
 * @lost:         of these, not counted
 * @skipped:      not of these: due, but more at once than are taken (sampler.c)
 *
 * Those of a slot are written and read with its lock, those of what has waited under the
 * session's service_mutex: so 32-bit CPUs read no half of one.
 */
struct profil_figures {
	u64 samples;
	u64 counted;
	u64 out_of_range;
	u64 lost;
	u64 skipped;
};

/**
 * struct profil_cpu - a slot: what one CPU needs for a session, or several share
 * @lock:    held by a CPU while it samples, and briefly by those who must know that it
 *           does not any more with what it saw before: see profil_cpus_barrier().
 *           Raw: it is taken in hard interrupts, on PREEMPT_RT too
 * @phase:   part of a sample that ticks so far have earned (ticks.h)
 * @figures: of sampling points met here
 * @page:    where it counted last, so that it need not be looked up again; or NULL.
 *           Good while @lock is held: profil_cpus_barrier() forgets it
 * @index:   its number
 * @next:    another slot, or NULL. The shared slot's is written with its lock; that of
 *           all others only before they are there for others
 */
struct profil_cpu {
	raw_spinlock_t lock;
	u32 phase;
	struct profil_figures figures;
	struct page *page;
	unsigned long index;
	struct profil_cpu *next;
};

/**
 * struct profil_cpus - the slots of a session
 * @own:     by the CPU's number: its own slot, NULL, or PROFIL_CPU_WANTED. Written with
 *           @shared's lock, read without. Itself NULL until the first slot is wanted
 * @serial:  number of the session
 * @shared:  of all CPUs that have no own; the first in the list of all slots
 * @last:    CPU that used @shared last, and
 * @changes: how often that changed since the worker made slots; both are written with
 *           @shared's lock, but for the worker's reset of @changes
 *
 * Every sample reads the first line, and writes the second only if it has no own slot.
 */
struct profil_cpus {
	struct profil_cpu **own;
	u32 serial;
	struct profil_cpu shared ____cacheline_aligned_in_smp;
	int last;
	u32 changes;
};

/* The CPU has used the shared slot in turns with others. */
#define PROFIL_CPU_WANTED	((struct profil_cpu *)1UL)

/*
 * That many times another CPU comes to the shared slot before own ones are made, or are
 * tried again: a process with one thread seldom moves so often before it ends.
 */
#define PROFIL_CPU_CHANGES	16

/**
 * profil_cpus_here - the slot that this CPU uses
 * @cpus: slots
 *
 * Not to be preempted. The caller takes the slot's lock. While it waits for that of the
 * shared slot it may get its own: using the shared one is then still good, since who waits
 * for samples visits that in any case.
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
 * profil_cpus_used - note which CPU has used a slot
 * @cpus: slots
 * @cpu:  the slot, with its lock
 *
 * Return: whether profil_cpus_grow() is to be called.
 */
static __always_inline bool profil_cpus_used(struct profil_cpus *cpus,
					     const struct profil_cpu *cpu)
{
	return cpu == &cpus->shared && cpus->last != smp_processor_id() &&
	       profil_cpus_change(cpus, smp_processor_id());
}

/* Any context. */
void profil_cpus_init(struct profil_cpus *cpus);
void profil_cpus_barrier(struct profil_cpus *cpus);
struct profil_figures profil_cpus_figures(struct profil_cpus *cpus);

/* With the session's service_mutex held. */
bool profil_cpus_crowded(struct profil_cpus *cpus);
void profil_cpus_grow(struct profil_cpus *cpus, gfp_t gfp);

/* Nobody uses the slots any more. */
void profil_cpus_free(struct profil_cpus *cpus);

#endif /* _PROFIL_CPU_H */
