// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading the shared memory of a run, which a program may have overwritten: it is refused with
 * a reason, or read within its bounds.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <record/shm.h>

#include <linux/profil.h>

#include "support/fake_run.h"
#include "support/test.h"

static struct fake_run fake;
static struct shm run;
static const char *why;

static int set_up(void **state)
{
	(void)state;
	fake_run_fill(&fake);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	shm_release(&run);
	/* releasing it twice is allowed */
	shm_release(&run);
	return 0;
}

static int read_fake(void)
{
	int fd = fake_run_memfd(&fake), error;

	why = NULL;
	error = shm_read(fd, &run, &why);
	close(fd);
	return error;
}

static void assert_damaged(void)
{
	assert_int_equal(read_fake(), -EBADMSG);
	assert_non_null(why);
	shm_release(&run);
}

static void valid_memory_is_read(void **state)
{
	(void)state;
	fake.outside = 3;
	fake.counters[1][7] = 5;
	fake.objects[1].build_id_bytes = 2;
	fake.objects[1].build_id[1] = 9;
	fake.objects[0].path[0] = 0;
	assert_int_equal(read_fake(), 0);
	assert_int_equal(run.nr_objects, FAKE_OBJECTS);
	assert_string_equal(run.objects[0].path, "[unnamed]");
	assert_string_equal(run.objects[1].path, "/lib/object1");
	assert_int_equal(run.objects[1].start, 0x2000);
	assert_int_equal(run.objects[1].nr_counters, FAKE_COUNTERS);
	assert_int_equal(run.objects[1].build_id_bytes, 2);
	assert_int_equal(run.objects[1].build_id[1], 9);
	assert_int_equal(shm_count(&run.objects[1].counters[7]), 5);
	assert_int_equal(shm_count(run.outside), 3);
	assert_int_equal(run.nr_processes, 1);
	assert_int_equal(run.processes[0].pid, 1234);
}

