/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Adding to a counter in user memory, while other CPUs and the program itself may write it
 * or its neighbours.
 */
#ifndef _PROFIL_COUNTER_H
#define _PROFIL_COUNTER_H

#include <linux/atomic.h>
#include <linux/profil.h>
#include <linux/types.h>

/**
 * profil_count - compute the new value of a counter
 * @old:      old value
 * @samples:  number to add, at least 1
 * @overflow: PROFIL_OVERFLOW_*
 * @limit:    highest value, for SATURATE and STOP
 * @max:      highest value of the counter's width, a power of two minus 1
 *
 * The same as adding 1 @samples times.
 *
 * Return: the new value; @old if it does not change.
 */
static inline u64 profil_count(u64 old, u64 samples, u32 overflow, u64 limit, u64 max)
{
	if (overflow == PROFIL_OVERFLOW_WRAP)
		return (old + samples) & max;
	if (old >= limit)
		return old;
	return samples < limit - old ? old + samples : limit;
}

/*
 * Tries before giving up. All threads of the program may write the counter's word all the
 * time, and this runs in hard interrupt context. The same number as in the futex code. With
 * up to that many CPUs, all can add to one word at the same tick.
 */
#define PROFIL_COUNTER_TRIES	128

/*
 * 16- and 32-bit counters: compare-and-exchange on the 32-bit word that holds the counter,
 * which all architectures have. The word may extend beyond the buffer. The bytes beyond it
 * are written back unchanged, or the exchange fails.
 */
static __always_inline bool profil_count_in_word(void *counter, u64 samples, u32 shift,
						 u32 overflow, u64 limit, u64 *before)
{
	u32 *word = PTR_ALIGN_DOWN((u32 *)counter, sizeof(u32));
	u32 max = shift == 1 ? U16_MAX : U32_MAX;
	u32 bit = 0, tries, old, seen;
	u64 after;

	if (shift == 1) {
		bit = ((unsigned long)counter & 2) * 8;
		if (IS_ENABLED(CONFIG_CPU_BIG_ENDIAN))
			bit ^= 16;
	}
	old = READ_ONCE(*word);
	for (tries = 0; tries < PROFIL_COUNTER_TRIES; tries++) {
		*before = old >> bit & max;
		after = profil_count(*before, samples, overflow, limit, max);
		seen = cmpxchg(word, old, (old & ~(max << bit)) | (u32)after << bit);
		if (seen == old)
			return true;
		old = seen;
	}
	return false;
}

/*
 * A 16-bit counter that wraps. Return: false if other CPUs kept writing its word. On x86, a single
 * instruction adds.
 */
static __always_inline bool profil_wrap_in_u16(u16 *counter, u64 samples, u64 *before)
{
#ifdef CONFIG_X86
	*before = xadd(counter, (u16)samples);
	return true;
#else
	return profil_count_in_word(counter, samples, 1, PROFIL_OVERFLOW_WRAP, U16_MAX, before);
#endif
}

#ifdef CONFIG_64BIT
static inline bool profil_count_in_u64(u64 *counter, u64 samples, u32 overflow,
				       u64 limit, u64 *before)
{
	u64 old = READ_ONCE(*counter);
	u64 after, seen;
	u32 tries;

	for (tries = 0; tries < PROFIL_COUNTER_TRIES; tries++) {
		after = profil_count(old, samples, overflow, limit, U64_MAX);
		seen = cmpxchg64(counter, old, after);
		if (seen == old) {
			*before = old;
			return true;
		}
		old = seen;
	}
	return false;
}

static inline u64 profil_wrap_in_u64(u64 *counter, u64 samples)
{
	return atomic64_fetch_add_relaxed(samples, (atomic64_t *)counter);
}
#else
/* Not reached: config.c rejects 64-bit counters on 32-bit kernels. */
static inline bool profil_count_in_u64(u64 *counter, u64 samples, u32 overflow,
				       u64 limit, u64 *before)
{
	return false;
}

static inline u64 profil_wrap_in_u64(u64 *counter, u64 samples)
{
	return 0;
}
#endif

/**
 * profil_counter_add - add samples to a counter, by the session's overflow rule
 * @counter:  kernel address, aligned to the counter's size
 * @samples:  number to add, at least 1
 * @shift:    log2 of the counter size in bytes
 * @overflow: PROFIL_OVERFLOW_*
 * @limit:    highest value, for SATURATE and STOP
 * @before:   out: old value, from which profil_count() computes the new one
 *
 * Any context. No update is lost, whatever else writes. Counters that wrap take a single atomic
 * addition, if the architecture has one of their size. Inlined in the hot path, where @before then
 * needs no stack.
 *
 * Return: false if other writers kept interfering, so that nothing was added.
 */
static __always_inline bool profil_counter_add(void *counter, u64 samples, u32 shift,
					       u32 overflow, u64 limit, u64 *before)
{
	if (overflow == PROFIL_OVERFLOW_WRAP && shift == 1)
		return profil_wrap_in_u16(counter, samples, before);
	if (overflow == PROFIL_OVERFLOW_WRAP && shift == 2) {
		*before = (u32)atomic_fetch_add_relaxed((u32)samples, counter);
		return true;
	}
	if (overflow == PROFIL_OVERFLOW_WRAP && shift == 3) {
		*before = profil_wrap_in_u64(counter, samples);
		return true;
	}
	if (shift == 3)
		return profil_count_in_u64(counter, samples, overflow, limit, before);
	return profil_count_in_word(counter, samples, shift, overflow, limit, before);
}

#endif /* _PROFIL_COUNTER_H */
