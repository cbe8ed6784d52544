// SPDX-License-Identifier: GPL-2.0-only
/*
 * Dumps of made code, jit-PID.dump: their records, and files that no runtime would write.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <record/jit_dump.h>
#include <result/result.h>

#include "support/jit_reading.h"

enum { LOAD, MOVE, DEBUG, CLOSE };

static const uint64_t addresses[] = { 0x1000, 0x1004, 0x2000, 0x3000 };

FIXTURE(set_up)
{
	return begin_reading(addresses, ARRAY_SIZE(addresses));
}

static void put32(uint32_t value)
{
	append(&value, sizeof(value));
}

static void put64(uint64_t value)
{
	append(&value, sizeof(value));
}

static void put_header(uint32_t magic, uint32_t version)
{
	put32(magic);
	put32(version);
	put32(48);
	put32(62);
	put32(0);
	put32(1234);
	put64(1);
	put64(0);
	/* a later version may have more fields */
	put64(0);
}

static void put_record(uint32_t id, size_t bytes)
{
	put32(id);
	put32(16 + (uint32_t)bytes);
	put64(1);
}

static void put_load(uint64_t start, uint64_t bytes, uint64_t index, const char *name, size_t code)
{
	const size_t length = strlen(name) + 1;
	char *zero = calloc(1, code + 1);

	put_record(LOAD, 40 + length + code);
	put32(1234);
	put32(1235);
	put64(0xbad);
	put64(start);
	put64(bytes);
	put64(index);
	append(name, length);
	append(zero, code);
	free(zero);
}

static void put_move(uint64_t start, uint64_t bytes, uint64_t index)
{
	put_record(MOVE, 48);
	put32(1234);
	put32(1235);
	put64(0xbad);
	put64(0xbad);
	put64(start);
	put64(bytes);
	put64(index);
}

TEST_F(dump_is_found_by_its_name)
{
	assert_true(jit_dump_is("/home/user/.debug/jit/llvm-IR-jit-20261126/jit-1.dump"));
	assert_true(jit_dump_is("/jit-4194303.dump"));
	assert_false(jit_dump_is("/jit-.dump"));
	assert_false(jit_dump_is("/jit-1a.dump"));
	assert_false(jit_dump_is("/jit-1.dump.gz"));
	assert_false(jit_dump_is("/jit-1.dump (deleted)"));
	assert_false(jit_dump_is("/a-jit-1.dump"));
	assert_false(jit_dump_is("/jit-1.dump/a"));
}

TEST_F(code_has_names)
{
	put_header(0x4a695444, 1);
	put_load(0x1000, 8, 0, "first", 8);
	put_record(DEBUG, 100000);
	assert_int_equal(lseek(file, 100000, SEEK_CUR), 48 + 16 + 40 + 6 + 8 + 16 + 100000);
	/* the code is larger than what is read at a time */
	put_load(0x2000, 300000, 1, "second, large", 300000);
	/* the same address again */
	put_load(0x1004, 4, 2, "third", 4);
	put_record(CLOSE, 0);
	jit_dump_read(file, &names);
	assert_name(0, "first");
	assert_name(1, "third");
	assert_name(2, "second, large");
	assert_name(3, "second, large");
	assert_int_equal(names.of[3].start, 0x2000);
}

TEST_F(moved_code_keeps_its_name)
{
	put_header(0x4a695444, 1);
	put_load(0x5000, 4, 7, "moved", 4);
	put_load(0x2000, 4, UINT64_MAX, "no index", 4);
	put_move(0x1000, 4, 7);
	put_move(0x1004, 4, 6);
	put_move(0x3000, 4, UINT64_MAX);
	jit_dump_read(file, &names);
	assert_name(0, "moved");
	assert_name(1, NULL);
	assert_name(2, "no index");
	assert_name(3, NULL);
}

TEST_F(other_files_are_refused)
{
	static const uint32_t magics[][2] = { { 0x4454694a, 1 }, { 0x4a695444, 2 }, { 0, 1 } };
	size_t i;

	jit_dump_read(file, &names);
	for (i = 0; i < ARRAY_SIZE(magics); i++) {
		assert_int_equal(ftruncate(file, 0), 0);
		lseek(file, 0, SEEK_SET);
		put_header(magics[i][0], magics[i][1]);
		put_load(0x1000, 8, 0, "first", 8);
		jit_dump_read(file, &names);
		assert_int_equal(names.left, ARRAY_SIZE(addresses));
	}
}

/* A record cannot be shorter than its head. */
TEST_F(invalid_record_ends_the_reading)
{
	off_t end;

	put_header(0x4a695444, 1);
	put_load(0x1000, 8, 0, "first", 8);
	end = lseek(file, 0, SEEK_CUR);
	put32(DEBUG);
	put32(8);
	put_load(0x2000, 8, 1, "after", 8);
	jit_dump_read(file, &names);
	assert_name(0, "first");
	assert_name(2, NULL);
	assert_int_equal(ftruncate(file, end), 0);
	lseek(file, 0, SEEK_END);
	put_record(LOAD, 8);
	put64(0);
	put_load(0x2000, 8, 1, "after", 8);
	jit_dump_read(file, &names);
	assert_name(2, NULL);
}

/* Runtimes are killed while they write. */
TEST_F(any_part_of_a_dump_can_be_read)
{
	off_t bytes;

	put_header(0x4a695444, 1);
	put_load(0x1000, 8, 0, "first", 8);
	put_move(0x2000, 4, 0);
	put_load(0x3000, 8, 1, "second", 8);
	for (bytes = lseek(file, 0, SEEK_CUR); bytes >= 0; bytes--) {
		assert_int_equal(ftruncate(file, bytes), 0);
		names.left = ARRAY_SIZE(addresses);
		jit_dump_read(file, &names);
	}
	assert_name(0, "first");
	assert_name(2, "first");
	assert_name(3, "second");
}

TEST_F(random_dumps_do_not_crash)
{
	unsigned int seed = 7;
	off_t bytes;
	int round;

	put_header(0x4a695444, 1);
	put_load(0x1000, 8, 0, "first", 8);
	put_move(0x2000, 4, 0);
	put_load(0x3000, 8, 1, "second", 8);
	bytes = lseek(file, 0, SEEK_CUR);
	for (round = 0; round < 2000; round++) {
		const off_t at = 48 + rand_r(&seed) % (bytes - 48);
		const unsigned char value = (unsigned char)rand_r(&seed);

		assert_int_equal(pwrite(file, &value, 1, at), 1);
		jit_dump_read(file, &names);
		if (!names.left) {
			tear_down(NULL);
			set_up(NULL);
			put_header(0x4a695444, 1);
			put_load(0x1000, 8, 0, "first", 8);
			put_move(0x2000, 4, 0);
			put_load(0x3000, 8, 1, "second", 8);
		}
	}
}
