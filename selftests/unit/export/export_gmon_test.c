// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads exported gmon.out files by the rules of gprof: all bins have the same width, and records
 * either have the same range of text, and are added up, or do not overlap.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <export/export.h>

#include "support/fake_result.h"
#include "support/test.h"

#define HEADER	20
#define HEAD	41	/* head of a record: tag, two addresses, bins, rate, unit */
#define ARC	21	/* an arc: tag, two addresses, count */

struct record {
	uint64_t low, high;
	uint32_t nr_bins, rate;
	const unsigned char *bins;
};

static struct result result;
static char *file;
static size_t size;
static struct record records[80000];
static size_t nr_records;
static const char *arcs;
static size_t nr_arcs;

FIXTURE(set_up)
{
	fake_result(&result);
	nr_records = 0;
	return 0;
}

FIXTURE(tear_down)
{
	free(file);
	file = NULL;
	return 0;
}

static void read_records(void)
{
	size_t at = HEADER;

	assert_true(size >= HEADER);
	assert_memory_equal(file, "gmon\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", HEADER);
	while (at < size && !file[at]) {
		struct record *record = &records[nr_records++];

		assert_true(nr_records < ARRAY_SIZE(records));
		assert_true(size - at >= HEAD);
		memcpy(&record->low, file + at + 1, 8);
		memcpy(&record->high, file + at + 9, 8);
		memcpy(&record->nr_bins, file + at + 17, 4);
		memcpy(&record->rate, file + at + 21, 4);
		assert_memory_equal(file + at + 25, "seconds\0\0\0\0\0\0\0\0s", 16);
		record->bins = (unsigned char *)file + at + HEAD;
		at += HEAD + 2 * (size_t)record->nr_bins;
	}
	arcs = file + at;
	nr_arcs = (size - at) / ARC;
	assert_int_equal(at + nr_arcs * ARC, size);
}

static void write_object(size_t object)
{
	FILE *out = open_memstream(&file, &size);

	assert_non_null(out);
	assert_int_equal(export_gmon(out, &result, object), 0);
	assert_int_equal(fclose(out), 0);
	read_records();
}

/* Check what gprof requires of all records. */
static void assert_records_fit(uint64_t bin_bytes)
{
	size_t i, j;

	for (i = 0; i < nr_records; i++) {
		assert_true(records[i].nr_bins);
		assert_int_equal(records[i].high - records[i].low, records[i].nr_bins * bin_bytes);
		assert_int_equal(records[i].rate, result.rate);
		/* only the first thousand: the others repeat the last of these */
		for (j = i; j-- && i < 1000;)
			assert_true(records[j].high <= records[i].low ||
				    (records[j].low == records[i].low &&
				     records[j].high == records[i].high));
	}
}

static uint64_t samples_at(uint64_t address, uint64_t bin_bytes)
{
	uint64_t samples = 0;
	size_t i;

	for (i = 0; i < nr_records; i++) {
		uint16_t bin;

		if (address < records[i].low || address >= records[i].high)
			continue;
		memcpy(&bin, records[i].bins + 2 * ((address - records[i].low) / bin_bytes),
		       sizeof(bin));
		samples += bin;
	}
	return samples;
}

static uint64_t all_samples(void)
{
	uint64_t samples = 0;
	size_t i, j;

	for (i = 0; i < nr_records; i++) {
		for (j = 0; j < records[i].nr_bins; j++) {
			uint16_t bin;

			memcpy(&bin, records[i].bins + 2 * j, sizeof(bin));
			samples += bin;
		}
	}
	return samples;
}

static void assert_all_counts(size_t object)
{
	const struct result_object *from = &result.objects[object];
	size_t i;

	assert_records_fit(2);
	for (i = 0; i < from->nr_counts; i++)
		assert_int_equal(samples_at(from->counts[i].address, 2), from->counts[i].samples);
	assert_int_equal(all_samples(), from->samples);
}

