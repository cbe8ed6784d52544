// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares the module's arithmetic (bins.h, counter.h), compiled from the same files, with vectors
 * from the manual pages and with simple implementations.
 */
#include <stdlib.h>
#include <string.h>

#include "module/counters/counter.h"
#include "support/random.h"
#include "support/test.h"
#include "bins_vectors.h"

static void check_vectors(u32 rounding, const struct bins_vector *v, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		assert_int_equal(v[i].byte, bins_vector_byte(rounding, &v[i]));
}

#define CHECK(rounding, vectors) \
	check_vectors(rounding, vectors, ARRAY_SIZE(vectors))

TEST(bins_match_the_manual_pages)
{
	CHECK(PROFIL_ROUND_DOWN, bins_down);
	CHECK(PROFIL_ROUND_PC, bins_pc);
	CHECK(PROFIL_ROUND_UP, bins_up);
	CHECK(PROFIL_ROUND_FIRST, bins_first);
}

/* The rules of <linux/profil.h>, in 128 bits and without optimizations */
static u64 oracle(const struct profil_range *range, u32 rounding, u64 at, unsigned int w)
{
	unsigned __int128 d = at - range->offset, s = range->scale, index;

	switch (rounding) {
	case PROFIL_ROUND_PC: index = (d / w) * s / 65536; break;
	case PROFIL_ROUND_UP: index = (d * s / 65536 + w - 1) / w; break;
	case PROFIL_ROUND_FIRST: index = 0; break;
	default: index = d * s / 65536 / w; break;
	}
	return index < range->nr ? (u64)index : NONE;
}

/* As config.c sets up a range. */
static u64 find_bin(struct profil_range range, u32 rounding, u64 at, unsigned int shift)
{
	if (rounding == PROFIL_ROUND_FIRST)
		range.scale = 0;
	profil_range_round(&range, rounding, shift);
	return profil_bin(&range, at, shift);
}

TEST(random_bins_match_the_oracle)
{
	unsigned int shift;
	u32 rounding;
	u64 hits = 0;
	long i;

	for (i = 0; i < 10000000; i++) {
		struct profil_range range = {
			.start = 0, .last = U64_MAX, .offset = random_any(),
			.nr = random_any() >> 4 | 1, .scale = (u32)random_any(),
		};
		u64 at = range.offset + random_any(), want;

		rounding = random_u64() % 4;
		shift = 1 + random_u64() % 3;
		want = oracle(&range, rounding, at, 1u << shift);
		assert_int_equal(want, find_bin(range, rounding, at, shift));
		hits += want != NONE;
	}
	/* enough pcs with a bin and without one */
	assert_in_range(hits, i / 10, i - i / 10);
}

/* Around these, a carry or a sign could be lost. */
static const u32 scales[] = {
	0, 1, 2, 3, 0x3fff, 0x4000, 0x7fff, 0x8000, 0x8001, 0xffff, 0x10000,
	0x10001, 0x20000, 0xaaaaaaaa, 0x7fffffff, 0x80000000, 0xfffffffe, U32_MAX,
};

static const u64 distances[] = {
	0, 0x10000, 0x100000000, 0x1000000000000, 0x8000000000000000,
	0x5555555555555555, 0xffffffff00000000,
};

/* The largest buffer, and one that is larger than any bin, so that none is cut off. */
#define MAX_COUNTERS	0x20000000ULL
#define ALL_BINS	(U64_MAX >> 3)

/* Each rounding rule, with each size of a counter: its log2 */
#define FOR_EACH_RULE(rounding, shift)				\
	for (rounding = 0; rounding < 4; rounding++)		\
		for (shift = 1; shift <= 3; shift++)

static void check_bin(struct profil_range range, u32 rounding, u64 d, unsigned int shift)
{
	u64 at = range.offset + d;

	range.nr = ALL_BINS;
	assert_int_equal(oracle(&range, rounding, at, 1u << shift),
			 find_bin(range, rounding, at, shift));
	range.nr = MAX_COUNTERS;
	assert_int_equal(oracle(&range, rounding, at, 1u << shift),
			 find_bin(range, rounding, at, shift));
}

