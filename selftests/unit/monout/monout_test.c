// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading mon.out files: numbers of each word size and byte order, the pcs of counters, and
 * files that are not mon.out files.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/made_monout.h"
#include "support/test.h"

static const struct monout_layout layouts[] = {
	{ 4, false }, { 4, true }, { 8, false }, { 8, true },
};
static struct made_monout made;
static struct monout monout;
static const char *why;

FIXTURE(begin)
{
	made = (struct made_monout){ .layout = { 8, false } };
	monout = (struct monout){ 0 };
	why = NULL;
	return 0;
}

FIXTURE(end)
{
	monout_release(&monout);
	return 0;
}

static int parse(void)
{
	return monout_parse(made.bytes, made.nr, &made.layout, &monout, &why);
}

static void header(uint64_t low, uint64_t high, uint64_t nr_cells)
{
	put_words(&made, (const uint64_t []){ low, high, nr_cells }, 3);
}

TEST(numbers_have_the_programs_layout)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(layouts); i++) {
		begin(state);
		made.layout = layouts[i];
		header(0x1234560, 0x1234570, 5);
		/* unsorted; one pc twice, one cell unused, one function never called */
		put_words(&made, (const uint64_t []){
			0x1234569, 70000, 0x1234561, 2, 0, 9, 0x1234569, 3, 0x1234565, 0,
		}, 10);
		put_counters(&made, (const unsigned int []){ 0, 0xfffe, 3, 0x102 }, 4);
		assert_int_equal(parse(), 0);
		assert_int_equal(monout.low, 0x1234560);
		assert_int_equal(monout.high, 0x1234570);
		assert_int_equal(monout.nr_calls, 2);
		assert_int_equal(monout.calls[0].pc, 0x1234561);
		assert_int_equal(monout.calls[0].calls, 2);
		assert_int_equal(monout.calls[1].pc, 0x1234569);
		assert_int_equal(monout.calls[1].calls, 70003);
		assert_int_equal(monout.nr_counters, 4);
		assert_int_equal(monout_samples(&monout, 1), 0xfffe);
		assert_int_equal(monout_samples(&monout, 3), 0x102);
		/* 8 bytes of counters for 16 of text */
		assert_int_equal(monout.scale, 32768);
		assert_int_equal(monout_pc(&monout, 3), 0x123456c);
		monout_release(&monout);
	}
}

TEST_WITH(largest_numbers, begin, end)
{
	header(1, UINT64_MAX, 2);
	put_words(&made, (const uint64_t []){ UINT64_MAX, UINT64_MAX, UINT64_MAX, 2 }, 4);
	put_counters(&made, (const unsigned int []){ 1 }, 1);
	assert_int_equal(parse(), 0);
	assert_int_equal(monout.high, UINT64_MAX);
	assert_int_equal(monout.calls[0].pc, UINT64_MAX);
	/* the sum saturates */
	assert_int_equal(monout.calls[0].calls, UINT64_MAX);
	/* profiling was off */
	assert_int_equal(monout.scale, 0);
}

/* monout_pc() is the inverse of the formula in the manual page of profil(). */
TEST(pcs_match_the_counters_of_profil)
{
	static const struct {
		uint64_t bytes;		/* of text */
		size_t counters;
		uint32_t scale;
	} cases[] = {
		{ 1000, 125, 16384 }, { 1000, 100, 13107 }, { 1001, 7, 915 }, { 77, 1, 1680 },
		/* the scale is less than 1 */
		{ 1000, 500, 65535 }, { 1000, 700, 65535 }, { 300001, 150001, 65535 },
		{ 131072, 2, 2 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t d;
		size_t j;

		begin(state);
		header(0x400000, 0x400000 + cases[i].bytes, 0);
		for (j = 0; j < cases[i].counters; j++)
			put_counters(&made, (const unsigned int []){ 0 }, 1);
		assert_int_equal(parse(), 0);
		assert_int_equal(monout.scale, cases[i].scale);
		for (d = 0; d < cases[i].bytes; d++) {
			size_t counter = d * cases[i].scale / 65536 / 2;

			assert_true(counter < cases[i].counters);
			assert_true(monout_pc(&monout, counter) <= 0x400000 + d);
			assert_true(monout_pc(&monout, counter + 1) > 0x400000 + d);
		}
		monout_release(&monout);
	}
}

TEST_WITH(pcs_do_not_overflow, begin, end)
{
	header(UINT64_MAX - 3, UINT64_MAX, 0);
	put_counters(&made, (const unsigned int []){ 1, 1, 1 }, 3);
	assert_int_equal(parse(), 0);
	assert_int_equal(monout_pc(&monout, 1), UINT64_MAX);
	assert_int_equal(monout_pc(&monout, 3), UINT64_MAX);
}

static void assert_refused(const char *words)
{
	assert_int_equal(parse(), -EBADMSG);
	assert_non_null(why);
	assert_non_null(strstr(why, words));
	monout_release(&monout);
}

TEST(inconsistent_sizes_are_refused)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(layouts); i++) {
		const struct monout_layout layout = layouts[i];
		const uint64_t word = layout.word_bytes, most = word == 4 ? UINT32_MAX : UINT64_MAX;
		/* the size of this number of cells overflows to 0 */
		const uint64_t wraps = (most / 2 + 1) / word;
		const uint64_t numbers[] = { 1, 2, most, wraps, most / word + 1 };
		size_t j;

		for (j = 0; j < ARRAY_SIZE(numbers); j++) {
			begin(state);
			made.layout = layout;
			header(16, 32, numbers[j]);
			put_counters(&made, (const unsigned int []){ 1, 2, 3 }, 3);
			assert_refused("more call counts than");
		}
		/* a cell without counters, and with half a counter */
		for (j = 0; j < 4; j += 3) {
			begin(state);
			made.layout = layout;
			header(16, 32, 1);
			put_words(&made, (const uint64_t []){ 20, 1 }, 2);
			made.bytes = realloc(made.bytes, made.nr + j);
			memset(made.bytes + made.nr, 0, j);
			made.nr += j;
			assert_refused("counters of 2 bytes");
		}
	}
}

TEST(other_headers_are_refused)
{
	size_t nr;

	begin(state);
	header(32, 32, 0);
	put_counters(&made, (const unsigned int []){ 1 }, 1);
	assert_refused("not after their start");
	for (nr = 0; nr < 24; nr++) {
		begin(state);
		made.bytes = calloc(1, nr + 1);
		made.nr = nr;
		assert_refused("too short for the header");
	}
}

TEST_WITH(files, begin, end)
{
	static const struct monout_layout layout = { 8, false };
	char path[] = "monout.XXXXXX";
	int fd = mkstemp(path);

	header(16, 32, 0);
	put_counters(&made, (const unsigned int []){ 1, 7 }, 2);
	assert_int_equal(write(fd, made.bytes, made.nr), made.nr);
	assert_int_equal(monout_read(path, &layout, &monout, &why), 0);
	assert_int_equal(monout_samples(&monout, 1), 7);
	monout_release(&monout);
	assert_int_equal(ftruncate(fd, (256 << 20) + 1), 0);
	assert_int_equal(monout_read(path, &layout, &monout, &why), -EFBIG);
	assert_non_null(strstr(why, "256 MiB"));
	unlink(path);
	close(fd);
	assert_int_equal(monout_read(path, &layout, &monout, &why), -ENOENT);
	assert_int_equal(monout_read(".", &layout, &monout, &why), -EBADMSG);
	free(made.bytes);
}
