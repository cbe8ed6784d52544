// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples by address.
 */
#include <stdlib.h>

#include <record/counts.h>

#include "support/test.h"

#define ADDRESSES	10000
#define STEP		4096	/* a hash of the low bits alone would be slow */

static int compare(const void *va, const void *vb)
{
	const struct result_count *a = va, *b = vb;

	return a->address < b->address ? -1 : a->address > b->address;
}

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
	copy = calloc(counts.nr, sizeof(*copy));
	assert_non_null(copy);
	counts_copy(&counts, copy);
	qsort(copy, ADDRESSES, sizeof(*copy), compare);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_of_an_address_add_up),
	};

	return cmocka_run_group_tests_name("counts", tests, NULL, NULL);
}
