// SPDX-License-Identifier: GPL-2.0-only
/*
 * The narrowest interval that contains an address, compared with a search in all intervals.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <symbol/narrowest.h>

#include "support/cpu_limit.h"
#include "support/test.h"

#define NR		40
#define ADDRESSES	64

struct interval {
	uint64_t start;
	uint64_t end;
};

static bool find_slowly(const struct interval *intervals, size_t nr, uint64_t address,
			size_t *owner)
{
	uint64_t least = UINT64_MAX;
	bool found = false;
	size_t i;

	for (i = 0; i < nr; i++) {
		const uint64_t length = intervals[i].end - intervals[i].start;

		if (address < intervals[i].start || address >= intervals[i].end || length > least)
			continue;
		least = length;
		*owner = i;
		found = true;
	}
	return found;
}

TEST(same_as_a_search_in_all)
{
	struct interval intervals[NR];
	struct narrowest set = { 0 };
	size_t round, nr, i, found, expected;
	uint64_t address;

	for (round = 0; round < 2000; round++) {
		nr = (size_t)random() % NR;
		for (i = 0; i < nr; i++) {
			/* empty ones, and also with the end before the start */
			intervals[i].start = (uint64_t)random() % ADDRESSES;
			intervals[i].end = (uint64_t)random() % ADDRESSES;
			assert_int_equal(narrowest_add(&set, intervals[i].start, intervals[i].end,
						       i), 0);
			if (intervals[i].end < intervals[i].start)
				intervals[i].end = intervals[i].start;
		}
		assert_int_equal(narrowest_finish(&set), 0);
		for (address = 0; address < ADDRESSES; address++) {
			bool has = find_slowly(intervals, nr, address, &expected);

			assert_int_equal(narrowest_find(&set, address, &found), has);
			if (has)
				assert_int_equal(found, expected);
		}
		narrowest_release(&set);
	}
}

TEST(largest_addresses)
{
	struct narrowest set = { 0 };
	size_t owner = 7;

	assert_int_equal(narrowest_add(&set, 0, UINT64_MAX, 1), 0);
	assert_int_equal(narrowest_add(&set, UINT64_MAX - 1, UINT64_MAX, 2), 0);
	assert_int_equal(narrowest_finish(&set), 0);
	assert_true(narrowest_find(&set, 0, &owner));
	assert_int_equal(owner, 1);
	assert_true(narrowest_find(&set, UINT64_MAX - 1, &owner));
	assert_int_equal(owner, 2);
	assert_false(narrowest_find(&set, UINT64_MAX, &owner));
	narrowest_release(&set);
	assert_int_equal(narrowest_finish(&set), 0);
	assert_false(narrowest_find(&set, 0, &owner));
	narrowest_release(&set);
}

/* All overlap: if each looked at all pieces, this would take hours. */
TEST(many_that_overlap)
{
	const size_t nr = 1 << 20;
	struct narrowest set = { 0 };
	size_t i, owner = 0;

	for (i = 0; i < nr; i++)
		assert_int_equal(narrowest_add(&set, i, 2 * nr - i, i), 0);
	cpu_limit(60);
	assert_int_equal(narrowest_finish(&set), 0);
	cpu_limit(0);
	for (i = 0; i < nr; i += 1000) {
		assert_true(narrowest_find(&set, i, &owner));
		assert_int_equal(owner, i);
		assert_true(narrowest_find(&set, 2 * nr - 1 - i, &owner));
		assert_int_equal(owner, i);
	}
	narrowest_release(&set);
}
