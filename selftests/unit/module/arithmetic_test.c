// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares the module's arithmetic (bins.h, tick_math.h, counter.h), compiled from the same
 * files, with vectors from the manual pages and with simple implementations.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "module/counter.h"
#include "module/tests/bins_vectors.h"
#include "module/tick_math.h"

/* The same random numbers in each run */
static u64 random_state = 88172645463325252ULL;

static u64 random_u64(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* Often near 0 or near the maximum */
static u64 random_any(void)
{
	u64 value = random_u64() >> random_u64() % 64;

	return random_u64() % 4 ? value : -value;
}

static void check_vectors(u32 rounding, const struct bins_vector *v, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		assert_int_equal(v[i].byte, bins_vector_byte(rounding, &v[i]));
}

#define CHECK(rounding, vectors) \
	check_vectors(rounding, vectors, sizeof(vectors) / sizeof(*(vectors)))

static void bins_match_the_manual_pages(void **state)
{
	(void)state;
	CHECK(PROFIL_ROUND_DOWN, bins_down);
	CHECK(PROFIL_ROUND_PC, bins_pc);
	CHECK(PROFIL_ROUND_UP, bins_up);
	CHECK(PROFIL_ROUND_FIRST, bins_first);
}

/* The rules of <linux/profil.h>, in 128 bits and without optimizations */
static u64 oracle(const struct profil_range *range, u64 at, unsigned int w)
{
	unsigned __int128 d = at - range->offset, s = range->scale, index;

	switch (range->rounding) {
	case PROFIL_ROUND_PC: index = (d / w) * s / 65536; break;
	case PROFIL_ROUND_UP: index = (d * s / 65536 + w - 1) / w; break;
	case PROFIL_ROUND_FIRST: index = 0; break;
	default: index = d * s / 65536 / w; break;
	}
	return index < range->nr ? (u64)index : NONE;
}

static void random_bins_match_the_oracle(void **state)
{
	unsigned int shift;
	u64 hits = 0;
	long i;

	(void)state;
	for (i = 0; i < 10000000; i++) {
		struct profil_range range = {
			.start = 0, .last = U64_MAX, .offset = random_any(),
			.nr = random_any() >> 4 | 1, .scale = (u32)random_any(),
			.rounding = random_u64() % 4,
		};
		u64 at = range.offset + random_any(), want;

		shift = 1 + random_u64() % 3;
		want = oracle(&range, at, 1u << shift);
		assert_int_equal(want, profil_bin(&range, at, shift));
		hits += want != NONE;
	}
	/* enough pcs with a bin and without one */
	assert_in_range(hits, i / 10, i - i / 10);
}

static const struct profil_range *find_slowly(const struct profil_range *ranges,
					    u32 nr, u64 at)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (at >= ranges[i].start && at <= ranges[i].last)
			return &ranges[i];
	return NULL;
}

static void region_search_matches_linear_search(void **state)
{
	struct profil_range ranges[9];
	u32 nr, i;
	int round;

	(void)state;
	for (round = 0; round < 20000; round++) {
		u64 at = round % 2 ? 0 : 1;

		nr = random_u64() % 10;
		for (i = 0; i < nr; i++) {
			ranges[i].start = at;
			ranges[i].last = at + random_u64() % 3;
			at = ranges[i].last + 1 + random_u64() % 2;
		}
		if (nr && round % 3 == 0)
			ranges[nr - 1].last = U64_MAX;
		for (at = 0; at < 50; at++)
			assert_ptr_equal(find_slowly(ranges, nr, at),
					 profil_range_find(ranges, nr, at));
		assert_ptr_equal(find_slowly(ranges, nr, U64_MAX),
				 profil_range_find(ranges, nr, U64_MAX));
	}
}

