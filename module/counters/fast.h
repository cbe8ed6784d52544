/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fast path of a sample: what the last samples of this CPU have looked up, so that the next
 * one needs a few compares. Everything else takes the slow path (sampler.c), which also fills the
 * cache.
 *
 * Why no sample uses a stale cache. A CPU uses and fills its cache with the lock of @slot held.
 * Whatever takes away what is cached calls profil_cpus_barrier() before the caller relies on that:
 * a stop, a replacement, the end of the memory (exec, exit), the notifier, and the worker. The
 * barrier takes the same lock, and clears @mm with it held. So a sample in progress is complete
 * when the barrier returns, and the next one looks everything up again, in the slow path.
 * litmus: fast-barrier, fast-refill
 *
 * A CPU reads @slot before it has its lock. The slot is not freed then: a session is freed a grace
 * period after the barrier, and a CPU that has read @mm before that is in a read-side section. The
 * session holds its memory by mmgrab(), so no other memory has the address @mm meanwhile.
 *
 * A slot knows the cache that it is in, and that is at most one: if CPUs take turns in a slot, the
 * next one clears the other's @mm. The other may just use its cache for another slot by then, which
 * costs it a lookup. The same is true of a CPU that is offline: its cache is cleared like others.
 * litmus: fast-forget
 */
#ifndef _PROFIL_FAST_H
#define _PROFIL_FAST_H

#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/types.h>

#include "clock/tick_math.h"
#include "compat.h"
#include "counters/counter.h"
#include "counters/cpu.h"
#include "counters/session.h"
#include "irqlock.h"
#include "stats.h"

/* log2 of how many pages of counters a cache has. A page is for 4 KiB of text, or for more. */
#define PROFIL_FAST_PAGES_SHIFT	4
#define PROFIL_FAST_PAGES	BIT(PROFIL_FAST_PAGES_SHIFT)

#define PROFIL_FAST_NONE	((const struct mm_struct *)1UL)

/* Each clock has its own cache, since it samples other sessions. */
enum profil_fast_clock {
	PROFIL_FAST_TICK,
	PROFIL_FAST_TIMER,
	PROFIL_NR_FAST
};

struct profil_fast_page {
	unsigned long index;
	void *addr;
};

/**
 * struct profil_fast - a cache: the session that a clock last sampled on this CPU
 * @mm:      its memory; PROFIL_FAST_NONE: nothing is cached. Other CPUs may clear it
 * @slot:    the slot that this CPU uses
 * @session: the session. It samples all threads, in both modes, into counters that wrap
 * @rate:    its rate, in Hz
 * @shift:   log2 of the counter size in bytes
 * @start:   first pc of the region that was hit last
 * @length:  last pc, less @start
 * @skew:    @start, less the region's offset; with @length below 2^32, unless @scale is 0, so that
 *           no product overflows
 * @keep:    bits of the distance that count (profil_range_round())
 * @scale:   bytes of buffer per byte of text, as a fraction of 65536
 * @add:     added to the position in the buffer, in bytes
 * @align:   rounds the position down to a counter
 * @bytes:   size of the region's buffer
 * @buf_offset: byte position of the buffer
 * @gap_start: first pc of what lies between two regions, if a sample there has no counter
 * @gap_length: last pc, less @gap_start
 * @pages:   pages of counters (profil_fast_page())
 *
 * Only its CPU reads and writes it, with interrupts off, but for @mm.
 */
struct profil_fast {
	const struct mm_struct *mm;
	struct profil_cpu *slot;
	struct profil_session *session;
	u32 rate;
	u32 shift;
	u64 start;
	u64 length;
	u64 skew;
	u64 keep;
	u32 scale;
	u32 add;
	u64 align;
	u64 bytes;
	u64 buf_offset;
	u64 gap_start;
	u64 gap_length;
	struct profil_fast_page pages[PROFIL_FAST_PAGES];
};

DECLARE_PER_CPU(struct profil_fast[PROFIL_NR_FAST], profil_fast);

/* With interrupts off. */
void profil_fast_fill(struct profil_fast *fast, struct profil_session *session,
		      struct profil_cpu *slot);
bool profil_fast_refill(struct profil_fast *fast, u64 pc);