static void created_memory_is_empty(void **state)
{
	static const struct shm_options options = { 250, PROFIL_CLOCK_RANDOM, true };
	int fd = shm_create(&options);

	(void)state;
	assert_true(fd >= 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	/* grow it, as the library does */
	assert_int_equal(ftruncate(fd, FAKE_BYTES), 0);
	assert_int_equal(shm_read(fd, &run, &why), 0);
	assert_int_equal(run.header.rate, 250);
	assert_int_equal(run.header.clock, PROFIL_CLOCK_RANDOM);
	assert_int_equal(run.header.flags, PROFIL_RUN_FOLLOW);
	assert_int_equal(run.header.end, PROFIL_RUN_COUNTERS_AT);
	assert_int_equal(run.nr_objects, 0);
	assert_int_equal(run.nr_processes, 0);
	/* a child that still runs must not be able to shrink it while it is read */
	assert_int_equal(ftruncate(fd, 0), -1);
	close(fd);
}

static void truncated_memory_is_refused(void **state)
{
	static const off_t sizes[] = {
		0, 1, sizeof(struct profil_run) - 1, sizeof(struct profil_run),
		PROFIL_RUN_PROCESSES_AT, PROFIL_RUN_COUNTERS_AT - 1,
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		int fd = fake_run_memfd(&fake);

		assert_int_equal(ftruncate(fd, sizes[i]), 0);
		assert_int_equal(shm_read(fd, &run, &why), -EBADMSG);
		shm_release(&run);
		close(fd);
	}
}

static void other_versions_are_refused(void **state)
{
	(void)state;
	fake.header.version++;
	fake.header.nr_objects = UINT32_MAX;
	assert_int_equal(read_fake(), -EPROTO);
	assert_int_equal(run.header.version, PROFIL_RUN_VERSION + 1);
}

static void only_started_processes_are_listed(void **state)
{
	(void)state;
	fake.header.nr_processes = FAKE_PROCESSES;
	fake.processes[0].state = PROFIL_RUN_FAILED;
	fake.processes[0].rate = 0;
	fake.processes[1] = (struct profil_run_process){
		.state = PROFIL_RUN_ENDED, .rate = 7, .program = 1, .samples = 8,
	};
	/* the last one has not started its profile yet */
	assert_int_equal(read_fake(), 0);
	assert_int_equal(run.nr_failed, 1);
	assert_int_equal(run.nr_processes, 1);
	assert_int_equal(run.processes[0].samples, 8);
	assert_int_equal(run.processes[0].program, 1);
	assert_int_equal(run.nr_unlisted, 0);
}

static void processes_beyond_the_table_are_counted(void **state)
{
	(void)state;
	fake.header.nr_processes = PROFIL_RUN_PROCESSES + 5;
	assert_int_equal(read_fake(), 0);
	assert_int_equal(run.nr_processes, 1);
	assert_int_equal(run.nr_unlisted, 5);
}

/* Its object may have been added during the read. */
static void program_beyond_the_objects_is_unknown(void **state)
{
	(void)state;
	fake.processes[0].program = FAKE_OBJECTS;
	assert_int_equal(read_fake(), 0);
	assert_int_equal(run.processes[0].program, UINT32_MAX);
}

/* Holes are skipped, and counters between them are found. */
static void counters_between_holes_are_found(void **state)
{
	const uint64_t nr = 3 * 1024 + 7;
	uint32_t count = 5;
	size_t first = 0, end;
	int fd;

	(void)state;
	fake.objects[1].counters = PROFIL_RUN_COUNTERS_AT + 16 * 4096;
	fake.objects[1].end = fake.objects[1].start + 4 * nr;
	fake.objects[1].nr_counters = nr;
	fd = fake_run_memfd(&fake);
	assert_int_equal(ftruncate(fd, PROFIL_RUN_COUNTERS_AT + 20 * 4096), 0);
	assert_int_equal(pwrite(fd, &count, 4, PROFIL_RUN_COUNTERS_AT + 17 * 4096 + 40), 4);
	assert_int_equal(pwrite(fd, &count, 4, PROFIL_RUN_COUNTERS_AT + 19 * 4096 + 4), 4);
	assert_int_equal(shm_read(fd, &run, &why), 0);
	assert_true(shm_find_counters(&run, &run.objects[1], &first, &end));
	assert_int_equal(first, 1024);
	assert_int_equal(end, 2048);
	first = 1030;
	assert_true(shm_find_counters(&run, &run.objects[1], &first, &end));
	assert_int_equal(first, 1030);
	first = 2048;
	assert_true(shm_find_counters(&run, &run.objects[1], &first, &end));
	assert_int_equal(first, 3072);
	assert_int_equal(end, nr);
	assert_false(shm_find_counters(&run, &run.objects[1], &end, &end));
	close(fd);
}

/* Counters after those of an object belong to another one. */
static void counters_of_other_objects_are_not_found(void **state)
{
	size_t first = 0, end;
	uint32_t count = 5;
	int fd;

	(void)state;
	fake.objects[0].counters = PROFIL_RUN_COUNTERS_AT + 16 * 4096;
	fd = fake_run_memfd(&fake);
	assert_int_equal(ftruncate(fd, PROFIL_RUN_COUNTERS_AT + 20 * 4096), 0);
	assert_int_equal(pwrite(fd, &count, 4, PROFIL_RUN_COUNTERS_AT + 17 * 4096), 4);
	assert_int_equal(shm_read(fd, &run, &why), 0);
	assert_false(shm_find_counters(&run, &run.objects[0], &first, &end));
	close(fd);
}

/* One invalid value each: its offset, its size, and the value */
#define INVALID(member, value) \
	{ offsetof(struct fake_run, member), \
	  sizeof(((struct fake_run *)0)->member), value }

struct invalid_value {
	size_t offset;
	size_t size;
	uint64_t value;
};

static void set_invalid(const struct invalid_value *invalid)
{
	fake_run_fill(&fake);
	fake.counters[0][1] = 1;
	fake.counters[1][2] = 2;
	memcpy((char *)&fake + invalid->offset, &invalid->value, invalid->size);
}

static const struct invalid_value invalid_header[] = {
	INVALID(header.magic, 0),
	INVALID(header.nr_objects, PROFIL_RUN_OBJECTS + 1),
	INVALID(header.nr_objects, UINT32_MAX),
};

static const struct invalid_value invalid_object[] = {
	/* an unused entry: it starts and ends at 0 */
	INVALID(header.nr_objects, FAKE_OBJECTS + 1),
	INVALID(objects[1].start, 0x2100),
	INVALID(objects[1].start, UINT64_MAX),
	INVALID(objects[1].end, 0x2000),
	INVALID(objects[1].build_id_bytes, PROFIL_RUN_BUILD_ID + 1),
	INVALID(objects[1].counters, FAKE_BYTES),
	INVALID(objects[1].counters, FAKE_BYTES - 4),
	INVALID(objects[1].counters, UINT64_MAX - 3),
	INVALID(objects[1].counters, FAKE_COUNTERS_AT(1) + 2),
	INVALID(objects[1].nr_counters, FAKE_COUNTERS + 1),
	INVALID(objects[1].nr_counters, UINT64_MAX),
	/* multiplied by 4, this overflows to 0 */
	INVALID(objects[1].nr_counters, 1ULL << 62),
};

static void invalid_header_is_refused(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(invalid_header); i++) {
		set_invalid(&invalid_header[i]);
		assert_damaged();
	}
}

