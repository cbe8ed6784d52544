// SPDX-License-Identifier: GPL-2.0-only
/*
 * Areas in which a program makes code: which become one, and which are too many.
 */
/* its list is for a whole program: each test begins it anew */
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

/* In MiB, by pairs; 0 behind the last. */
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

static void area_is_larger_than_what_is_made(void **state)
{
	(void)state;
	assert_false(add(10 * MIB, 0));
	assert_true(add(11 * MIB + 5, 100));
	ASSERT_AREAS(10, 12);
	/* so what comes beside it is there */
	assert_false(add(10 * MIB, 2 * MIB));
	assert_false(add(11 * MIB + 5, 100));
	/* from the last byte of one to the first of the third */
	assert_true(add(22 * MIB - 1, 2 * MIB + 2));
	ASSERT_AREAS(10, 12, 20, 26);
}

static void those_that_touch_are_one(void **state)
{
	(void)state;
	assert_true(add(20 * MIB, MIB));
	assert_true(add(2 * MIB, MIB));
	assert_true(add(10 * MIB, MIB));
	ASSERT_AREAS(2, 4, 10, 12, 20, 22);
	/* behind one, and before another */
	assert_true(add(4 * MIB, MIB));
	assert_true(add(18 * MIB, MIB));
	ASSERT_AREAS(2, 6, 10, 12, 18, 22);
	/* over the end of one and the start of the next */
	assert_true(add(5 * MIB, 6 * MIB));
	ASSERT_AREAS(2, 12, 18, 22);
	/* and over them all */
	assert_true(add(MIB, 30 * MIB));
	ASSERT_AREAS(0, 32);
}

static void too_many_are_left_out(void **state)
{
	uintptr_t i;

	(void)state;
	for (i = 1; i <= PROFIL_JIT_AREAS; i++)
		assert_true(add(4 * i * MIB, 1));
	assert_false(add(4 * i * MIB, 1));
	assert_int_equal(nr_areas, PROFIL_JIT_AREAS);
	/* not what makes no more of them, or fewer */
	assert_true(add(6 * MIB, 1));
	assert_true(add(4 * i * MIB, 1));
}

static void too_large_ones_are_left_out(void **state)
{
	(void)state;
	assert_false(add(1024 * MIB, 258 * MIB));
	assert_true(add(1024 * MIB, 254 * MIB));
	assert_false(add(512 * MIB, 4 * MIB));
	/* what is there already does not count again */
	assert_true(add(1026 * MIB, 254 * MIB));
	assert_false(add(512 * MIB, MIB));
	ASSERT_AREAS(1024, 1280);
}

/* What an object has is its own. */
static void objects_cut_areas(void **state)
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
		cmocka_unit_test_setup(area_is_larger_than_what_is_made, begin),
		cmocka_unit_test_setup(those_that_touch_are_one, begin),
		cmocka_unit_test_setup(too_many_are_left_out, begin),
		cmocka_unit_test_setup(too_large_ones_are_left_out, begin),
		cmocka_unit_test_setup(objects_cut_areas, begin),
	};

	return cmocka_run_group_tests_name("jit", tests, NULL, NULL);
}
