// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables of Go's functions in all versions, and damaged ones. names_test.c reads the table of an
 * installed Go.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <symbol/gopclntab.h>

#include "support/test.h"

#define BASE	0x401000	/* address of the code */
#define BIAS	0x10000

/* A table that is written by the tests */
static unsigned char bytes[1024];
static size_t size;

static void put(uint64_t number, size_t nr)
{
	memcpy(bytes + size, &number, nr);	/* a big-endian machine is not tested */
	size += nr;
}

static void put_start(uint32_t magic, size_t word)
{
	memset(bytes, 0, sizeof(bytes));
	size = 0;
	put(magic, 4);
	put(0, 2);
	put(1, 1);
	put(word, 1);
}

/* Names at the end of the table. Return: the offset of the first, with 16 bytes for each. */
static size_t put_names(void)
{
	const size_t offset = size;

	memcpy(bytes + size, "main.first\0     main.second", 27);
	size += 32;
	return offset;
}

/* "Go 1.2 Runtime Symbol Information": pairs after the header; offsets from the start */
static void make_1_2(size_t word)
{
	const size_t pairs = 8 + word, descriptions = pairs + 5 * word;
	size_t names, i;

	put_start(0xfffffffb, word);
	size = descriptions + 2 * (word + 4);
	names = put_names();
	size = 8;
	put(2, word);
	for (i = 0; i < 2; i++) {
		put(BASE + 0x20 * i, word);
		put(descriptions + i * (word + 4), word);
	}
	put(BASE + 0x30, word);
	for (i = 0; i < 2; i++) {
		put(BASE + 0x20 * i, word);
		put(names + 16 * i, 4);
	}
	size = names + 32;
}

/* runtime.pcHeader of Go 1.16: offsets in words; descriptions relative to the pairs */
static void make_1_16(size_t word)
{
	const size_t pairs = 8 + 7 * word, descriptions = pairs + 5 * word;
	size_t names, i;

	put_start(0xfffffffa, word);
	size = descriptions + 2 * (word + 4);
	names = put_names();
	size = 8;
	put(2, word);
	put(0, word);		/* files */
	put(names, word);
	put(0, word);
	put(0, word);
	put(0, word);
	put(pairs, word);
	for (i = 0; i < 2; i++) {
		put(BASE + 0x20 * i, word);
		put(descriptions + i * (word + 4) - pairs, word);
	}
	put(BASE + 0x30, word);
	for (i = 0; i < 2; i++) {
		put(BASE + 0x20 * i, word);
		put(16 * i, 4);
	}
	size = names + 32;
}

/* From Go 1.18 on: addresses relative to a base; pairs of 4 bytes each */
static void make_1_18(uint32_t magic, size_t word)
{
	const size_t pairs = 8 + 8 * word, descriptions = pairs + 5 * 4;
	size_t names, i;

	put_start(magic, word);
	size = descriptions + 2 * 8;
	names = put_names();
	size = 8;
	put(2, word);
	put(0, word);		/* files */
	put(BASE, word);
	put(names, word);
	put(0, word);
	put(0, word);
	put(0, word);
	put(pairs, word);
	for (i = 0; i < 2; i++) {
		put(0x20 * i, 4);
		put(descriptions + i * 8 - pairs, 4);
	}
	put(0x30, 4);
	for (i = 0; i < 2; i++) {
		put(0x20 * i, 4);
		put(16 * i, 4);
	}
	size = names + 32;
}

static void assert_range(const struct range *range, uint64_t start, uint64_t end, const char *name)
{
	assert_int_equal(range->start, start);
	assert_int_equal(range->end, end);
	assert_int_equal(range->length, strlen(name));
	assert_memory_equal(range->name, name, strlen(name));
}

static void assert_functions(uint64_t base, uint64_t start)
{
	struct ranges set = { 0 };

	assert_int_equal(gopclntab_decode(bytes, size, base, BIAS, &set), 0);
	assert_int_equal(set.nr, 2);
	assert_range(&set.range[0], start, start + 0x20, "main.first");
	assert_range(&set.range[1], start + 0x20, start + 0x30, "main.second");
	ranges_release(&set);
}

TEST(all_versions_are_read)
{
	size_t word;

	for (word = 4; word <= 8; word += 4) {
		make_1_2(word);
		assert_functions(0, BASE + BIAS);
		make_1_16(word);
		assert_functions(0, BASE + BIAS);
		make_1_18(0xfffffff0, word);
		assert_functions(0, BASE + BIAS);
		make_1_18(0xfffffff1, word);
		assert_functions(0, BASE + BIAS);
	}
}

/* In a position-independent program, the table may lack the base. */
TEST(base_replaces_that_of_the_table)
{
	make_1_18(0xfffffff1, 8);
	assert_functions(0x5000, 0x5000 + BIAS);
	/* these versions have none */
	make_1_16(8);
	assert_functions(0x5000, BASE + BIAS);
}

TEST(other_bytes_are_refused)
{
	struct ranges set = { 0 };

	make_1_18(0xfffffff2, 8);
	assert_int_equal(gopclntab_decode(bytes, size, 0, 0, &set), -ENOEXEC);
	make_1_18(0xfffffff1, 8);
	bytes[7] = 16;
	assert_int_equal(gopclntab_decode(bytes, size, 0, 0, &set), -ENOEXEC);
	make_1_18(0xfffffff1, 8);
	assert_int_equal(gopclntab_decode(bytes, 7, 0, 0, &set), -ENOEXEC);
	/* more functions than there is room for */
	memset(bytes + 8, 0xff, 8);
	assert_int_equal(gopclntab_decode(bytes, size, 0, 0, &set), -ENOEXEC);
	memcpy(bytes + 8, &(uint64_t){ 60 }, 8);
	assert_int_equal(gopclntab_decode(bytes, size, 0, 0, &set), -ENOEXEC);
	assert_int_equal(set.nr, 0);
}

/* All names must be inside the table, whatever it contains. Valgrind sees other reads. */
static void decode_damaged(size_t length)
{
	unsigned char *copy = malloc(length ? length : 1);
	struct ranges set = { 0 };
	size_t i;

	assert_non_null(copy);
	memcpy(copy, bytes, length);
	gopclntab_decode(copy, length, 0, BIAS, &set);
	for (i = 0; i < set.nr; i++) {
		const char *name = set.range[i].name;

		assert_true(name >= (const char *)copy);
		assert_true(name + set.range[i].length < (const char *)copy + length);
		assert_int_equal(strlen(name), set.range[i].length);
	}
	ranges_release(&set);
	free(copy);
}

TEST(damaged_tables_are_not_followed)
{
	size_t length;
	int i;

	srandom(1);
	make_1_18(0xfffffff1, 8);
	for (length = 0; length <= size; length++)
		decode_damaged(length);
	for (i = 0; i < 20000; i++) {
		switch (i % 3) {
		case 0:
			make_1_2(i % 2 ? 4 : 8);
			break;
		case 1:
			make_1_16(i % 2 ? 4 : 8);
			break;
		default:
			make_1_18(0xfffffff0, i % 2 ? 4 : 8);
		}
		bytes[8 + (size_t)random() % (size - 8)] = (unsigned char)random();
		bytes[8 + (size_t)random() % (size - 8)] = 0xff;
		decode_damaged(size);
	}
}
