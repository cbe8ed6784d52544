// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fills the caches of the fast path (fast.h).
 */
#include <linux/limits.h>
#include <linux/mm.h>

#include "counters/bins.h"
#include "counters/buffer.h"
#include "counters/config.h"
#include "counters/fast.h"

DEFINE_PER_CPU(struct profil_fast[PROFIL_NR_FAST], profil_fast) = {
	[0 ... PROFIL_NR_FAST - 1] = { .mm = PROFIL_FAST_NONE },
};

/* Whether the fast path samples a session. Pages must have an address all the time. */
static bool fast_may_sample(const struct profil_session *session)
{
	const struct profil_config *config = profil_session_config(session);

	return !IS_ENABLED(CONFIG_HIGHMEM) && config->overflow == PROFIL_OVERFLOW_WRAP &&
	       !session->subject.thread &&
	       !(config->flags & (PROFIL_PC_LOG | PROFIL_USER_ONLY | PROFIL_KERNEL_ONLY));
}

static void fast_set_range(struct profil_fast *fast, const struct profil_range *range)
{
	fast->start = range->start;
	fast->length = range->last - range->start;
	fast->skew = range->start - range->offset;
	fast->keep = ~(u64)range->drop;
	fast->scale = range->scale;
	fast->add = range->add;
	fast->align = ~0ULL << fast->shift;
	fast->bytes = range->nr << fast->shift;
	fast->buf_offset = range->buf_offset;
}

/* Cache the gap around a pc that is in no region. Return: false: the catch-all counts it. */
static bool fast_set_gap(struct profil_fast *fast, const struct profil_config *config, u64 pc)
{
	const struct profil_range *ranges = config->ranges;
	u32 below = profil_range_count_below(ranges, config->nr_ranges, pc);
	u64 last = below < config->nr_ranges ? ranges[below].start - 1 : U64_MAX;

	if (config->catch_all != PROFIL_NO_BIN)
		return false;
	fast->gap_start = below ? ranges[below - 1].last + 1 : 0;
	fast->gap_length = last - fast->gap_start;
	return true;
}

/**
 * profil_fast_refill - cache another region, gap or page of the same session
 * @fast: cache of this CPU and clock, with something cached
 * @pc:   program counter
 *
 * With interrupts off.
 *
 * Return: whether the cache says how to count @pc. Its page, if it has one, may be written.
 */
noinline bool profil_fast_refill(struct profil_fast *fast, u64 pc)
{
	struct profil_session *session = fast->session;
	const struct profil_config *config = profil_session_config(session);
	const struct profil_range *range = profil_range_find(config->ranges, config->nr_ranges, pc);
	struct profil_fast_page *cached;
	unsigned long index;
	struct page *page;
	u64 bin;

	lockdep_assert_held(&fast->slot->lock);
	if (!range)
		return fast_set_gap(fast, config, pc);
	/* a product of two numbers of 32 bits does not overflow */
	if (range->scale && range->last - range->offset > U32_MAX)
		return false;
	bin = profil_bin(range, pc, config->shift);
	if (bin == PROFIL_NO_BIN)
		return false;
	index = (range->buf_offset + (bin << config->shift)) >> PAGE_SHIFT;
	page = profil_session_page(session, index);
	if (!page)
		return false;
	cached = profil_fast_page(fast, index);
	cached->index = index;
	cached->addr = page_address(page);
	fast_set_range(fast, range);
	return true;
}

/**
 * profil_fast_fill - cache a session that is about to be sampled
 * @fast:    cache of this CPU and clock
 * @session: session, in the table
 * @slot:    its slot
 *
 * With interrupts off. Its region and page are not looked up: the tick may not take a sample.
 */
noinline void profil_fast_fill(struct profil_fast *fast, struct profil_session *session,
			       struct profil_cpu *slot)
{
	u32 i;

	lockdep_assert_held(&slot->lock);
	if ((fast->slot == slot && READ_ONCE(fast->mm) == session->mm) || !fast_may_sample(session))
		return;
	/* another CPU may have it in its cache */
	profil_cpu_forget(slot);
	WRITE_ONCE(fast->mm, PROFIL_FAST_NONE);
	fast->slot = slot;
	fast->session = session;
	fast->rate = profil_session_config(session)->pace.rate;
	fast->shift = profil_session_config(session)->shift;
	/* contain no pc but the last, which is in no program */
	fast->start = U64_MAX;
	fast->length = 0;
	fast->gap_start = U64_MAX;
	fast->gap_length = 0;
	for (i = 0; i < PROFIL_FAST_PAGES; i++)
		fast->pages[i].index = ULONG_MAX;
	slot->fast = fast;
	WRITE_ONCE(fast->mm, session->mm);
}
