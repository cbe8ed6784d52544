// SPDX-License-Identifier: GPL-2.0-only
/*
 * Comparing profiles: which functions are the same, and which changes are real.
 */
#include <stdio.h>
#include <string.h>

#include <comparison.h>

#include "test.h"

static char names[4][32] = { "f", "g", "h", "0x10" };

static struct result_object old_objects[2], new_objects[2];
static struct profile_row old_rows[4], new_rows[4];
static struct result results[2];
static struct profile profiles[2];
static struct comparison comparison;

/* Two builds of a program in two directories, with a library that stays */
static int set_up(void **state)
{
	static char old_path[] = "/old/prog", new_path[] = "/new/prog";
	static char library[] = "/lib/x.so";

	(void)state;
	old_objects[0] = (struct result_object){
		.path = old_path, .build_id = { 1 }, .build_id_bytes = 1,
	};
	new_objects[0] = (struct result_object){
		.path = new_path, .build_id = { 2 }, .build_id_bytes = 1,
	};
	old_objects[1] = new_objects[1] = (struct result_object){
		.path = library, .build_id = { 3 }, .build_id_bytes = 1,
	};
	results[0] = (struct result){ .objects = old_objects, .nr_objects = 2 };
	results[1] = (struct result){ .objects = new_objects, .nr_objects = 2 };
	profiles[0] = (struct profile){ .rows = old_rows };
	profiles[1] = (struct profile){ .rows = new_rows };
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	comparison_release(&comparison);
	return 0;
}

/* @name: an index; @object: 0: the program, 1: the library */
static void add(int side, int name, size_t object, uint64_t samples)
{
	struct profile *profile = &profiles[side];

	profile->rows[profile->nr_rows++] = (struct profile_row){
		.function = names[name],
		.has_name = name < 3,
		.index = object,
		/* a path, as where another object has the same file name */
		.object = side ? results[side].objects[object].path :
				 strrchr(results[side].objects[object].path, '/') + 1,
		.samples = samples,
	};
	profile->samples += samples;
}

static void compare(void)
{
	const struct comparison_side old = { &results[0], &profiles[0] };
	const struct comparison_side new = { &results[1], &profiles[1] };

	assert_int_equal(comparison_make(&comparison, &old, &new), 0);
}

static const struct comparison_row *row(const char *function, const char *object)
{
	size_t i;

	for (i = 0; i < comparison.nr_rows; i++)
		if (!strcmp(comparison.rows[i].function, function) &&
		    !strcmp(comparison.rows[i].object, object))
			return &comparison.rows[i];
	fail_msg("no %s in %s", function, object);
	return NULL;
}

static void names_make_functions_the_same(void **state)
{
	(void)state;
	add(0, 0, 0, 500);
	add(0, 1, 0, 300);
	add(0, 0, 1, 200);
	add(1, 1, 0, 50);
	add(1, 0, 1, 20);
	add(1, 2, 0, 30);
	compare();
	assert_int_equal(comparison.old_samples, 1000);
	assert_int_equal(comparison.new_samples, 100);
	assert_int_equal(comparison.nr_rows, 4);
	/* the greatest change first */
	assert_string_equal(comparison.rows[0].function, "f");
	assert_string_equal(comparison.rows[0].object, "prog");
	assert_int_equal(comparison.rows[0].old_samples, 500);
	assert_int_equal(comparison.rows[0].new_samples, 0);
	assert_int_equal(row("g", "prog")->old_samples, 300);
	assert_int_equal(row("g", "prog")->new_samples, 50);
	assert_int_equal(row("h", "prog")->old_samples, 0);
	assert_int_equal(row("f", "x.so")->new_samples, 20);
	assert_true(row("f", "x.so")->change == 0);
}

static void chance_is_told_from_change(void **state)
{
	(void)state;
	add(0, 0, 0, 560);
	add(0, 1, 0, 440);
	add(1, 0, 0, 600);
	add(1, 1, 0, 400);
	compare();
	/* 4 points of 1000 samples each may be chance */
	assert_false(row("f", "prog")->is_real);
	assert_true(row("f", "prog")->interval.low < 0);
	assert_true(row("f", "prog")->interval.high > 0.04);
	comparison_release(&comparison);
	profiles[1].rows[0].samples = 6000;
	profiles[1].rows[1].samples = 4000;
	profiles[1].samples = 10000;
	profiles[0].rows[0].samples = 5600;
	profiles[0].rows[1].samples = 4400;
	profiles[0].samples = 10000;
	compare();
	assert_true(row("f", "prog")->is_real);
	assert_true(row("g", "prog")->is_real);
	assert_true(row("g", "prog")->interval.high < 0);
}

/* Addresses mean something in one build only. */
static void addresses_are_of_one_build(void **state)
{
	(void)state;
	add(0, 3, 0, 10);
	add(0, 3, 1, 20);
	add(1, 3, 0, 30);
	add(1, 3, 1, 40);
	compare();
	assert_int_equal(comparison.nr_rows, 2);
	assert_int_equal(row("0x10", "x.so")->old_samples, 20);
	assert_int_equal(row("0x10", "x.so")->new_samples, 40);
	assert_int_equal(row("(functions without a name)", "prog")->old_samples, 10);
	assert_int_equal(row("(functions without a name)", "prog")->new_samples, 30);
	comparison_release(&comparison);
	/* no build-id: nobody knows */
	old_objects[1].build_id_bytes = new_objects[1].build_id_bytes = 0;
	compare();
	assert_int_equal(row("(functions without a name)", "x.so")->old_samples, 20);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(names_make_functions_the_same),
		TEST(chance_is_told_from_change),
		TEST(addresses_are_of_one_build),
	};

	return cmocka_run_group_tests_name("comparison", tests, NULL, NULL);
}