/* Each scale at each distance, with pcs near 0, near 2^64, and below the offset. */
TEST(bins_match_the_oracle_at_edges)
{
	static const u64 offsets[] = { 0, 1, 0x400000, 1ULL << 63, U64_MAX };
	struct profil_range range = { .last = U64_MAX };
	unsigned int shift;
	u32 rounding;
	size_t s, p, o;
	int by;

	FOR_EACH_RULE(rounding, shift)
		for (s = 0; s < ARRAY_SIZE(scales); s++)
			for (p = 0; p < ARRAY_SIZE(distances); p++)
				for (o = 0; o < ARRAY_SIZE(offsets); o++)
					for (by = -9; by <= 9; by++) {
						range.scale = scales[s];
						range.offset = offsets[o];
						check_bin(range, rounding,
							  distances[p] + (u64)by, shift);
					}
}

/* With one counter less, the pc of the last one has none: no write after the buffer. */
TEST(never_exceeds_the_buffer)
{
	struct profil_range range = { .last = U64_MAX, .offset = 0x400000 };
	unsigned int shift;
	u32 rounding;
	u64 d, bin;
	size_t s;

	FOR_EACH_RULE(rounding, shift)
		for (s = 0; s < ARRAY_SIZE(scales); s++)
			for (d = 0; d < 1ULL << 40; d = d * 3 + 1) {
				range.scale = scales[s];
				range.nr = ALL_BINS;
				bin = find_bin(range, rounding, range.offset + d, shift);
				if (bin >= MAX_COUNTERS)
					continue;
				range.nr = bin + 1;
				assert_int_equal(bin, find_bin(range, rounding, range.offset + d,
							       shift));
				range.nr = bin;
				assert_int_equal(NONE, find_bin(range, rounding, range.offset + d,
								shift));
			}
}

/*
 * BSD kernels truncated the product, and so counted samples in a distant shared library as samples
 * of the program.
 */
TEST(distant_pcs_have_no_counter)
{
	struct profil_range range = { .last = U64_MAX, .offset = 0x400000,
				      .scale = 65536, .nr = 0x1000 };
	unsigned int shift, bit;
	u32 rounding;

	FOR_EACH_RULE(rounding, shift) {
		if (rounding == PROFIL_ROUND_FIRST)
			continue;
		for (bit = 16; bit < 64; bit++)
			assert_int_equal(NONE, find_bin(range, rounding,
							range.offset + (1ULL << bit), shift));
		/* just below the offset: the difference wraps to nearly 2^64 */
		assert_int_equal(NONE, find_bin(range, rounding, range.offset - 1, shift));
	}
}

/* Bins never decrease with the pc; at scales up to 1 none is left out. */
TEST(higher_pcs_have_higher_bins)
{
	struct profil_range range = { .last = U64_MAX, .nr = ALL_BINS };
	u64 d, before, bin;
	unsigned int shift;
	u32 rounding;
	size_t s, p;

	FOR_EACH_RULE(rounding, shift)
		for (s = 0; s < ARRAY_SIZE(scales); s++)
			/* the last three are too far away to have a bin */
			for (p = 0; p < ARRAY_SIZE(distances) - 3; p++) {
				range.scale = scales[s];
				before = find_bin(range, rounding, distances[p], shift);
				for (d = 1; d < 40; d++) {
					bin = find_bin(range, rounding, distances[p] + d, shift);
					assert_true(bin >= before);
					assert_true(bin <= before + 1 || range.scale > 65536);
					before = bin;
				}
			}
}

static const struct profil_range *find_slowly(const struct profil_range *ranges, u32 nr, u64 at)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (at >= ranges[i].start && at <= ranges[i].last)
			return &ranges[i];
	return NULL;
}

