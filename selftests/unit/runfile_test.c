// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading a run's memory: whatever a program wrote into it, it is refused with
 * a reason or read within its bounds.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <runfile.h>

#include <linux/profil.h>

#include "fake_run.h"
#include "test.h"

static int read_bytes(const struct fake_run *fake, size_t bytes,
		      const char **why)
{
	int fd = fake_run_memfd(fake, bytes);
	struct runfile run;
	int error;

	*why = NULL;
	error = runfile_read(fd, &run, why);
	runfile_release(&run);
	close(fd);
	return error;
}

static void assert_damaged(const struct fake_run *fake)
{
	const char *why;

	assert_int_equal(read_bytes(fake, sizeof(*fake), &why), -EBADMSG);
	assert_non_null(why);
}

static void good_run_is_read(void **state)
{
	struct fake_run fake;
	struct runfile run;
	const char *why;
	int fd;

	(void)state;
	fake_run_fill(&fake);
	fake.outside = 3;
	fake.counters[1][7] = 5;
	fd = fake_run_memfd(&fake, sizeof(fake));
	assert_int_equal(runfile_read(fd, &run, &why), 0);
	assert_int_equal(run.nr_objects, FAKE_OBJECTS);
	assert_string_equal(run.objects[1].path, "/lib/object1");
	assert_int_equal(run.objects[1].start, 0x2000);
	assert_int_equal(run.objects[1].nr_counters, FAKE_COUNTERS);
	assert_int_equal(runfile_count(&run.objects[1].counters[7]), 5);
	assert_int_equal(runfile_count(run.outside), 3);
	runfile_release(&run);
	close(fd);
}

static void created_run_is_empty(void **state)
{
	int fd = runfile_create(250, PROFIL_CLOCK_RANDOM);
	struct runfile run;
	const char *why;

	(void)state;
	assert_true(fd >= 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	/* as the library does */
	assert_int_equal(ftruncate(fd, 100000), 0);
	assert_int_equal(runfile_read(fd, &run, &why), 0);
	assert_int_equal(run.header.state, PROFIL_RUN_EMPTY);
	assert_int_equal(run.header.rate, 250);
	assert_int_equal(run.header.clock, PROFIL_CLOCK_RANDOM);
	assert_int_equal(run.nr_objects, 0);
	/* a child that lives on must not take the memory away under us */
	assert_int_equal(ftruncate(fd, 0), -1);
	runfile_release(&run);
	runfile_release(&run);
	close(fd);
}

static void cut_run_is_refused_at_any_length(void **state)
{
	struct fake_run fake;
	const char *why;
	size_t bytes;

	(void)state;
	fake_run_fill(&fake);
	for (bytes = 0; bytes < sizeof(fake); bytes++) {
		assert_int_equal(read_bytes(&fake, bytes, &why), -EBADMSG);
		assert_non_null(why);
	}
}

static void failed_run_needs_only_a_message(void **state)
{
	struct fake_run fake;
	const char *why;

	(void)state;
	fake_run_fill(&fake);
	fake.header.state = PROFIL_RUN_FAILED;
	fake.header.objects = UINT64_MAX;
	assert_int_equal(read_bytes(&fake, sizeof(fake.header), &why), 0);
	memset(fake.header.message, 'x', sizeof(fake.header.message));
	assert_damaged(&fake);
}

static void sealed_run_is_refused(void **state)
{
	struct fake_run fake;
	struct runfile run;
	const char *why;
	int fd;

	(void)state;
	fake_run_fill(&fake);
	fd = fake_run_memfd(&fake, sizeof(fake));
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL), 0);
	assert_int_equal(runfile_read(fd, &run, &why), -EBADMSG);
	runfile_release(&run);
	close(fd);
}

/* One wrong number each: where it is, how large, and what it is set to */
#define WRONG(member, value) \
	{ offsetof(struct fake_run, member), \
	  sizeof(((struct fake_run *)0)->member), value }

