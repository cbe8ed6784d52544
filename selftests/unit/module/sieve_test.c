// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares which words of a stack the module keeps (module/attach/sieve.h) with the three ranges.
 */
#include "module/attach/sieve.h"
#include "support/random.h"
#include "support/test.h"

/* The first value of each range, and the first one after it */
static u64 bounds[PROFIL_SIEVE_RANGES][2];

static bool should_keep(u64 value)
{
	int i;

	for (i = 0; i < PROFIL_SIEVE_RANGES; i++)
		if (value >= bounds[i][0] && value < bounds[i][1] && value < PROFIL_SIEVE_END)
			return true;
	return false;
}

static void check_near(const struct profil_sieve *sieve, u64 value)
{
	u64 i;

	for (i = value - 2; i != value + 3; i++) {
		assert_int_equal(should_keep(i), profil_sieve_keeps(sieve, i));
		assert_true(i >= sieve->low || !should_keep(i));
	}
}

static void check_all(void)
{
	struct profil_sieve sieve = { .low = PROFIL_SIEVE_END };
	int i;

	for (i = 0; i < PROFIL_SIEVE_RANGES; i++)
		profil_sieve_add(&sieve, i, bounds[i][0], bounds[i][1]);
	for (i = 0; i < PROFIL_SIEVE_RANGES; i++) {
		check_near(&sieve, bounds[i][0]);
		check_near(&sieve, bounds[i][1]);
		check_near(&sieve, bounds[i][0] / 2 + bounds[i][1] / 2);
	}
	check_near(&sieve, 0);
	check_near(&sieve, PROFIL_SIEVE_END);
	check_near(&sieve, 1ULL << 63);
	check_near(&sieve, random_any());
}

/* In any order; also empty ranges, those turned around, and those whose values have no room */
TEST(words_in_ranges_are_kept)
{
	static const u64 ends[] = {
		0, 1, 0x400000, 0x555555554000, 0x7ffff7fff000, 0x7ffffffff000,
		PROFIL_SIEVE_END - 1, PROFIL_SIEVE_END, PROFIL_SIEVE_END + 1, 1ULL << 56,
		1ULL << 63, ~0ULL,
	};
	int i, turns;

	for (turns = 0; turns < 100000; turns++) {
		for (i = 0; i < 2 * PROFIL_SIEVE_RANGES; i++)
			bounds[i / 2][i % 2] = turns % 2 ? random_any() :
						random_u64() % 4 ?
						ends[random_u64() % ARRAY_SIZE(ends)] : 0;
		check_all();
	}
}
