// SPDX-License-Identifier: GPL-2.0-only
/*
 * From a pc to its counter (bins.h), compared with long multiplication. selftests/unit
 * compares it with 128-bit arithmetic, which is not available on all architectures.
 */
#include <linux/kernel.h>
#include <linux/sched.h>

#include "bins_vectors.h"
#include "pseudo.h"
#include "suites.h"

/* The largest buffer, and one that is larger than any bin, so that none is cut off. */
#define MAX_COUNTERS	0x20000000ULL
#define ALL_BINS	(U64_MAX >> 3)

static const u32 scales[] = {
	0, 1, 2, 3, 0x3fff, 0x4000, 0x7fff, 0x8000, 0x8001, 0xffff, 0x10000,
	0x10001, 0x20000, 0xaaaaaaaa, 0x7fffffff, 0x80000000, 0xfffffffe, U32_MAX,
};

/* Distances from the offset around which a carry or a sign could be lost. */
static const u64 distances[] = {
	0, 0x10000, 0x100000000, 0x1000000000000, 0x8000000000000000,
	0x5555555555555555, 0xffffffff00000000,
};

/* Digits of 16 bits, lowest first: enough for 64 bits times 32 bits. */
#define DIGITS	6

static void add_with_carry(u16 *digits, int at, u32 sum)
{
	for (; sum; at++) {
		sum += digits[at];
		digits[at] = sum;
		sum >>= 16;
	}
}

/*
 * The rounding rules of <linux/profil.h>, computed by long multiplication. Dividing by
 * 65536 drops the lowest digit.
 */
static u64 reference_bin(const struct profil_range *range, u64 pc, unsigned int shift)
{
	unsigned int down = range->rounding == PROFIL_ROUND_PC ? 0 : shift;
	u64 d = pc - range->offset, index = 0;
	u16 digits[DIGITS] = {};
	int i, j;

	if (range->rounding == PROFIL_ROUND_FIRST)
		return 0;
	if (range->rounding == PROFIL_ROUND_PC)
		d >>= shift;
	for (i = 0; i < 4; i++)
		for (j = 0; j < 2; j++)
			add_with_carry(digits, i + j, (u32)(u16)(d >> 16 * i) *
					      (u16)(range->scale >> 16 * j));
	if (range->rounding == PROFIL_ROUND_UP)
		add_with_carry(digits, 1, (1 << shift) - 1);

	if (digits[5] >> down)
		return PROFIL_NO_BIN;
	for (i = 4; i >= 1; i--)
		index = index << 16 | digits[i];
	index >>= down;
	if (down)
		index |= (u64)digits[5] << (64 - down);
	return index < range->nr ? index : PROFIL_NO_BIN;
}

static void check_bin(struct kunit *test, const struct profil_range *range, u64 pc,
		      unsigned int shift)
{
	KUNIT_ASSERT_EQ_MSG(test, profil_bin(range, pc, shift),
			    reference_bin(range, pc, shift),
			    "pc %llx offset %llx scale %x nr %llx rounding %u shift %u",
			    pc, range->offset, range->scale, range->nr, range->rounding,
			    shift);
}

/* Each rounding rule with each size of a counter */
#define RULES	12

/* Return: log2 of the size of a counter. */
static unsigned int set_rule(struct profil_range *range, unsigned int rule)
{
	range->rounding = PROFIL_ROUND_DOWN + rule / 3;
	return 1 + rule % 3;
}

static void check_vectors(struct kunit *test, u32 rounding,
			  const struct bins_vector *vectors, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		KUNIT_EXPECT_EQ_MSG(test, vectors[i].byte,
				    bins_vector_byte(rounding, &vectors[i]),
				    "rounding %u, row %zu", rounding, i);
}

static void matches_old_manual_pages(struct kunit *test)
{
	check_vectors(test, PROFIL_ROUND_DOWN, bins_down, ARRAY_SIZE(bins_down));
	check_vectors(test, PROFIL_ROUND_PC, bins_pc, ARRAY_SIZE(bins_pc));
	check_vectors(test, PROFIL_ROUND_UP, bins_up, ARRAY_SIZE(bins_up));
	check_vectors(test, PROFIL_ROUND_FIRST, bins_first,
		      ARRAY_SIZE(bins_first));
}

/* Each scale at each distance, with pcs near 0, near 2^64, and below the offset. */
static void matches_long_multiplication_at_edges(struct kunit *test)
{
	static const u64 offsets[] = { 0, 1, 0x400000, 1ULL << 63, U64_MAX };
	struct profil_range range = { .last = U64_MAX };
	unsigned int rule, shift, s, p, o;
	s64 by;

	for (rule = 0; rule < RULES; rule++) {
		shift = set_rule(&range, rule);
		for (s = 0; s < ARRAY_SIZE(scales); s++) {
			range.scale = scales[s];
			for (p = 0; p < ARRAY_SIZE(distances); p++) {
				for (o = 0; o < ARRAY_SIZE(offsets); o++) {
					u64 pc = offsets[o] + distances[p];

					range.offset = offsets[o];
					for (by = -9; by <= 9; by++) {
						range.nr = ALL_BINS;
						check_bin(test, &range, pc + by, shift);
						range.nr = MAX_COUNTERS;
						check_bin(test, &range, pc + by, shift);
					}
				}
			}
		}
		cond_resched();
	}
}