TEST_F(counts_are_at_their_addresses)
{
	write_object(ODD);
	assert_all_counts(ODD);
	/* there are gaps after the second and the fourth count */
	assert_int_equal(nr_records, 3);
}

TEST_F(large_counts_are_repeated)
{
	write_object(BIG);
	assert_all_counts(BIG);
	/* 65535 takes one record, 65536 two, 9 one, and 2^32 + 5 the others */
	assert_int_equal(nr_records, 1 + 2 + 1 + 65538);
	/* repeated records have one bin only */
	assert_true(size < (size_t)65600 * (HEAD + 2));
}

/* gprof requires bins of at least two bytes. */
TEST_F(neighbours_share_bins)
{
	static struct result_count counts[] = {
		{ 0x1000, 1 }, { 0x1001, 2 }, { 0x1003, 4 }, { 0x1100, 8 }, { 0x1101, 65535 },
	};

	result.objects[LIB_X].counts = counts;
	result.objects[LIB_X].nr_counts = ARRAY_SIZE(counts);
	result.objects[LIB_X].samples = 65550;
	write_object(LIB_X);
	assert_records_fit(2);
	assert_int_equal(samples_at(0x1000, 2), 3);
	assert_int_equal(samples_at(0x1002, 2), 4);
	assert_int_equal(samples_at(0x1100, 2), 65543);
	assert_int_equal(all_samples(), 65550);
}

TEST_F(long_text_has_several_records)
{
	static struct result_count counts[70000];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(counts); i++)
		counts[i] = (struct result_count){ 0x1000 + 4 * i, 1 };
	result.objects[LIB_X].counts = counts;
	result.objects[LIB_X].nr_counts = ARRAY_SIZE(counts);
	result.objects[LIB_X].samples = ARRAY_SIZE(counts);
	write_object(LIB_X);
	assert_all_counts(LIB_X);
	assert_int_equal(nr_records, 3);
}

TEST_F(too_large_count_is_refused)
{
	static struct result_count counts[] = { { 0x1000, (uint64_t)1 << 37 } };
	FILE *out = open_memstream(&file, &size);

	assert_non_null(out);
	result.objects[LIB_X].counts = counts;
	assert_int_equal(export_gmon(out, &result, LIB_X), -EOVERFLOW);
	fclose(out);
}

static void assert_arc(size_t i, uint64_t from, uint64_t to, uint32_t count)
{
	const char *const arc = arcs + i * ARC;

	assert_true(i < nr_arcs);
	assert_int_equal(arc[0], 1);
	assert_memory_equal(arc + 1, &from, sizeof(from));
	assert_memory_equal(arc + 9, &to, sizeof(to));
	assert_memory_equal(arc + 17, &count, sizeof(count));
}

/* An arc has the samples below it; the nearest caller is one in the same object. */
TEST_F(calls_are_arcs)
{
	write_object(BIG);
	assert_int_equal(nr_arcs, 0);
	tear_down(NULL);
	set_up(NULL);
	fake_result_stacks(&result);
	write_object(BIG);
	assert_all_counts(BIG);
	assert_int_equal(nr_arcs, 3);
	assert_arc(0, 0, 0x401000, 11);
	assert_arc(1, 0x401000, 0x401004, 8);
	assert_arc(2, 0x401004, 0x402000, 6);
	tear_down(NULL);
	set_up(NULL);
	fake_result_stacks(&result);
	result.nodes[1].object = LIB_X;
	result.stack_parts[1].samples = UINT32_MAX;
	write_object(BIG);
	assert_int_equal(nr_arcs, 4);
	assert_arc(1, 0, 0x401000, 6);
	assert_arc(2, 0x401000, 0x402000, UINT32_MAX);
	assert_arc(3, 0x401000, 0x402000, 1);
	result.nodes[1].object = BIG;
	result.stack_parts[1].samples = 5;
}
