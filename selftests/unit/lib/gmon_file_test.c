// SPDX-License-Identifier: GPL-2.0-only
/*
 * The histogram in a gmon.out file: its contents, and gprof's output.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/gmon/file.h"
#include "support/test.h"

#define RATE	1000
#define NR	3000

/* After the histogram: an arc from 0x1000 to 0x1000, 7 calls; then a truncated record. */
static const char rest[] = "\1\0\20\0\0\0\0\0\0" "\0\20\0\0\0\0\0\0" "\7\0\0\0" "\1\0";
#define REST_BYTES	(sizeof(rest) - 1)

static int file_of(const void *bytes, size_t nr)
{
	int fd = memfd_create("gmon.out", 0);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, nr), nr);
	return fd;
}

/* A file like the C library's: a histogram of @nr counters, and the rest. */
static int gmon_file(unsigned int nr)
{
	char bytes[20 + 41 + 2 * 100 + REST_BYTES] = "gmon\1";
	size_t end = 20 + 41 + 2 * nr;

	assert_in_range(nr, 0, 100);
	bytes[20 + 1 + 16] = (char)nr;
	memcpy(bytes + end, rest, REST_BYTES);
	return file_of(bytes, end + REST_BYTES);
}

struct record {
	uint64_t low;
	uint64_t high;
	int32_t nr;
	int32_t rate;
	char unit[16];
};

/* Check the file, and add up its histograms in counts[NR], as gprof does. Return: records. */
static size_t add_up(int fd, uint64_t low, uint64_t counts[NR])
{
	static uint16_t bins[NR];
	size_t records = 0, first;
	struct record record;
	char head[20], tag, tail[REST_BYTES + 1];
	int i;

	memset(counts, 0, NR * sizeof(*counts));
	assert_int_equal(pread(fd, head, sizeof(head), 0), sizeof(head));
	assert_memory_equal(head, "gmon\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 20);
	lseek(fd, sizeof(head), SEEK_SET);
	while (read(fd, &tag, 1) == 1 && !tag) {
		assert_int_equal(read(fd, &record, sizeof(record)), 40);
		assert_memory_equal(record.unit, "seconds\0\0\0\0\0\0\0\0s", 16);
		assert_int_equal(record.rate, RATE);
		assert_in_range(record.nr, 1, NR);
		assert_int_equal(record.high, record.low + 4 * (uint64_t)record.nr);
		first = (record.low - low) / 4;
		assert_in_range(first + (size_t)record.nr, 1, NR);
		assert_int_equal(read(fd, bins, 2 * (size_t)record.nr),
				 2 * record.nr);
		for (i = 0; i < record.nr; i++)
			counts[first + (size_t)i] += bins[i];
		records++;
	}
	lseek(fd, -1, SEEK_CUR);
	assert_int_equal(read(fd, tail, sizeof(tail)), REST_BYTES);
	assert_memory_equal(tail, rest, REST_BYTES);
	return records;
}

/* Replace the histogram, and check the file. Return: number of records. */
static size_t replace(int fd, const uint32_t counts[NR])
{
	static uint64_t sums[NR];
	struct profil_gmon_histogram histogram = {
		.low = 0x401000,
		.counts = counts,
		.nr = NR,
		.rate = RATE,
	};
	size_t records, i;

	assert_int_equal(profil_gmon_file_replace(fd, &histogram), 0);
	records = add_up(fd, histogram.low, sums);
	for (i = 0; i < NR; i++)
		assert_int_equal(sums[i], counts[i]);
	close(fd);
	return records;
}

static void record_is_replaced(void **state)
{
	static uint32_t counts[NR] = { 5, 0, 65535 };

	(void)state;
	counts[NR - 1] = 7;
	assert_int_equal(replace(gmon_file(100), counts), 1);
	assert_int_equal(replace(gmon_file(0), counts), 1);
}

static void shorter_histogram_truncates_file(void **state)
{
	static const uint32_t counts[1] = { 9 };
	struct profil_gmon_histogram histogram = {
		.low = 0x401000,
		.counts = counts,
		.nr = 1,
		.rate = RATE,
	};
	int fd = gmon_file(100);

	(void)state;
	assert_int_equal(profil_gmon_file_replace(fd, &histogram), 0);
	assert_int_equal(lseek(fd, 0, SEEK_END), 20 + 41 + 2 + REST_BYTES);
	close(fd);
}

/* A file without a histogram, as for an empty range of text */
static void histogram_is_added(void **state)
{
	char bytes[20 + REST_BYTES] = "gmon\1";
	static uint32_t counts[NR] = { 1 };

	(void)state;
	memcpy(bytes + 20, rest, REST_BYTES);
	assert_int_equal(replace(file_of(bytes, sizeof(bytes)), counts), 1);
}

/* Only parts of the range with such a count need more records. */
static void counts_above_65535_are_split(void **state)
{
	static uint32_t counts[NR];

	(void)state;
	counts[0] = 1;
	counts[2] = 65536;
	counts[1023] = 200000;	/* the first part: 4 records */
	counts[1024] = 65535;	/* the second: 1 */
	counts[2999] = 131070;	/* the last: 2 */
	assert_int_equal(replace(gmon_file(10), counts), 7);
}

static void maximum_count(void **state)
{
	struct profil_gmon_histogram histogram = {
		.low = 0x401000,
		.counts = (uint32_t[]){ UINT32_MAX },
		.nr = 1,
		.rate = RATE,
	};
	static uint64_t sums[NR];
	int fd = gmon_file(10);

	(void)state;
	assert_int_equal(profil_gmon_file_replace(fd, &histogram), 0);
	assert_int_equal(add_up(fd, histogram.low, sums), 65537);
	assert_int_equal(sums[0], UINT32_MAX);
	close(fd);
}

static void other_files_are_unchanged(void **state)
{
	static const struct {
		char bytes[80];
		size_t nr;
	} rows[] = {
		{ "", 0 },
		{ "gmon\1", 19 },
		{ "gnom\1", 80 },
		{ "gmon\2", 80 },
		/* a histogram's record that is truncated: in its header, in its counters */
		{ "gmon\1", 60 },
		{ "gmon\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0" "\0\0\0\0\0\0\0\0\0"
		  "\0\0\0\0\0\0\0\0" "\20", 80 },
		/* with a negative number of counters */
		{ "gmon\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0" "\0\0\0\0\0\0\0\0\0"
		  "\0\0\0\0\0\0\0\0" "\377\377\377\377", 80 },
	};
	struct profil_gmon_histogram histogram = {
		.counts = (uint32_t[]){ 1 },
		.nr = 1,
		.rate = RATE,
	};
	char bytes[81];
	size_t i;
	int fd;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		fd = file_of(rows[i].bytes, rows[i].nr);
		assert_int_equal(profil_gmon_file_replace(fd, &histogram),
				 -EBADMSG);
		assert_int_equal(pread(fd, bytes, sizeof(bytes), 0), rows[i].nr);
		assert_memory_equal(bytes, rows[i].bytes, rows[i].nr);
		close(fd);
	}
}