static void counts_follow_the_overflow_rules(void **state)
{
	static const u64 limits[] = { 1, 2, 32767, 65535 };
	u32 rule;
	int i;

	(void)state;
	for (i = 0; i < 1000000; i++) {
		u64 limit = limits[random_u64() % 4];
		u64 old = random_u64() % 3 ? limit - random_u64() % 4 :
					     random_u64();
		u64 samples = 1 + random_u64() % 5;
		u64 want, left;

		old &= 0xffff;
		rule = random_u64() % 3;
		want = old;
		/* as if 1 was added @samples times */
		for (left = samples; left; left--)
			if (rule == PROFIL_OVERFLOW_WRAP)
				want = want == 65535 ? 0 : want + 1;
			else if (want < limit)
				want++;
		assert_int_equal(want, profil_count(old, samples, rule, limit,
						    0xffff));
	}
	assert_int_equal(3, profil_count(U64_MAX, 4, PROFIL_OVERFLOW_WRAP, 0,
					 U64_MAX));
	assert_int_equal(U64_MAX, profil_count(U64_MAX - 1, 4,
					       PROFIL_OVERFLOW_SATURATE,
					       U64_MAX, U64_MAX));
}

/*
 * Other CPUs write the counter and its neighbours between the read and the exchange, three
 * times.
 */
static u16 halves[4];
static u64 wides[2];
static int interruptions;

static void interrupt_halves(void *word)
{
	(void)word;
	if (interruptions-- > 0) {
		halves[1]++;
		halves[0] += 5;
		halves[3]++;
	}
}

static void interrupt_wide(void *word)
{
	(void)word;
	if (interruptions-- > 0)
		wides[0] += 10;
}

void (*before_exchange)(void *word);

/* Adds to a counter, which must succeed. Return: the counter's value before. */
static u64 add(void *counter, u64 samples, u32 shift, u32 overflow, u64 limit)
{
	u64 before = 0;

	assert_true(profil_counter_add(counter, samples, shift, overflow, limit,
				       &before));
	return before;
}

static void concurrent_writes_are_not_lost(void **state)
{
	(void)state;
	memset(halves, 0, sizeof(halves));
	interruptions = 3;
	before_exchange = interrupt_halves;
	assert_int_equal(3, add(&halves[1], 1, 1, PROFIL_OVERFLOW_WRAP, 0));
	assert_int_equal(15, halves[0]);
	assert_int_equal(4, halves[1]);
	assert_int_equal(0, halves[2]);
	assert_int_equal(3, halves[3]);

	/* the limit holds, although another CPU adds first */
	interruptions = 1;
	assert_int_equal(5, add(&halves[1], 2, 1, PROFIL_OVERFLOW_STOP, 6));
	assert_int_equal(6, halves[1]);

	interruptions = 3;
	before_exchange = interrupt_wide;
	assert_int_equal(30, add(wides, 1, 3, PROFIL_OVERFLOW_SATURATE, 99));
	assert_int_equal(31, wides[0]);
	before_exchange = NULL;
}

/*
 * Other threads of the program write the counter's word without pause, so each exchange fails.
 * The module counts in hard interrupt context, so its tries must be bounded.
 */
static long writes;
static u64 hostile_word;

static void write_always(void *word)
{
	(void)word;
	/* bounded, so that endless tries fail the test and do not hang it */
	if (writes++ < 100000)
		hostile_word += 1ULL << 32 | 1;
}

static void program_that_writes_without_pause(void **state)
{
	static const u32 rules[] = { PROFIL_OVERFLOW_WRAP, PROFIL_OVERFLOW_SATURATE,
				     PROFIL_OVERFLOW_STOP };
	u32 shift, i;
	u64 before;
	bool added;

	(void)state;
	before_exchange = write_always;
	for (shift = 1; shift <= 3; shift++) {
		for (i = 0; i < 3; i++) {
			writes = 0;
			hostile_word = 0;
			added = profil_counter_add(&hostile_word, 1, shift,
						   rules[i],
						   1ULL << (8 << shift) / 2,
						   &before);
			/* wide counters that wrap need no exchange */
			assert_int_equal(added, !rules[i] && shift > 1);
			assert_int_equal(writes, added ? 0 : PROFIL_COUNTER_TRIES);
			assert_int_equal(hostile_word, added ? 1 :
					 PROFIL_COUNTER_TRIES * (1ULL << 32 | 1));
		}
	}
	before_exchange = NULL;
}

