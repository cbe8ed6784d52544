// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sums of mon.out files, in each word size and byte order: a sum is a file that reads like one of
 * them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "monout/monout_sum.h"
#include "support/made_monout.h"
#include "support/test.h"

static const struct monout_layout layouts[] = {
	{ 4, false }, { 4, true }, { 8, false }, { 8, true },
};
static const char *why;

/* A file of two counters, with the calls of two functions */
static struct monout make(const struct monout_layout *layout, uint64_t low, uint64_t pc,
			  uint64_t calls, unsigned int counter)
{
	struct made_monout made = { .layout = *layout };
	struct monout monout;

	put_words(&made, (const uint64_t []){ low, 0x1010, 2, pc, calls, 0x1009, 1 }, 7);
	put_counters(&made, (const unsigned int []){ counter, 2 }, 2);
	assert_int_equal(monout_parse(made.bytes, made.nr, layout, &monout, &why), 0);
	return monout;
}

TEST(sum_is_a_file)
{
	size_t i, bytes, bad;

	for (i = 0; i < ARRAY_SIZE(layouts); i++) {
		struct monout files[] = {
			make(&layouts[i], 0x1000, 0x1001, 70000, 0xff00),
			make(&layouts[i], 0x1000, 0x1005, 5, 0xff),
			make(&layouts[i], 0x1000, 0x1001, 30000, 0),
		};
		unsigned char *contents;
		struct monout sum;

		assert_int_equal(monout_sum(files, 3, &contents, &bytes, &bad), 0);
		assert_int_equal(monout_parse(contents, bytes, &layouts[i], &sum, &why), 0);
		assert_int_equal(sum.low, 0x1000);
		assert_int_equal(sum.high, 0x1010);
		assert_int_equal(sum.nr_calls, 3);
		assert_int_equal(sum.nr_cells, 3);
		assert_int_equal(sum.calls[0].pc, 0x1001);
		assert_int_equal(sum.calls[0].calls, 100000);
		assert_int_equal(sum.calls[1].pc, 0x1005);
		assert_int_equal(sum.calls[1].calls, 5);
		assert_int_equal(sum.calls[2].pc, 0x1009);
		assert_int_equal(sum.calls[2].calls, 3);
		assert_int_equal(sum.nr_counters, 2);
		assert_int_equal(monout_samples(&sum, 0), 0xffff);
		assert_int_equal(monout_samples(&sum, 1), 6);
		monout_release(&sum);
		for (bad = 0; bad < 3; bad++)
			monout_release(&files[bad]);
	}
}

TEST(wrong_sums_are_refused)
{
	static const int64_t most[] = { INT32_MAX, INT64_MAX };
	size_t i, j, bytes, bad;

	for (i = 0; i < ARRAY_SIZE(layouts); i++) {
		const uint64_t limit = (uint64_t)most[layouts[i].word_bytes == 8];
		struct monout files[] = {
			make(&layouts[i], 0x1000, 0x1001, limit - 1, 1),
			make(&layouts[i], 0x1000, 0x1001, 1, 0xfffe),
			make(&layouts[i], 0x1000, 0x1001, 1, 0),
			make(&layouts[i], 0x1000, 0x1005, 1, 1),
			make(&layouts[i], 0x1004, 0x1005, 1, 1),
		};
		unsigned char *contents;

		assert_int_equal(monout_sum(files, 2, &contents, &bytes, &bad), 0);
		free(contents);
		assert_int_equal(monout_sum(files, 3, &contents, &bytes, &bad), -EOVERFLOW);
		assert_int_equal(bad, 2);
		assert_null(contents);
		assert_int_equal(monout_sum(files + 1, 4, &contents, &bytes, &bad), -ERANGE);
		assert_int_equal(bad, 3);
		/* a counter of 0x10000 */
		files[2].counters = files[0].counters;
		assert_int_equal(monout_sum(files + 1, 3, &contents, &bytes, &bad), -EOVERFLOW);
		assert_int_equal(bad, 2);
		for (j = 0; j < ARRAY_SIZE(files); j++)
			monout_release(&files[j]);
	}
}
