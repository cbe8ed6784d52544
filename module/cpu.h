/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What each CPU has of a session, so that samples of different CPUs never wait for one
 * another. It is written by the CPU itself: where its clock samples, or the worker counts
 * what has waited; but for what a barrier makes it forget.
 */
#ifndef _PROFIL_CPU_H
#define _PROFIL_CPU_H

#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct page;

/**
 * struct profil_figures - what became of sampling points
 * @ticks:        sampling points
 * @counted:      of these, in a region's counter or the log
 * @out_of_range: of these, in none
 * @lost:         of these, not counted
 * @skipped:      not of these: due, but more at once than are taken (sampler.c)
 *
 * One word each, written by profil_figure_add(), so that no reader sees half of one.
 */
struct profil_figures {
	unsigned long ticks;
	unsigned long counted;
	unsigned long out_of_range;
	unsigned long lost;
	unsigned long skipped;
};

/*
 * Those of a CPU are written by its own clock alone, with @lock; those of what has waited
 * under the service_mutex. But they are read meanwhile.
 */
static __always_inline void profil_figure_add(unsigned long *figure, u64 samples)
{
	WRITE_ONCE(*figure, *figure + samples);
}

/**
 * struct profil_cpu - what one CPU needs for a session
 * @lock:    held by this CPU while it samples, and briefly by those who must know
 *           that it does not any more with what it saw before: see
 *           profil_cpus_barrier(). Never contended otherwise. Raw: it is
 *           taken in hard interrupts, on PREEMPT_RT too
 * @phase:   part of a sample that ticks so far have earned (ticks.h)
 * @figures: of sampling points met here
 * @page:    where it counted last, so that it need not be looked up again; or NULL.
 *           Good while @lock is held: profil_cpus_barrier() forgets it
 * @index:   its number
 */
struct profil_cpu {
	raw_spinlock_t lock;
	u32 phase;
	struct profil_figures figures;
	struct page *page;
	unsigned long index;
};

/*
 * Wait for samples that may not have seen what we changed. Any context but the tick. A
 * tick samples under its CPU's lock. One that took it before we do is over when we
 * have it; one that takes it after sees what our caller wrote before, and looks its
 * page up again.
 */
static inline void profil_cpus_barrier(struct profil_cpu __percpu *cpus)
{
	unsigned long flags;
	int cpu;

	for_each_possible_cpu(cpu) {
		struct profil_cpu *this = per_cpu_ptr(cpus, cpu);

		raw_spin_lock_irqsave(&this->lock, flags);
		this->page = NULL;
		raw_spin_unlock_irqrestore(&this->lock, flags);
	}
}

#endif /* _PROFIL_CPU_H */