static void each_width_wraps_without_a_carry(void **state)
{
	u32 word[2] = { 0xffffffff, 5 };
	u64 wide[2] = { U64_MAX, 5 };
	u16 half[2] = { 0xffff, 5 };

	(void)state;
	add(word, 2, 2, PROFIL_OVERFLOW_WRAP, 0);
	add(wide, 2, 3, PROFIL_OVERFLOW_WRAP, 0);
	add(half, 2, 1, PROFIL_OVERFLOW_WRAP, 0);
	assert_int_equal(1, word[0]);
	assert_int_equal(1, wide[0]);
	assert_int_equal(1, half[0]);
	assert_int_equal(5, word[1]);
	assert_int_equal(5, wide[1]);
	assert_int_equal(5, half[1]);
}

static void thinned_samples_are_exact(void **state)
{
	static const u32 hz[] = { 100, 250, 300, 1000, 1024 };
	size_t h;
	u32 rate;

	(void)state;
	for (h = 0; h < 5; h++) {
		for (rate = 1; rate <= hz[h]; rate++) {
			u32 begin = (u32)(random_u64() % hz[h]);
			u32 phase = begin;
			u64 ticks = 0, samples = 0;
			int i;

			for (i = 0; i < 500; i++) {
				/* one in 50 interrupts stands for several ticks */
				u64 n = i % 50 ? 1 : 1 + random_u64() % 9;

				ticks += n;
				samples += profil_accumulate(&phase, n, rate,
							     hz[h]);
				assert_int_equal((begin + ticks * rate) / hz[h],
						 samples);
				assert_in_range(phase, 0, hz[h] - 1);
			}
		}
	}
}

/* Ticks are due on an exact grid, and each interrupt is late by some time. */
static void late_ticks_are_counted_once(void **state)
{
	const u64 period = 4000000;
	int round;

	(void)state;
	for (round = 0; round < 2000; round++) {
		u64 due = random_u64() % period, late = 0, grid, now;
		u64 seen = 0, passed = 0;
		int i;

		/* the first interrupt is late too, so the grid is known only later */
		grid = now = due + random_u64() % period;
		for (i = 0; i < 200; i++) {
			/* hrtimer_forward() skips periods that are over */
			u64 skip = 1 + late / period;

			due += skip * period;
			passed += skip;
			late = random_u64() % 10 ? random_u64() % 50000 :
			       random_u64() % (5 * period);
			/* if the next is already due, it comes at once */
			now = due + late > now ? due + late : now;
			seen += profil_tick_advance(&grid, now, period);
		}
		/*
		 * One may be missed before the grid is known. Ticks that were due while the
		 * last interrupt was late may or may not be counted.
		 */
		assert_in_range(seen, passed - 1, passed + late / period + 1);
	}
}

static void ticks_since_a_time(void **state)
{
	(void)state;
	/* points at 70, 80, 90, 100 */
	assert_int_equal(1, profil_tick_since(100, 200, 10));
	assert_int_equal(1, profil_tick_since(100, 101, 10));
	assert_int_equal(1, profil_tick_since(100, 100, 10));
	assert_int_equal(1, profil_tick_since(100, 91, 10));
	assert_int_equal(2, profil_tick_since(100, 90, 10));
	assert_int_equal(2, profil_tick_since(100, 81, 10));
	assert_int_equal(4, profil_tick_since(100, 70, 10));
	assert_int_equal(1, profil_tick_since(100, U64_MAX, 10));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bins_match_the_manual_pages),
		cmocka_unit_test(random_bins_match_the_oracle),
		cmocka_unit_test(region_search_matches_linear_search),
		cmocka_unit_test(counts_follow_the_overflow_rules),
		cmocka_unit_test(concurrent_writes_are_not_lost),
		cmocka_unit_test(program_that_writes_without_pause),
		cmocka_unit_test(each_width_wraps_without_a_carry),
		cmocka_unit_test(thinned_samples_are_exact),
		cmocka_unit_test(late_ticks_are_counted_once),
		cmocka_unit_test(ticks_since_a_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
