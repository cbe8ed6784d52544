// SPDX-License-Identifier: GPL-2.0-only
/*
 * The list of areas with generated code: merging, limits, and overlap with objects.
 */
/* included, since the tests must reset its static list */
#include "lib/preload/jit.c"

#include "support/test.h"

#define MIB	((uintptr_t)1 << 20)

static int begin(void **state)
{
	(void)state;
	nr_areas = 0;
	return 0;
}

static bool add(uint64_t start, uint64_t bytes)
{
	return profil_jit_add((const void *)(uintptr_t)start, bytes);
}

/* expected: pairs of start and end in MiB, terminated by 0 */
static void assert_areas(const struct profil_object *objects, size_t nr_objects,
			 const unsigned int *expected)
{
	static struct profil_object list[2 * PROFIL_JIT_AREAS];
	size_t i, nr = profil_jit_list(objects, nr_objects, list);

	for (i = 0; i < nr; i++, expected += 2) {
		assert_int_equal(list[i].start, expected[0] * MIB);
		assert_int_equal(list[i].end, expected[1] * MIB);
		assert_string_equal(list[i].path, "[jit]");
	}
	assert_int_equal(*expected, 0);
}

#define ASSERT_AREAS(...)						\
	assert_areas(NULL, 0, (const unsigned int[]){ __VA_ARGS__, 0 })

static void areas_are_rounded_up(void **state)
{
	(void)state;
	assert_false(add(10 * MIB, 0));
	assert_true(add(11 * MIB + 5, 100));
	ASSERT_AREAS(10, 12);
	/* later code in the same area does not change the list */
	assert_false(add(10 * MIB, 2 * MIB));
	assert_false(add(11 * MIB + 5, 100));
	/* from the last byte of one unit of 2 MiB to the first byte of the third */
	assert_true(add(22 * MIB - 1, 2 * MIB + 2));
	ASSERT_AREAS(10, 12, 20, 26);
}

static void adjacent_areas_are_merged(void **state)
{
	(void)state;
	assert_true(add(20 * MIB, MIB));
	assert_true(add(2 * MIB, MIB));
	assert_true(add(10 * MIB, MIB));
	ASSERT_AREAS(2, 4, 10, 12, 20, 22);
	/* directly after one, and directly before another */
	assert_true(add(4 * MIB, MIB));
	assert_true(add(18 * MIB, MIB));
	ASSERT_AREAS(2, 6, 10, 12, 18, 22);
	/* across the end of one and the start of the next */
	assert_true(add(5 * MIB, 6 * MIB));
	ASSERT_AREAS(2, 12, 18, 22);
	/* across all */
	assert_true(add(MIB, 30 * MIB));
	ASSERT_AREAS(0, 32);
}

static void number_of_areas_is_limited(void **state)
{
	uintptr_t i;

	(void)state;
	for (i = 1; i <= PROFIL_JIT_AREAS; i++)
		assert_true(add(4 * i * MIB, 1));
	assert_false(add(4 * i * MIB, 1));
	assert_int_equal(nr_areas, PROFIL_JIT_AREAS);
	/* areas that do not increase the number are still accepted */
	assert_true(add(6 * MIB, 1));
	assert_true(add(4 * i * MIB, 1));
}

static void total_size_is_limited(void **state)
{
	(void)state;
	assert_false(add(1024 * MIB, 258 * MIB));
	assert_true(add(1024 * MIB, 254 * MIB));
	assert_false(add(512 * MIB, 4 * MIB));
	/* overlap with an existing area does not count twice */
	assert_true(add(1026 * MIB, 254 * MIB));
	assert_false(add(512 * MIB, MIB));
	ASSERT_AREAS(1024, 1280);
}

/* The address ranges of objects are not part of areas. */
static void objects_are_cut_out_of_areas(void **state)
{
	static const struct profil_object objects[] = {
		{ .start = 2 * MIB, .end = 4 * MIB },
		{ .start = 11 * MIB, .end = 12 * MIB },
		{ .start = 13 * MIB, .end = 14 * MIB },
		{ .start = 19 * MIB, .end = 29 * MIB },
		{ .start = 30 * MIB, .end = 32 * MIB },
		{ .start = 50 * MIB, .end = 52 * MIB },
	};

	(void)state;
	assert_true(add(10 * MIB, 4 * MIB));
	assert_true(add(20 * MIB, 2 * MIB));
	assert_true(add(28 * MIB, 6 * MIB));
	assert_true(add(40 * MIB, 2 * MIB));
	ASSERT_AREAS(10, 14, 20, 22, 28, 34, 40, 42);
	assert_areas(objects, sizeof(objects) / sizeof(objects[0]),
		     (const unsigned int[]){ 10, 11, 12, 13, 29, 30, 32, 34, 40,
					     42, 0 });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(areas_are_rounded_up, begin),
		cmocka_unit_test_setup(adjacent_areas_are_merged, begin),
		cmocka_unit_test_setup(number_of_areas_is_limited, begin),
		cmocka_unit_test_setup(total_size_is_limited, begin),
		cmocka_unit_test_setup(objects_are_cut_out_of_areas, begin),
	};

	return cmocka_run_group_tests_name("jit", tests, NULL, NULL);
}
