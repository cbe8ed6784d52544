// SPDX-License-Identifier: GPL-2.0-only
/*
 * How CPUs get slots of a session, and how others wait for the samples in them.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "cpu.h"

/*
 * Below the tick's rate a tick earns a part of a sample. Where the slots start between two
 * samples is spread evenly, so that many short sessions, and the CPUs of one, get samples
 * in proportion to their time too. From session to session the start moves on by the
 * golden ratio (hash_32()), from slot to slot by the square root of 2. No multiple of the
 * one is near a small multiple of the other, whatever the number of CPUs is.
 */
#define SQRT_2	0x6a09e667U	/* its fraction, in 1 / 2^32 */

static void cpus_init_slot(struct profil_cpus *cpus, struct profil_cpu *slot,
			   u32 number)
{
	u32 spread = hash_32(cpus->serial, 32) + number * SQRT_2;

	raw_spin_lock_init(&slot->lock);
	slot->phase = reciprocal_scale(spread, HZ);
}

/**
 * profil_cpus_init - one slot for all CPUs
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
 * profil_cpus_change - another CPU than the last one has used the shared slot
 * @cpus: slots, with the shared one's lock
 * @cpu:  this CPU
 *
 * Return: whether the worker is to make own slots: now and then, so that it tries again
 * where there was no memory.
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
bool profil_cpus_crowded(struct profil_cpus *cpus)
{
	return READ_ONCE(cpus->changes) >= PROFIL_CPU_CHANGES;
}

static void cpus_publish_table(struct profil_cpus *cpus,
			       struct profil_cpu **table)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&cpus->shared.lock, flags);
	/* who finds the table finds it zeroed */
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
 * profil_cpus_grow - give CPUs that share a slot slots of their own
 * @cpus: slots; nobody else calls this meanwhile
 * @gfp:  how to allocate
 *
 * Where there is no memory, CPUs go on to share.
 */
void profil_cpus_grow(struct profil_cpus *cpus, gfp_t gfp)
{
	struct profil_cpu *slot, **table = cpus->own;
	int cpu;

	/* a CPU that counts meanwhile may undo this: then we are called once more */
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
			return;
		cpus_init_slot(cpus, slot, 1 + cpu);
		cpus_publish(cpus, slot, cpu);
	}
}

/**
 * profil_cpus_barrier - wait for samples that may not have seen what we changed
 * @cpus: slots
 *
 * Any context but a sample. A CPU samples with the lock of its slot, or of the shared one.
 * One that took it before we do is over when we have it; one that takes it after sees what
 * our caller wrote before, and looks its page up again.
 *
 * A slot may be published meanwhile. Publishing takes the lock of the shared slot, as we do
 * first. If it was before us, the slot is in the list. If it is after us, who publishes
 * sees what our caller wrote before; and so does the CPU, which finds the slot by an
 * acquire that pairs with the release in cpus_publish().
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

/* The figures of all slots. Any context but a sample. */
struct profil_figures profil_cpus_figures(struct profil_cpus *cpus)
{
	struct profil_cpu *slot = &cpus->shared, *next;
	struct profil_figures sum = {};
	unsigned long flags;

	for (; slot; slot = next) {
		raw_spin_lock_irqsave(&slot->lock, flags);
		sum.samples += slot->figures.samples;
		sum.counted += slot->figures.counted;
		sum.out_of_range += slot->figures.out_of_range;
		sum.lost += slot->figures.lost;
		sum.skipped += slot->figures.skipped;
		next = slot->next;
		raw_spin_unlock_irqrestore(&slot->lock, flags);
	}
	return sum;
}

/* Memory of own slots. Nobody uses them any more. */
void profil_cpus_free(struct profil_cpus *cpus)
{
	struct profil_cpu *slot = cpus->shared.next, *next;

	for (; slot; slot = next) {
		next = slot->next;
		kfree(slot);
	}
	kfree(cpus->own);
}
