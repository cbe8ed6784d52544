// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples by address.
 */
#include <stdlib.h>

#include <record/counts.h>

#include "support/test.h"

#define ADDRESSES	10000
#define STEP		4096	/* a hash of the low bits alone would be slow */

static void samples_of_an_address_add_up(void **state)
{
	struct counts counts = { 0 };
	struct result_count *copy;
	uint64_t i;

	(void)state;
	for (i = 0; i < 2 * ADDRESSES; i++)
		assert_int_equal(counts_add(&counts, i % ADDRESSES * STEP, 3), 0);
	assert_int_equal(counts_add(&counts, 0, UINT32_MAX), 0);
	assert_int_equal(counts_add(&counts, 0, UINT32_MAX), 0);
	assert_int_equal(counts.nr, ADDRESSES);
	assert_int_equal(counts.samples, 6 * ADDRESSES + 2 * (uint64_t)UINT32_MAX);
	counts_sort(&counts);
	copy = calloc(counts.nr, sizeof(*copy));
	assert_non_null(copy);
	counts_copy(&counts, copy);
	assert_int_equal(copy[0].samples, 6 + 2 * (uint64_t)UINT32_MAX);
	for (i = 1; i < ADDRESSES; i++) {
		assert_int_equal(copy[i].address, i * STEP);
		assert_int_equal(copy[i].samples, 6);
	}
	free(copy);
	counts_release(&counts);
	assert_int_equal(counts.nr, 0);
	counts_copy(&counts, NULL);
}

/* New addresses are merged with those that are sorted already, and all are still found. */
static void samples_are_added_after_sorting(void **state)
{
	struct counts counts = { 0 };
	struct result_count copy[300];
	unsigned int round;
	uint64_t i;

	(void)state;
	counts_sort(&counts);
	for (round = 0; round < 3; round++) {
		/* a third of the addresses is new each time, the last ones before and between others */
		for (i = 0; i < 300; i++) {
			if (i % 3 < 2 - round)
				continue;
			assert_int_equal(counts_add(&counts, i * 7 % 300, 1 + round), 0);
			if (i % 2)
				counts_sort(&counts);
		}
		counts_sort(&counts);
		assert_int_equal(counts.nr, 100 * (round + 1));
		counts_copy(&counts, copy);
		for (i = 1; i < counts.nr; i++)
			assert_true(copy[i - 1].address < copy[i].address);
	}
	counts_sort(&counts);
	counts_copy(&counts, copy);
	for (i = 0; i < 300; i++) {
		uint64_t want = i * 7 % 300, j = 0;

		while (copy[j].address != want)
			assert_true(++j < 300);
		assert_int_equal(copy[j].samples, i % 3 == 2 ? 6 : i % 3 == 1 ? 5 : 3);
	}
	assert_int_equal(counts.samples, 100 * (6 + 5 + 3));
	counts_release(&counts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_of_an_address_add_up),
		cmocka_unit_test(samples_are_added_after_sorting),
	};

	return cmocka_run_group_tests_name("counts", tests, NULL, NULL);
}
