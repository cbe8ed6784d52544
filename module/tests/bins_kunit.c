// SPDX-License-Identifier: GPL-2.0-only
/*
 * From a pc to the number of its counter (bins.h), against long multiplication.
 * selftests/unit has the same against the compiler's 128 bits, which not every
 * architecture has, nor the kernel all of.
 */
#include <linux/kernel.h>
#include <linux/sched.h>

#include "bins_vectors.h"
#include "pseudo.h"
#include "suites.h"

/* Highest number of counters, and more than any index, so that all of it is seen. */
#define MOST	0x20000000ULL
#define ENOUGH	(U64_MAX >> 3)

static const u32 scales[] = {
	0, 1, 2, 3, 0x3fff, 0x4000, 0x7fff, 0x8000, 0x8001, 0xffff, 0x10000,
	0x10001, 0x20000, 0xaaaaaaaa, 0x7fffffff, 0x80000000, 0xfffffffe, U32_MAX,
};

/* Distances around which a carry or a sign could be lost. */
static const u64 places[] = {
	0, 0x10000, 0x100000000, 0x1000000000000, 0x8000000000000000,
	0x5555555555555555, 0xffffffff00000000,
};

/* Number of 16 bits each, the lowest first: room for 64 bits times 32. */
#define DIGITS	6

static void add_at(u16 *digits, int at, u32 sum)
{
	for (; sum; at++) {
		sum += digits[at];
		digits[at] = sum;
		sum >>= 16;
	}
}

/*
 * The rules as <linux/profil.h> writes them, as one does it on paper: to divide by
 * 65536 is to leave out the lowest digit.
 */
static u64 slow_bin(const struct profil_range *range, u64 pc, unsigned int shift)
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
			add_at(digits, i + j, (u32)(u16)(d >> 16 * i) *
					      (u16)(range->scale >> 16 * j));
	if (range->rounding == PROFIL_ROUND_UP)
		add_at(digits, 1, (1 << shift) - 1);

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
			    slow_bin(range, pc, shift),
			    "pc %llx offset %llx scale %x nr %llx rounding %u shift %u",
			    pc, range->offset, range->scale, range->nr, range->rounding,
			    shift);
}

/* Each rounding rule with each width of a counter */
#define RULES	12

/* Return: the shift of that width. */
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

static void manual_pages(struct kunit *test)
{
	check_vectors(test, PROFIL_ROUND_DOWN, bins_down, ARRAY_SIZE(bins_down));
	check_vectors(test, PROFIL_ROUND_PC, bins_pc, ARRAY_SIZE(bins_pc));
	check_vectors(test, PROFIL_ROUND_UP, bins_up, ARRAY_SIZE(bins_up));
	check_vectors(test, PROFIL_ROUND_FIRST, bins_first,
		      ARRAY_SIZE(bins_first));
}

/* Each scale at each place, with the pc near 0, near 2^64, and below the offset. */
static void edges(struct kunit *test)
{
	static const u64 offsets[] = { 0, 1, 0x400000, 1ULL << 63, U64_MAX };
	struct profil_range range = { .last = U64_MAX };
	unsigned int rule, shift, s, p, o;
	s64 by;

	for (rule = 0; rule < RULES; rule++) {
		shift = set_rule(&range, rule);
		for (s = 0; s < ARRAY_SIZE(scales); s++) {
			range.scale = scales[s];
			for (p = 0; p < ARRAY_SIZE(places); p++) {
				for (o = 0; o < ARRAY_SIZE(offsets); o++) {
					u64 pc = offsets[o] + places[p];

					range.offset = offsets[o];
					for (by = -9; by <= 9; by++) {
						range.nr = ENOUGH;
						check_bin(test, &range, pc + by, shift);
						range.nr = MOST;
						check_bin(test, &range, pc + by, shift);
					}
				}
			}
		}
		cond_resched();
	}
}

static void any_numbers(struct kunit *test)
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
	/* both kinds were tried */
	KUNIT_EXPECT_GT(test, hits, i / 10);
	KUNIT_EXPECT_LT(test, hits, i - i / 10);
}

/* One counter less, and the last pc has none: nothing is written behind a buffer. */
static void last_counter(struct kunit *test)
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

				range.nr = ENOUGH;
				index = profil_bin(&range, pc, shift);
				if (index >= MOST)
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

/* A buffer as long as the text has a bin for each of its words, wherever that is. */
static void as_long_as_the_text(struct kunit *test)
{
	struct profil_range range = { .last = U64_MAX, .scale = 65536, .nr = ENOUGH };
	unsigned int rule, shift, p;
	u64 d, want;
	s64 by;

	for (rule = 0; rule < RULES; rule++) {
		shift = set_rule(&range, rule);
		for (p = 0; p < ARRAY_SIZE(places); p++) {
			for (by = -9; by <= 9; by++) {
				d = places[p] + by;
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

/* Where bsd kernels cut off the product, a shared library counts in the program. */
static void far_away(struct kunit *test)
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
		/* right below the offset, and so 2^64 above it */
		KUNIT_ASSERT_EQ(test, profil_bin(&range, range.offset - 1, shift),
				PROFIL_NO_BIN);
	}
}

/* Higher pcs never count in lower bins, and no bin is left out at scales up to 1. */
static void bins_rise(struct kunit *test)
{
	struct profil_range range = { .last = U64_MAX, .nr = ENOUGH };
	unsigned int rule, shift, s, p;
	u64 d, before, bin;

	for (rule = 0; rule < RULES; rule++) {
		shift = set_rule(&range, rule);
		for (s = 0; s < ARRAY_SIZE(scales); s++) {
			range.scale = scales[s];
			/* but those that are too high to have a bin */
			for (p = 0; p < ARRAY_SIZE(places) - 3; p++) {
				before = profil_bin(&range, places[p], shift);
				for (d = 1; d < 40; d++) {
					bin = profil_bin(&range, places[p] + d,
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
	KUNIT_CASE(manual_pages),
	KUNIT_CASE(edges),
	KUNIT_CASE(any_numbers),
	KUNIT_CASE(last_counter),
	KUNIT_CASE(as_long_as_the_text),
	KUNIT_CASE(far_away),
	KUNIT_CASE(bins_rise),
	{}
};

struct kunit_suite profil_bins_suite = {
	.name = "profil_bins",
	.test_cases = cases,
};
