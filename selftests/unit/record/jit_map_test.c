// SPDX-License-Identifier: GPL-2.0-only
/*
 * Maps of made code, /tmp/perf-PID.map: their lines, and files that no runtime would write.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <record/jit_map.h>
#include <result/result.h>

#include "support/jit_reading.h"

static const uint64_t addresses[] = { 0x1000, 0x1004, 0x100f, 0x2000, UINT64_MAX };
FIXTURE(set_up)
{
	return begin_reading(addresses, ARRAY_SIZE(addresses));
}

static void read_text(const char *text)
{
	append(text, strlen(text));
	jit_map_read(file, &names);
}

/* @wanted: the name of each address; NULL: none */
static void assert_names(const char *const wanted[])
{
	size_t i, left = 0;

	for (i = 0; i < ARRAY_SIZE(addresses); i++) {
		assert_name(i, wanted[i]);
		if (wanted[i])
			assert_true(names.of[i].start <= addresses[i]);
		else
			left++;
	}
	assert_int_equal(names.left, left);
}

TEST_F(lines_name_addresses)
{
	static const char *const wanted[] = { "JS:~f /a b.js:1:2", "java 0x", NULL, "\xff\x80", NULL };

	read_text("1000 4 JS:~f /a b.js:1:2\n"
		  "0x0000000000001004 0x000000000000000B java 0x\n"
		  "2000 1  \xff\x80\r\n");
	assert_names(wanted);
	assert_int_equal(names.of[1].start, 0x1004);
}

TEST_F(last_of_overlapping_lines_counts)
{
	static const char *const wanted[] = { "old", "new", "old", "new", NULL };

	read_text("1000 2000 old\n1004 4 between\n1004 4 new\n2000 1 new\n");
	assert_names(wanted);
}

/* The last line may have no newline: a runtime is writing, or was killed. */
TEST_F(invalid_lines_are_skipped)
{
	static const char *const wanted[] = { NULL, NULL, NULL, "last", NULL };

	read_text("\n\n1000\n1000 \n1000 4\n1000 4 \n1000 0 empty\n 4000 4 blank\n"
		  "1000 -4 minus\n1000 4g name\ng 4 name\n0x 4 name\n1000 0x name\n"
		  "10000000000001000 4 overflow\n1000\t4\ttabs\n2000 1 last");
	assert_names(wanted);
}

TEST_F(ranges_may_be_of_any_size)
{
	static const char *const wanted[] = { "all", "all", "all", "all", "top" };

	read_text("0 ffffffffffffffff all\nffffffffffffffff ffffffffffffffff top\n");
	assert_names(wanted);
}

TEST_F(name_ends_at_a_null_byte)
{
	static const char *const wanted[] = { NULL, "a", NULL, NULL, NULL };
	static const char text[] = "1000 4 \0b\n1004 4 a\0b\n";

	append(text, sizeof(text) - 1);
	jit_map_read(file, &names);
	assert_names(wanted);
}

/* A name is cut, also if it does not fit into the memory into which the file is read. */
TEST_F(long_names_are_cut)
{
	static const size_t lengths[] = { RESULT_MAX_NAME - 1, RESULT_MAX_NAME, 5 << 20 };
	char *text = malloc(5 << 20);
	size_t i;

	assert_non_null(text);
	memset(text, 'x', 5 << 20);
	read_text("2000 1 before\n");
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		dprintf(file, "%jx 1 ", (uintmax_t)addresses[i]);
		append(text, lengths[i]);
		append("\n", 1);
	}
	read_text("ffffffffffffffff 1 after\n");
	for (i = 0; i < ARRAY_SIZE(lengths); i++)
		assert_int_equal(strlen(names.of[i].name), RESULT_MAX_NAME - 1);
	assert_string_equal(names.of[3].name, "before");
	assert_string_equal(names.of[4].name, "after");
	free(text);
}

/* Lines at each possible distance from the start of what is read at a time */
TEST_F(lines_may_be_anywhere)
{
	static const char line[] = "1000 8 name of a function\n";
	char *blank = malloc((1 << 20) + 64);
	size_t before;

	assert_non_null(blank);
	memset(blank, '\n', (1 << 20) + 64);
	for (before = 0; before <= sizeof(line); before++) {
		assert_int_equal(ftruncate(file, 0), 0);
		lseek(file, 0, SEEK_SET);
		append(blank, 3);
		append(line, sizeof(line) - 1);
		append(blank, (1 << 20) - before);
		jit_map_read(file, &names);
		assert_non_null(names.of[0].name);
		assert_string_equal(names.of[0].name, "name of a function");
		tear_down(NULL);
		set_up(NULL);
	}
	free(blank);
}

/* More than any runtime writes, in which no line counts: CPU time is what it costs to read it. */
TEST_F(large_files_take_little_time)
{
	struct timespec from, to;
	size_t i;
	FILE *out = fdopen(dup(file), "w");

	for (i = 0; i < 300000; i++)
		fprintf(out, "%zx ffffffffffffffff JS:~function_number_%zu /home/user/src/lib/file.js:%zu:17\n",
			3 + i % 2, i, i);
	assert_int_equal(fclose(out), 0);
	/* of a TiB, only the end is read */
	assert_int_equal(ftruncate(file, (off_t)1 << 40), 0);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	jit_map_read(file, &names);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	assert_int_equal(names.left, ARRAY_SIZE(addresses));
	assert_int_equal(ftruncate(file, 0), 0);
	assert_true(to.tv_sec - from.tv_sec < 5);
}

/*
 * Every line names every address: each address is named once. If each line looked at all of them,
 * this would take 10^11 steps.
 */
TEST_F(overlapping_lines_take_linear_time)
{
	struct jit_names many;
	size_t i;

	assert_int_equal(jit_names_new(&many, 300000), 0);
	for (i = 0; i < many.nr; i++)
		many.of[i].pc = 0x1000 + i;
	for (i = 0; i < 300000; i++)
		jit_names_add(&many, 0x1000, i + 1, "name", 4);
	assert_int_equal(many.left, 0);
	jit_names_release(&many);
}