/* The cache of this CPU. */
static __always_inline struct profil_fast *profil_fast_here(enum profil_fast_clock clock)
{
	return &(*this_cpu_ptr(&profil_fast))[clock];
}

/* Whether the current thread may be sampled by the cache: it is looked at again with the lock. */
static __always_inline bool profil_fast_has(const struct profil_fast *fast,
					    const struct task_struct *task)
{
	return READ_ONCE(fast->mm) == task->mm && likely(!(task->flags & COMPAT_PF_WORKERS));
}

/* Where a page is cached: its number is hashed, as hot pages may be any distance apart. */
static __always_inline struct profil_fast_page *
profil_fast_page(struct profil_fast *fast, u32 index)
{
	return &fast->pages[hash_32(index, PROFIL_FAST_PAGES_SHIFT)];
}

/*
 * Find the counter of a pc, @d bytes from the start of the cached region. Return: false: it is not
 * in that region, or its page is not cached.
 */
static __always_inline bool profil_fast_find(struct profil_fast *fast, u64 d, void **counter)
{
	const struct profil_fast_page *page;
	u64 at;

	if (unlikely(d > fast->length))
		return false;
	/* as profil_bin() */
	at = ((d + fast->skew) & fast->keep) * fast->scale >> 16;
	at = (at + fast->add) & fast->align;
	if (unlikely(at >= fast->bytes))
		return false;
	at += fast->buf_offset;
	page = profil_fast_page(fast, at >> PAGE_SHIFT);
	*counter = page->addr + offset_in_page(at);
	return likely(page->index == at >> PAGE_SHIFT);
}

/* Count one sample. Return: false: do it slowly. */
static __always_inline bool profil_fast_count(struct profil_fast *fast, struct profil_cpu *slot,
					      u64 pc)
{
	u64 d = pc - fast->start, before;
	void *counter;

	lockdep_assert_held(&slot->lock);
	if (unlikely(d > fast->length) && pc - fast->gap_start <= fast->gap_length) {
		slot->counts.out_of_range++;
		this_cpu_inc(profil_cpu_stats.out_of_range);
	} else if (profil_fast_find(fast, d, &counter) &&
		   likely(profil_counter_add(counter, 1, fast->shift, PROFIL_OVERFLOW_WRAP, 0,
					     &before))) {
		slot->counts.counted++;
		this_cpu_inc(profil_cpu_stats.counted);
	} else {
		return false;
	}
	slot->counts.samples++;
	this_cpu_inc(profil_cpu_stats.samples);
	return true;
}

/* The same for a tick, of which the session's rate may not take each. */
static __always_inline bool profil_fast_tick(struct profil_fast *fast,
					     struct profil_cpu *slot, u64 pc)
{
	u32 phase = slot->phase;

	if (profil_accumulate(&phase, 1, fast->rate, HZ) &&
	    unlikely(!profil_fast_count(fast, slot, pc)))
		return false;
	slot->phase = phase;
	return true;
}

/**
 * profil_fast_sample - take a sample of the current thread, if it needs no lookup
 * @fast:   cache of this CPU and clock
 * @task:   the current thread, for which profil_fast_has() is true
 * @tick:   for a tick; else for a point of the timer
 * @refill: look up the region and the page
 *
 * Hard interrupt context.
 *
 * Return: false: nothing was done, take the slow path.
 */
static __always_inline bool profil_fast_sample(struct profil_fast *fast,
					       struct task_struct *task, bool tick, bool refill)
{
	u64 pc = instruction_pointer(task_pt_regs(task));
	struct profil_cpu *slot = fast->slot;

	if (unlikely(!profil_irq_trylock(&slot->lock)))
		return false;
	/* look at @mm again: the barrier may have cleared it before this CPU had the lock */
	if (unlikely(READ_ONCE(fast->mm) != task->mm) ||
	    unlikely(READ_ONCE(fast->session->state) != PROFIL_STATE_RUNNING) ||
	    (refill && !profil_fast_refill(fast, pc)))
		goto failed;
	if (tick ? !profil_fast_tick(fast, slot, pc) : !profil_fast_count(fast, slot, pc))
		goto failed;
	profil_irq_unlock(&slot->lock);
	return true;

failed:
	profil_irq_unlock(&slot->lock);
	return false;
}

#endif /* _PROFIL_FAST_H */