static void matches_long_multiplication_at_random(struct kunit *test)
{
	struct rnd_state rnd;
	unsigned int i, hits = 0;

	prandom_seed_state(&rnd, 1);
	for (i = 0; i < 100000; i++) {
		struct profil_range range = {
			.last = U64_MAX,
			.offset = pseudo_any(&rnd),
			.nr = (pseudo_any(&rnd) >> 4) | 1,
			.scale = pseudo_any(&rnd),
			.rounding = prandom_u32_state(&rnd) % 4,
		};
		u64 pc = range.offset + pseudo_any(&rnd);
		unsigned int shift = 1 + prandom_u32_state(&rnd) % 3;

		check_bin(test, &range, pc, shift);
		hits += profil_bin(&range, pc, shift) != PROFIL_NO_BIN;
		if (!(i % 1024))
			cond_resched();
	}
	/* pcs with and without a counter are both covered */
	KUNIT_EXPECT_GT(test, hits, i / 10);
	KUNIT_EXPECT_LT(test, hits, i - i / 10);
}

/* With one counter less, the pc of the last one has none: no write after the buffer. */
static void never_exceeds_the_buffer(struct kunit *test)
{
	struct profil_range range = { .last = U64_MAX, .offset = 0x400000 };
	unsigned int rule, shift, s;
	u64 d, index;

	for (rule = 0; rule < RULES; rule++) {
		shift = set_rule(&range, rule);
		for (s = 0; s < ARRAY_SIZE(scales); s++) {
			range.scale = scales[s];
			for (d = 0; d < 1ULL << 40; d = d * 3 + 1) {
				u64 pc = range.offset + d;

				range.nr = ALL_BINS;
				index = profil_bin(&range, pc, shift);
				if (index >= MAX_COUNTERS)
					continue;
				range.nr = index + 1;
				KUNIT_ASSERT_EQ(test, profil_bin(&range, pc, shift),
						index);
				if (!index)
					continue;
				range.nr = index;
				KUNIT_ASSERT_EQ(test, profil_bin(&range, pc, shift),
						PROFIL_NO_BIN);
			}
		}
	}
}

/* At scale 1 each word of text has a bin of its own, at any distance. */
static void scale_one_covers_each_word(struct kunit *test)
{
	struct profil_range range = { .last = U64_MAX, .scale = 65536, .nr = ALL_BINS };
	unsigned int rule, shift, p;
	u64 d, want;
	s64 by;

	for (rule = 0; rule < RULES; rule++) {
		shift = set_rule(&range, rule);
		for (p = 0; p < ARRAY_SIZE(distances); p++) {
			for (by = -9; by <= 9; by++) {
				d = distances[p] + by;
				want = d >> shift;
				if (range.rounding == PROFIL_ROUND_UP &&
				    want << shift != d)
					want++;
				if (range.rounding == PROFIL_ROUND_FIRST)
					want = 0;
				if (want >= range.nr)
					want = PROFIL_NO_BIN;
				KUNIT_ASSERT_EQ(test, profil_bin(&range, d, shift),
						want);
			}
		}
	}
}

/*
 * BSD kernels truncated the product, and so counted samples in a distant shared library as
 * samples of the program.
 */
static void distant_pcs_have_no_counter(struct kunit *test)
{
	struct profil_range range = { .last = U64_MAX, .offset = 0x400000,
				  .scale = 65536, .nr = 0x1000 };
	unsigned int rule, shift, bit;

	for (rule = 0; rule < RULES; rule++) {
		shift = set_rule(&range, rule);
		if (range.rounding == PROFIL_ROUND_FIRST)
			continue;
		for (bit = 16; bit < 64; bit++)
			KUNIT_ASSERT_EQ(test,
					profil_bin(&range, range.offset +
						   (1ULL << bit), shift),
					PROFIL_NO_BIN);
		/* just below the offset: the difference wraps to nearly 2^64 */
		KUNIT_ASSERT_EQ(test, profil_bin(&range, range.offset - 1, shift),
				PROFIL_NO_BIN);
	}
}

/* Bins never decrease with the pc; at scales up to 1 none is left out. */
static void higher_pcs_have_higher_bins(struct kunit *test)
{
	struct profil_range range = { .last = U64_MAX, .nr = ALL_BINS };
	unsigned int rule, shift, s, p;
	u64 d, before, bin;

	for (rule = 0; rule < RULES; rule++) {
		shift = set_rule(&range, rule);
		for (s = 0; s < ARRAY_SIZE(scales); s++) {
			range.scale = scales[s];
			/* the last three are too far away to have a bin */
			for (p = 0; p < ARRAY_SIZE(distances) - 3; p++) {
				before = profil_bin(&range, distances[p], shift);
				for (d = 1; d < 40; d++) {
					bin = profil_bin(&range, distances[p] + d,
							 shift);
					KUNIT_ASSERT_GE(test, bin, before);
					if (range.scale <= 65536)
						KUNIT_ASSERT_LE(test, bin,
								before + 1);
					before = bin;
				}
			}
		}
		cond_resched();
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(matches_old_manual_pages),
	KUNIT_CASE(matches_long_multiplication_at_edges),
	KUNIT_CASE(matches_long_multiplication_at_random),
	KUNIT_CASE(never_exceeds_the_buffer),
	KUNIT_CASE(scale_one_covers_each_word),
	KUNIT_CASE(distant_pcs_have_no_counter),
	KUNIT_CASE(higher_pcs_have_higher_bins),
	{}
};

struct kunit_suite profil_bins_suite = {
	.name = "profil_bins",
	.test_cases = cases,
};