static void only_the_invalid_object_is_lost(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(invalid_object); i++) {
		const bool is_third = !i;

		set_invalid(&invalid_object[i]);
		fake.processes[0].program = is_third ? 2 : 1;
		assert_int_equal(read_fake(), 0);
		assert_int_equal(run.nr_damaged, 1);
		assert_int_equal(run.nr_objects, is_third ? 2 : 1);
		assert_string_equal(run.objects[0].path, "/lib/object0");
		assert_int_equal(shm_count(&run.objects[0].counters[1]), 1);
		assert_int_equal(run.nr_processes, 1);
		assert_int_equal(run.processes[0].program, UINT32_MAX);
		shm_release(&run);
	}
}

/* Processes refer to objects by index, which changes if a damaged object is removed. */
static void program_indexes_are_adjusted(void **state)
{
	(void)state;
	fake.objects[0].end = 0;
	fake.processes[0].program = 1;
	assert_int_equal(read_fake(), 0);
	assert_int_equal(run.nr_objects, 1);
	assert_int_equal(run.processes[0].program, 0);
	assert_string_equal(run.objects[0].path, "/lib/object1");
}

static void only_the_figures_of_an_invalid_process_are_lost(void **state)
{
	(void)state;
	fake.header.nr_processes = 2;
	fake.header.rate = 50;
	fake.processes[1] = fake.processes[0];
	fake.processes[0].state = PROFIL_RUN_ENDED + 1;
	fake.processes[1].rate = 0;
	assert_int_equal(read_fake(), 0);
	assert_int_equal(run.nr_damaged, 2);
	assert_int_equal(run.nr_processes, 2);
	assert_int_equal(run.processes[0].state, PROFIL_RUN_STARTED);
	assert_int_equal(run.processes[0].rate, 100);
	assert_int_equal(run.processes[1].rate, 50);
}

/* Without any rate, samples cannot be converted to CPU time. */
static void memory_without_a_rate_is_refused(void **state)
{
	(void)state;
	fake.processes[0].rate = 0;
	assert_damaged();
}

static void unterminated_strings_are_not_overrun(void **state)
{
	(void)state;
	memset(fake.objects[1].path, 'x', sizeof(fake.objects[1].path));
	memset(fake.header.message, 'x', sizeof(fake.header.message));
	assert_int_equal(read_fake(), 0);
	assert_int_equal(run.nr_damaged, 1);
	assert_int_equal(run.nr_objects, 1);
	assert_int_equal(strlen(run.header.message), sizeof(run.header.message) - 1);
}

static void shared_counters_are_refused(void **state)
{
	const uint64_t all = FAKE_BYTES / sizeof(uint32_t);

	(void)state;
	fake.objects[0].counters = 0;
	fake.objects[0].nr_counters = all;
	fake.objects[0].end = fake.objects[0].start + 4 * all;
	assert_int_equal(read_fake(), 0);
	assert_int_equal(run.nr_damaged, 1);
	assert_int_equal(run.nr_objects, 1);
}

/* Valgrind or the sanitizers find invalid accesses. The random numbers are the same each time. */
static void random_damage_does_not_crash(void **state)
{
	unsigned int seed = 1;
	int i, j;

	(void)state;
	for (i = 0; i < 1000; i++) {
		int nr = 1 + rand_r(&seed) % 4;

		fake_run_fill(&fake);
		for (j = 0; j < nr; j++) {
			size_t at = (size_t)rand_r(&seed) %
				    offsetof(struct fake_run, counters);

			((char *)&fake)[at] = (char)rand_r(&seed);
		}
		read_fake();
		shm_release(&run);
	}
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(valid_memory_is_read),
		TEST(created_memory_is_empty),
		TEST(truncated_memory_is_refused),
		TEST(other_versions_are_refused),
		TEST(only_started_processes_are_listed),
		TEST(processes_beyond_the_table_are_counted),
		TEST(program_beyond_the_objects_is_unknown),
		TEST(counters_between_holes_are_found),
		TEST(counters_of_other_objects_are_not_found),
		TEST(invalid_header_is_refused),
		TEST(only_the_invalid_object_is_lost),
		TEST(program_indexes_are_adjusted),
		TEST(only_the_figures_of_an_invalid_process_are_lost),
		TEST(memory_without_a_rate_is_refused),
		TEST(unterminated_strings_are_not_overrun),
		TEST(shared_counters_are_refused),
		TEST(random_damage_does_not_crash),
	};

	return cmocka_run_group_tests_name("shm", tests, NULL, NULL);
}
