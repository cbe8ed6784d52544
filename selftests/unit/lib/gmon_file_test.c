// SPDX-License-Identifier: GPL-2.0-only
/*
 * A gmon.out file: its contents, and gprof's output.
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

/* After the histogram: an arc from 0x1000 to 0x1010, 7 calls */
static const char rest[] = "\1\0\20\0\0\0\0\0\0" "\20\20\0\0\0\0\0\0" "\7\0\0";
#define REST_BYTES	sizeof(rest)

static struct profil_gmon_arc slots[2] = { { 0 }, { 0x1000, 0x1010, 7 } };

/* An object with these counts, and with the arc */
static struct profil_gmon_object object_of(uint32_t *counts, size_t nr)
{
	return (struct profil_gmon_object){
		.identity.low = 0x401000,
		.counts = counts,
		.nr = nr,
		.arcs = { slots, ARRAY_SIZE(slots) },
	};
}

static int write_file(const struct profil_gmon_object *object)
{
	int fd = memfd_create("gmon.out", 0);

	assert_true(fd >= 0);
	assert_int_equal(profil_gmon_file_write(fd, object, RATE), 0);
	return fd;
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
		assert_int_equal(read(fd, bins, 2 * (size_t)record.nr), 2 * record.nr);
		for (i = 0; i < record.nr; i++)
			counts[first + (size_t)i] += bins[i];
		records++;
	}
	lseek(fd, -1, SEEK_CUR);
	assert_int_equal(read(fd, tail, sizeof(tail)), REST_BYTES);
	assert_memory_equal(tail, rest, REST_BYTES);
	return records;
}

/* Write a file, and check it. Return: number of records. */
static size_t write_and_check(uint32_t counts[NR])
{
	const struct profil_gmon_object object = object_of(counts, NR);
	static uint64_t sums[NR];
	int fd = write_file(&object);
	size_t records, i;

	records = add_up(fd, object.identity.low, sums);
	for (i = 0; i < NR; i++)
		assert_int_equal(sums[i], counts[i]);
	close(fd);
	return records;
}

TEST(one_record_suffices)
{
	static uint32_t counts[NR] = { 5, 0, 65535 };

	counts[NR - 1] = 7;
	assert_int_equal(write_and_check(counts), 1);
}

/* Only parts of the range with such a count need more records. */
TEST(counts_above_65535_are_split)
{
	static uint32_t counts[NR];

	counts[0] = 1;
	counts[2] = 65536;
	counts[1023] = 200000;	/* the first part: 4 records */
	counts[1024] = 65535;	/* the second: 1 */
	counts[2999] = 131070;	/* the last: 2 */
	assert_int_equal(write_and_check(counts), 7);
}

TEST(maximum_count)
{
	const struct profil_gmon_object object = object_of((uint32_t[]){ UINT32_MAX }, 1);
	static uint64_t sums[NR];
	int fd = write_file(&object);

	assert_int_equal(add_up(fd, object.identity.low, sums), 65537);
	assert_int_equal(sums[0], UINT32_MAX);
	close(fd);
}

#if ULONG_MAX > UINT32_MAX
/* A count of calls above 32 bits becomes several arcs. */
TEST(more_calls_than_an_arc_holds)
{
	static struct profil_gmon_arc many = { 0x1000, 0x1010, 2UL * UINT32_MAX + 3 };
	struct profil_gmon_object object = object_of((uint32_t[]){ 0 }, 1);
	unsigned char bytes[3][21];
	uint32_t calls;
	size_t i;
	int fd;

	object.arcs = (struct profil_gmon_arcs){ &many, 1 };
	fd = write_file(&object);
	assert_int_equal(lseek(fd, 0, SEEK_END), 20 + 41 + 2 + sizeof(bytes));
	assert_int_equal(pread(fd, bytes, sizeof(bytes), 20 + 41 + 2), sizeof(bytes));
	for (i = 0; i < ARRAY_SIZE(bytes); i++) {
		assert_memory_equal(bytes[i], rest, 17);
		memcpy(&calls, &bytes[i][17], sizeof(calls));
		assert_int_equal(calls, i < 2 ? UINT32_MAX : 3);
	}
	close(fd);
}
#endif

TEST(file_size_limit)
{
	static uint32_t counts[NR];
	const struct profil_gmon_object object = object_of(counts, NR);
	struct rlimit before, little = { 1000, RLIM_INFINITY };
	int fd = memfd_create("gmon.out", 0), error;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	little.rlim_max = before.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
	error = profil_gmon_file_write(fd, &object, RATE);
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

TEST(gprof_reads_split_counts)
{
	char path[] = "/tmp/gmon_file_test.XXXXXX";
	static uint32_t counts[NR];
	struct profil_gmon_object object = object_of(counts, NR);
	uintptr_t bias, low;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	dl_iterate_phdr(get_bias, &bias);
	low = (uintptr_t)hot < (uintptr_t)cold ? (uintptr_t)hot : (uintptr_t)cold;
	counts[((uintptr_t)hot - low) / 4 + 1] = 200000;
	counts[((uintptr_t)cold - low) / 4] = 500;
	counts[((uintptr_t)cold - low) / 4 + 2] = 65000;
	object.identity.low = low - bias;
	assert_int_equal(profil_gmon_file_write(fd, &object, RATE), 0);
	assert_true(gprof_seconds(path, "hot") == 200.0);
	assert_true(gprof_seconds(path, "cold") == 65.5);
	close(fd);
	unlink(path);
}
