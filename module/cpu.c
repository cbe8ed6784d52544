// SPDX-License-Identifier: GPL-2.0-only
/*
 * The slots of a session (cpu.h): which CPU uses which slot, and how to wait for samples in
 * progress.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "cpu.h"

/*
 * At rates below the tick's, each tick earns part of a sample. Slots start with different
 * parts, spread evenly, so that many short sessions, too, and the CPUs of one session get
 * samples in proportion to their time. The start advances by the golden ratio (hash_32())
 * from session to session, and by the square root of 2 from slot to slot. Multiples of one
 * do not come near small multiples of the other, for any number of CPUs.
 */
#define SQRT_2	0x6a09e667U	/* its fraction, in 1 / 2^32 */

/**
 * profil_cpus_phase - part of a sample that a CPU starts with
 * @serial: number of the profile
 * @number: number of the CPU or slot
 *
 * Return: the part, for profil_accumulate().
 */
u32 profil_cpus_phase(u32 serial, u32 number)
{
	return reciprocal_scale(hash_32(serial, 32) + number * SQRT_2, HZ);
}

static void cpus_init_slot(struct profil_cpus *cpus, struct profil_cpu *slot,
			   u32 number)
{
	raw_spin_lock_init(&slot->lock);
	slot->phase = profil_cpus_phase(cpus->serial, number);
}

/**
 * profil_cpus_init - initialize with one slot for all CPUs
 * @cpus: zeroed
 *
 * Any context.
 */
void profil_cpus_init(struct profil_cpus *cpus)
{
	static atomic_t serial;

	cpus->serial = atomic_inc_return(&serial);
	cpus->last = -1;
	cpus_init_slot(cpus, &cpus->shared, 0);
}

/**
 * profil_cpus_change - record that another CPU than the last one uses the shared slot
 * @cpus: slots, with the shared slot's lock held
 * @cpu:  this CPU
 *
 * Return: whether the worker must allocate own slots. True at every PROFIL_CPU_CHANGES-th
 * change, so that the worker retries if it found no memory.
 */
bool profil_cpus_change(struct profil_cpus *cpus, int cpu)
{
	u32 changes;

	cpus->last = cpu;
	if (cpus->own && !cpus->own[cpu])
		WRITE_ONCE(cpus->own[cpu], PROFIL_CPU_WANTED);
	changes = READ_ONCE(cpus->changes) + 1;
	WRITE_ONCE(cpus->changes, changes);
	return changes % PROFIL_CPU_CHANGES == 0;
}

/* Whether profil_cpus_grow() has something to do. */
bool profil_cpus_wants_grow(struct profil_cpus *cpus)
{
	return READ_ONCE(cpus->changes) >= PROFIL_CPU_CHANGES;
}

static void cpus_publish_table(struct profil_cpus *cpus,
			       struct profil_cpu **table)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&cpus->shared.lock, flags);
	/* a CPU that sees the table sees it zeroed */
	smp_store_release(&cpus->own, table);
	raw_spin_unlock_irqrestore(&cpus->shared.lock, flags);
}

/* Why no barrier misses @slot: see profil_cpus_barrier(). */
static void cpus_publish(struct profil_cpus *cpus, struct profil_cpu *slot,
			 int cpu)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&cpus->shared.lock, flags);
	slot->next = cpus->shared.next;
	cpus->shared.next = slot;
	/* pairs with profil_cpus_here() */
	smp_store_release(&cpus->own[cpu], slot);
	raw_spin_unlock_irqrestore(&cpus->shared.lock, flags);
}

/**
 * profil_cpus_grow - allocate own slots for CPUs that share one
 * @cpus: slots; there is only one caller at a time
 * @gfp:  how to allocate
 *
 * Without memory, CPUs continue to share.
 */
void profil_cpus_grow(struct profil_cpus *cpus, gfp_t gfp)
{
	struct profil_cpu *slot, **table = cpus->own;
	int cpu;

	/* a CPU that samples now may overwrite this: then the worker calls again */
	WRITE_ONCE(cpus->changes, 0);
	if (!table) {
		table = kcalloc(nr_cpu_ids, sizeof(*table), gfp);
		if (table)
			cpus_publish_table(cpus, table);
		return;
	}
	for_each_possible_cpu(cpu) {
		if (READ_ONCE(table[cpu]) != PROFIL_CPU_WANTED)
			continue;
		slot = kzalloc_node(sizeof(*slot), gfp, cpu_to_node(cpu));
		if (!slot)
			return; /* GCOV_EXCL_LINE: out of memory */
		cpus_init_slot(cpus, slot, 1 + cpu);
		cpus_publish(cpus, slot, cpu);
	}
}

/**
 * profil_cpus_barrier - wait for samples that may not have seen the caller's last stores
 * @cpus: slots
 *
 * Any context except in a sample. A CPU samples with the lock of its own slot held, or of
 * the shared slot. If it took the lock before this function does, its sample is complete
 * when this function gets the lock. If it takes it afterwards, it sees the caller's stores,
 * and looks up its page again.
 *
 * A slot may be published at the same time. cpus_publish() holds the shared slot's lock,
 * which this function takes first. If it published before, the slot is in the list. If it
 * publishes afterwards, it sees the caller's stores; and so does the CPU that finds the
 * slot, by an acquire that pairs with the release in cpus_publish().
 */
void profil_cpus_barrier(struct profil_cpus *cpus)
{
	struct profil_cpu *slot = &cpus->shared, *next;
	unsigned long flags;

	for (; slot; slot = next) {
		raw_spin_lock_irqsave(&slot->lock, flags);
		slot->page = NULL;
		next = slot->next;
		raw_spin_unlock_irqrestore(&slot->lock, flags);
	}
}

/* Add up the counts of all slots. Any context except in a sample. */
struct profil_counts profil_cpus_counts(struct profil_cpus *cpus)
{
	struct profil_cpu *slot = &cpus->shared, *next;
	struct profil_counts sum = {};
	unsigned long flags;

	for (; slot; slot = next) {
		raw_spin_lock_irqsave(&slot->lock, flags);
		sum.samples += slot->counts.samples;
		sum.counted += slot->counts.counted;
		sum.out_of_range += slot->counts.out_of_range;
		sum.lost += slot->counts.lost;
		sum.skipped += slot->counts.skipped;
		next = slot->next;
		raw_spin_unlock_irqrestore(&slot->lock, flags);
	}
	return sum;
}

/* Free the own slots. No CPU uses them any more. */
void profil_cpus_free(struct profil_cpus *cpus)
{
	struct profil_cpu *slot = cpus->shared.next, *next;

	for (; slot; slot = next) {
		next = slot->next;
		kfree(slot);
	}
	kfree(cpus->own);
}