static void file_size_limit(void **state)
{
	static const uint32_t counts[NR];
	struct profil_gmon_histogram histogram = {
		.counts = counts,
		.nr = NR,
		.rate = RATE,
	};
	struct rlimit before, little = { 1000, RLIM_INFINITY };
	int fd = gmon_file(10), error;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	little.rlim_max = before.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
	error = profil_gmon_file_replace(fd, &histogram);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(error, -EFBIG);
	close(fd);
}

/* Functions of this program, with made-up samples */
void __attribute__((noinline, aligned(8192))) hot(void);
void __attribute__((noinline, aligned(4096))) cold(void);

void hot(void)
{
	__asm__ volatile(".skip 64, 0x90");
}

void cold(void)
{
	__asm__ volatile(".skip 64, 0x90");
}

static int get_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
	(void)size;
	*(uintptr_t *)bias = info->dlpi_addr;
	return 1;
}

/* Seconds of a function in gprof's flat profile; -1: not listed. */
static double gprof_seconds(const char *file, const char *function)
{
	char command[512], line[256], name[128], exe[256];
	double seconds = -1, percent, sum, self;
	ssize_t length = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	FILE *pipe;

	assert_true(length > 0);
	exe[length] = 0;
	snprintf(command, sizeof(command), "gprof -bp %s %s 2>&1", exe, file);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	while (fgets(line, sizeof(line), pipe)) {
		if (sscanf(line, "%lf %lf %lf %127s", &percent, &sum, &self,
			   name) == 4 && !strcmp(name, function))
			seconds = self;
	}
	assert_int_equal(pclose(pipe), 0);
	return seconds;
}

static void gprof_reads_split_counts(void **state)
{
	char path[] = "/tmp/gmon_file_test.XXXXXX";
	struct profil_gmon_histogram histogram = { .nr = NR, .rate = RATE };
	static uint32_t counts[NR];
	uintptr_t bias, low;
	char head[20] = "gmon\1";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, head, sizeof(head)), sizeof(head));
	dl_iterate_phdr(get_bias, &bias);
	low = (uintptr_t)hot < (uintptr_t)cold ? (uintptr_t)hot : (uintptr_t)cold;
	counts[((uintptr_t)hot - low) / 4 + 1] = 200000;
	counts[((uintptr_t)cold - low) / 4] = 500;
	counts[((uintptr_t)cold - low) / 4 + 2] = 65000;
	histogram.low = low - bias;
	histogram.counts = counts;
	assert_int_equal(profil_gmon_file_replace(fd, &histogram), 0);
	assert_true(gprof_seconds(path, "hot") == 200.0);
	assert_true(gprof_seconds(path, "cold") == 65.5);
	close(fd);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(record_is_replaced),
		cmocka_unit_test(shorter_histogram_truncates_file),
		cmocka_unit_test(histogram_is_added),
		cmocka_unit_test(counts_above_65535_are_split),
		cmocka_unit_test(maximum_count),
		cmocka_unit_test(other_files_are_unchanged),
		cmocka_unit_test(file_size_limit),
		cmocka_unit_test(gprof_reads_split_counts),
	};

	return cmocka_run_group_tests_name("gmon_file", tests, NULL, NULL);
}