static const struct {
	size_t offset;
	size_t size;
	uint64_t value;
} wrong[] = {
	WRONG(header.magic, 0),
	WRONG(header.version, PROFIL_RUN_VERSION + 1),
	WRONG(header.state, PROFIL_RUN_STARTED + 1),
	WRONG(header.rate, 0),
	WRONG(header.text_bytes, 0),
	WRONG(header.text_bytes, 3),
	WRONG(header.size, sizeof(struct fake_run) + 1),
	WRONG(header.size, UINT64_MAX),
	WRONG(header.size, 0),
	WRONG(header.outside, sizeof(struct fake_run)),
	WRONG(header.outside, sizeof(struct fake_run) - 3),
	WRONG(header.outside, UINT64_MAX - 3),
	WRONG(header.outside, 1),
	WRONG(header.objects, sizeof(struct fake_run)),
	WRONG(header.objects, UINT64_MAX),
	WRONG(header.nr_objects, 0),
	WRONG(header.nr_objects, UINT64_MAX),
	/* times 48, this is 0 modulo 2^64 */
	WRONG(header.nr_objects, 1ULL << 60),
	WRONG(header.nr_objects, sizeof(struct fake_run) / 48 + 1),
	WRONG(objects[0].start, 0x1100),
	WRONG(objects[0].start, UINT64_MAX),
	WRONG(objects[0].end, 0x1000),
	WRONG(objects[0].end, 0x2001),
	WRONG(objects[1].start, 0x0800),
	WRONG(objects[0].path, sizeof(struct fake_run)),
	WRONG(objects[0].path, UINT64_MAX),
	WRONG(objects[1].counters, sizeof(struct fake_run) - 4),
	WRONG(objects[1].counters, UINT64_MAX - 3),
	WRONG(objects[1].counters, 2),
	WRONG(objects[0].nr_counters, FAKE_COUNTERS + 1),
	WRONG(objects[1].nr_counters, FAKE_COUNTERS + 1),
	WRONG(objects[0].bias, 0x1001),
	WRONG(objects[1].nr_counters, UINT64_MAX),
	/* times 4, this is 0 modulo 2^64 */
	WRONG(objects[1].nr_counters, 1ULL << 62),
};

static void wrong_numbers_are_refused(void **state)
{
	struct fake_run fake;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		fake_run_fill(&fake);
		memcpy((char *)&fake + wrong[i].offset, &wrong[i].value,
		       wrong[i].size);
		assert_damaged(&fake);
	}
}

static void path_without_end_is_refused(void **state)
{
	struct fake_run fake;

	(void)state;
	fake_run_fill(&fake);
	/* from the last path on, there is no 0 any more */
	fake.objects[1].path = offsetof(struct fake_run, counters);
	memset(fake.counters, 'x', sizeof(fake.counters));
	assert_damaged(&fake);
}

static void shared_counters_are_refused(void **state)
{
	struct fake_run fake;

	(void)state;
	fake_run_fill(&fake);
	fake.objects[0].counters = 0;
	fake.objects[0].nr_counters = sizeof(fake) / 4;
	assert_damaged(&fake);
}

/* With so few counters that they could be right */
static void odd_pieces_of_text_are_refused(void **state)
{
	struct fake_run fake;

	(void)state;
	fake_run_fill(&fake);
	fake.header.text_bytes = 6;
	fake.objects[0].nr_counters = fake.objects[1].nr_counters = 1;
	assert_damaged(&fake);
}

static void impossible_pcs_are_refused(void **state)
{
	struct fake_run fake;

	(void)state;
	fake_run_fill(&fake);
	fake.objects[1].start = UINT64_MAX - 8;
	fake.objects[1].end = UINT64_MAX;
	assert_damaged(&fake);
}

/*
 * Whatever is thrown at it, it must not crash: this is for valgrind and the
 * sanitizers to judge. The numbers are the same each time.
 */
static void random_damage_does_not_crash(void **state)
{
	unsigned int seed = 1;
	const char *why;
	int i, j;

	(void)state;
	for (i = 0; i < 3000; i++) {
		struct fake_run fake;
		int nr = 1 + rand_r(&seed) % 4;

		fake_run_fill(&fake);
		for (j = 0; j < nr; j++) {
			size_t at = (size_t)rand_r(&seed) %
				    offsetof(struct fake_run, counters);

			((char *)&fake)[at] = (char)rand_r(&seed);
		}
		read_bytes(&fake, sizeof(fake), &why);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_run_is_read),
		cmocka_unit_test(created_run_is_empty),
		cmocka_unit_test(cut_run_is_refused_at_any_length),
		cmocka_unit_test(failed_run_needs_only_a_message),
		cmocka_unit_test(sealed_run_is_refused),
		cmocka_unit_test(wrong_numbers_are_refused),
		cmocka_unit_test(path_without_end_is_refused),
		cmocka_unit_test(shared_counters_are_refused),
		cmocka_unit_test(odd_pieces_of_text_are_refused),
		cmocka_unit_test(impossible_pcs_are_refused),
		cmocka_unit_test(random_damage_does_not_crash),
	};

	return cmocka_run_group_tests_name("runfile", tests, NULL, NULL);
}
