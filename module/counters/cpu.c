// SPDX-License-Identifier: GPL-2.0-only
/*
 * The slots of a session (cpu.h): which CPU uses which slot, and how to wait for samples in
 * progress.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/percpu.h>

#include "clock/clock.h"
#include "counters/cpu.h"
#include "counters/fast.h"

static void cpus_init_slot(struct profil_cpu *slot, u32 serial, u32 number)
{
	raw_spin_lock_init(&slot->lock);
	slot->phase = profil_clock_phase(serial, number);
}

/* Initialize with one slot for all CPUs. @cpus: zeroed. Any context. */
void profil_cpus_init(struct profil_cpus *cpus)
{
	static atomic_t serial;

	cpus->serial = atomic_inc_return(&serial);
	cpus->last = -1;
	cpus_init_slot(&cpus->shared, cpus->serial, 0);
}

/**
 * profil_cpus_grow - give each CPU its own slot
 * @cpus: slots, of which CPUs share one; there is only one caller at a time
 * @gfp:  how to allocate. With GFP_NOWAIT, the allocator of per-CPU memory does not take its
 *        mutex, which lends its holder no priority
 *
 * Without memory, CPUs continue to share.
 */
void profil_cpus_grow(struct profil_cpus *cpus, gfp_t gfp)
{
	struct profil_cpu __percpu *own;
	unsigned long flags;
	int cpu;

	own = alloc_percpu_gfp(struct profil_cpu, gfp);
	if (!own)
		return;
	for_each_possible_cpu(cpu)
		cpus_init_slot(per_cpu_ptr(own, cpu), cpus->serial, 1 + cpu);
	/* why no barrier misses a slot: see profil_cpus_barrier() */
	raw_spin_lock_irqsave(&cpus->shared.lock, flags);
	/* pairs with profil_cpus_here(); litmus: cpus-own */
	smp_store_release(&cpus->own, own);
	raw_spin_unlock_irqrestore(&cpus->shared.lock, flags);
}

void profil_cpu_forget(struct profil_cpu *slot)
{
	lockdep_assert_held(&slot->lock);
	if (slot->fast)
		WRITE_ONCE(slot->fast->mm, PROFIL_FAST_NONE);
	slot->fast = NULL;
}

/* Wait until no CPU has the lock, and let the next one look up everything again. */
static void cpus_wait_for(struct profil_cpu *slot)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&slot->lock, flags);
	slot->page = NULL;
	profil_cpu_forget(slot);
	raw_spin_unlock_irqrestore(&slot->lock, flags);
}

/**
 * profil_cpus_barrier - wait for samples that may not have seen the caller's last stores
 * @cpus: slots
 *
 * Any context except in a sample. A CPU samples with the lock of its own slot held, or of
 * the shared slot. If it took the lock before this function does, its sample is complete
 * when this function gets the lock. If it takes it afterwards, it sees the caller's stores,
 * and looks up its session and its page again (fast.h).
 *
 * Own slots may be published at the same time. profil_cpus_grow() holds the shared slot's
 * lock then, which this function takes first. If they were published before, this function
 * finds them. If they are published afterwards, profil_cpus_grow() sees the caller's stores;
 * and so does the CPU that finds its slot, by an acquire that pairs with the release there.
 * litmus: cpus-grow
 */
void profil_cpus_barrier(struct profil_cpus *cpus)
{
	struct profil_cpu __percpu *own;
	int cpu;

	cpus_wait_for(&cpus->shared);
	own = READ_ONCE(cpus->own);
	if (!own)
		return;
	for_each_possible_cpu(cpu)
		cpus_wait_for(per_cpu_ptr(own, cpu));
}

static void cpus_add_counts(struct profil_cpu *slot, struct profil_counts *sum)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&slot->lock, flags);
	profil_counts_add(sum, &slot->counts);
	raw_spin_unlock_irqrestore(&slot->lock, flags);
}

/* Add up the counts of all slots. With the session's service_mutex held. */
struct profil_counts profil_cpus_counts(struct profil_cpus *cpus)
{
	struct profil_counts sum = {};
	int cpu;

	cpus_add_counts(&cpus->shared, &sum);
	if (cpus->own)
		for_each_possible_cpu(cpu)
			cpus_add_counts(per_cpu_ptr(cpus->own, cpu), &sum);
	return sum;
}

/* Free the own slots. No CPU uses them any more, and none has a slot in its cache. */
void profil_cpus_free(struct profil_cpus *cpus)
{
	int cpu;

	WARN_ON_ONCE(cpus->shared.fast);
	if (cpus->own)
		for_each_possible_cpu(cpu)
			WARN_ON_ONCE(per_cpu_ptr(cpus->own, cpu)->fast);
	free_percpu(cpus->own);
}