TEST(region_search_matches_linear_search)
{
	struct profil_range ranges[9];
	u32 nr, i;
	int round;

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

#define MAX_REGIONS	4096	/* PROFIL_MAX_REGIONS in module/config.h */

/* The array has its exact size, so that valgrind detects an access after its end. */
static void check_ranges(u32 nr, u64 size, u64 gap, bool endless)
{
	struct profil_range *ranges = calloc(nr, sizeof(*ranges));
	u32 i;

	assert_non_null(ranges);
	for (i = 0; i < nr; i++) {
		ranges[i].start = 0x10000 + i * (size + gap);
		ranges[i].last = ranges[i].start + size - 1;
	}
	assert_null(profil_range_find(ranges, nr, 0xffff));
	assert_ptr_equal(profil_range_find(ranges, nr, ranges[nr - 1].last + 1), NULL);
	if (endless)
		ranges[nr - 1].last = U64_MAX;
	for (i = 0; i < nr; i++) {
		u64 first = ranges[i].start, last = ranges[i].last;

		assert_ptr_equal(&ranges[i], profil_range_find(ranges, nr, first));
		assert_ptr_equal(&ranges[i], profil_range_find(ranges, nr, last));
		assert_ptr_equal(&ranges[i],
				 profil_range_find(ranges, nr, first + (last - first) / 2));
		if (gap && i < nr - 1) {
			assert_null(profil_range_find(ranges, nr, last + 1));
			assert_null(profil_range_find(ranges, nr, last + gap));
		}
	}
	free(ranges);
}

TEST(finds_each_of_many_ranges)
{
	u32 nr;

	for (nr = 1; nr <= 70; nr++) {
		check_ranges(nr, 1, 0, nr % 2);
		check_ranges(nr, 7, 3, nr % 2);
	}
	check_ranges(MAX_REGIONS, 0x100, 0, false);
	check_ranges(MAX_REGIONS, 1ULL << 40, 1ULL << 40, true);
}

TEST(counts_follow_the_overflow_rules)
{
	static const u64 limits[] = { 1, 2, 32767, 65535 };
	u32 rule;
	int i;

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
		assert_int_equal(want, profil_count(old, samples, rule, limit, 0xffff));
	}
	assert_int_equal(3, profil_count(U64_MAX, 4, PROFIL_OVERFLOW_WRAP, 0, U64_MAX));
	assert_int_equal(U64_MAX,
			 profil_count(U64_MAX - 1, 4, PROFIL_OVERFLOW_SATURATE, U64_MAX, U64_MAX));
}

/*
 * Other CPUs write the counter and its neighbours between the read and the exchange, three times.
 */
static u16 halves[4];
static u64 wides[2];
static int interruptions;

static void interrupt_halves(void *word)
{
	if (interruptions-- > 0) {
		halves[1]++;
		halves[0] += 5;
		halves[3]++;
	}
}

static void interrupt_wide(void *word)
{
	if (interruptions-- > 0)
		wides[0] += 10;
}

void (*before_exchange)(void *word);

/* Adds to a counter, which must succeed. Return: the counter's value before. */
static u64 add(void *counter, u64 samples, u32 shift, u32 overflow, u64 limit)
{
	u64 before = 0;

	assert_true(profil_counter_add(counter, samples, shift, overflow, limit, &before));
	return before;
}

TEST(concurrent_writes_are_not_lost)
{
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
	/* bounded, so that endless tries fail the test and do not hang it */
	if (writes++ < 100000)
		hostile_word += 1ULL << 32 | 1;
}

TEST(program_that_writes_without_pause)
{
	static const u32 rules[] = { PROFIL_OVERFLOW_WRAP, PROFIL_OVERFLOW_SATURATE,
				     PROFIL_OVERFLOW_STOP };
	u32 shift, i;
	u64 before;
	bool added;

	before_exchange = write_always;
	for (shift = 1; shift <= 3; shift++) {
		for (i = 0; i < 3; i++) {
			writes = 0;
			hostile_word = 0;
			added = profil_counter_add(&hostile_word, 1, shift, rules[i],
						   1ULL << (8 << shift) / 2, &before);
			/* wide counters that wrap need no exchange */
			assert_int_equal(added, !rules[i] && shift > 1);
			assert_int_equal(writes, added ? 0 : PROFIL_COUNTER_TRIES);
			assert_int_equal(hostile_word, added ? 1 :
					 PROFIL_COUNTER_TRIES * (1ULL << 32 | 1));
		}
	}
	before_exchange = NULL;
}

TEST(each_width_wraps_without_a_carry)
{
	u32 word[2] = { 0xffffffff, 5 };
	u64 wide[2] = { U64_MAX, 5 };
	u16 half[2] = { 0xffff, 5 };

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
