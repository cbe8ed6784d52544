// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples by address.
 */
#include <malloc.h>

#include <record/counts.h>

#include "support/test.h"

#define ADDRESSES	10000
#define STEP		4096	/* a hash of the low bits alone would be slow */

/* Add samples of the thread 0. */
static void add(struct counts *counts, uint64_t address, uint64_t samples)
{
	const struct result_part part = { .address = address, .samples = samples };

	assert_int_equal(counts_add(counts, &part), 0);
}

TEST(samples_of_an_address_add_up)
{
	struct counts counts = { 0 };
	const struct result_part *copy;
	uint64_t i;

	for (i = 0; i < 2 * ADDRESSES; i++)
		add(&counts, i % ADDRESSES * STEP, 3);
	add(&counts, 0, UINT32_MAX);
	add(&counts, 0, UINT32_MAX);
	assert_int_equal(counts.nr, ADDRESSES);
	assert_int_equal(counts.samples, 6 * ADDRESSES + 2 * (uint64_t)UINT32_MAX);
	assert_int_equal(counts_sort(&counts), 0);
	copy = counts.parts;
	assert_int_equal(copy[0].samples, 6 + 2 * (uint64_t)UINT32_MAX);
	for (i = 1; i < ADDRESSES; i++) {
		assert_int_equal(copy[i].address, i * STEP);
		assert_int_equal(copy[i].samples, 6);
	}
	counts_release(&counts);
	assert_int_equal(counts.nr, 0);
}

/* Also while the table is not full; the bound of the entries of a run follows from this. */
TEST(part_takes_76_bytes_at_most)
{
	const struct mallinfo2 before = mallinfo2();
	struct counts counts = { 0 };
	struct mallinfo2 after;
	uint64_t i;

	for (i = 0; i < 1 << 20; i++) {
		add(&counts, i * 8, 1);
		/* around the point at which it doubles */
		if (i < 100000 || i % 1000)
			continue;
		after = mallinfo2();
		assert_true(after.uordblks + after.hblkhd - before.uordblks - before.hblkhd <=
			    76 * i + 8192);
	}
	counts_release(&counts);
}

/* New addresses are merged with those that are sorted already, and all are still found. */
TEST(samples_are_added_after_sorting)
{
	struct counts counts = { 0 };
	const struct result_part *copy;
	unsigned int round;
	uint64_t i;

	assert_int_equal(counts_sort(&counts), 0);
	for (round = 0; round < 3; round++) {
		/* a third of the addresses is new each time, the last ones between others */
		for (i = 0; i < 300; i++) {
			if (i % 3 < 2 - round)
				continue;
			add(&counts, i * 7 % 300, 1 + round);
			if (i % 2)
				assert_int_equal(counts_sort(&counts), 0);
		}
		assert_int_equal(counts_sort(&counts), 0);
		assert_int_equal(counts.nr, 100 * (round + 1));
		copy = counts.parts;
		for (i = 1; i < counts.nr; i++)
			assert_true(copy[i - 1].address < copy[i].address);
	}
	assert_int_equal(counts_sort(&counts), 0);
	copy = counts.parts;
	for (i = 0; i < 300; i++) {
		uint64_t want = i * 7 % 300, j = 0;

		while (copy[j].address != want)
			assert_true(++j < 300);
		assert_int_equal(copy[j].samples, i % 3 == 2 ? 6 : i % 3 == 1 ? 5 : 3);
	}
	assert_int_equal(counts.samples, 100 * (6 + 5 + 3));
	counts_release(&counts);
}

/* Threads have parts of their own, in the order of the threads. */
TEST(threads_are_told_apart)
{
	const struct result_part parts[] = {
		{ 0x10, 1, 0, 7 }, { 0x10, 2, 2, RESULT_NO_THREAD }, { 0x10, 4, 1, 3 },
		{ 0x10, 8, 5, 7 }, { 0x8, 16, 0, 7 },
	};
	const struct result_part want[] = {
		{ 0x8, 16, 0, 7 }, { 0x10, 4, 1, 3 }, { 0x10, 9, 5, 7 },
		{ 0x10, 2, 2, RESULT_NO_THREAD },
	};
	struct counts counts = { 0 }, copy = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(parts); i++)
		assert_int_equal(counts_add(&counts, &parts[i]), 0);
	assert_int_equal(counts_add_all(&copy, &counts), 0);
	assert_int_equal(counts_sort(&copy), 0);
	assert_int_equal(copy.nr, ARRAY_SIZE(want));
	assert_int_equal(copy.samples, 31);
	for (i = 0; i < copy.nr; i++) {
		assert_int_equal(result_compare_parts(&copy.parts[i], &want[i]), 0);
		assert_int_equal(copy.parts[i].samples, want[i].samples);
		assert_int_equal(copy.parts[i].system, want[i].system);
	}
	counts_release(&counts);
	counts_release(&copy);
}
