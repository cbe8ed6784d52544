// SPDX-License-Identifier: GPL-2.0-only
/*
 * Profiles: which function the samples are assigned to, the order of rows, and that the sum
 * of the rows is the number of samples.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <profile/profile.h>

#include "support/comparisons.h"
#include "support/test.h"

#define NR_COUNTERS	64

/* A function that find(), which replaces symbols_find(), returns */
struct known {
	size_t object;
	uint64_t start, end;
	const char *name;
};

static int find(void *symbols, size_t object, uint64_t address, struct function *function)
{
	const struct known *known;

	for (known = symbols; known->end; known++) {
		if (known->object != object || address < known->start || address >= known->end)
			continue;
		function->start = known->start;
		function->name = known->name;
		function->length = known->name ? (int)strlen(known->name) : 0;
		return 1;
	}
	return 0;
}

/* All parts of a function start where the first one does. */
static int find_parts(void *symbols, size_t object, uint64_t address, struct function *function)
{
	const struct known *known = symbols;
	int found = find(symbols, object, address, function);

	while (found && known->end && strcmp(known->name, function->name))
		known++;
	if (found)
		function->start = known->start;
	return found;
}

static int find_fails(void *symbols, size_t object, uint64_t address, struct function *function)
{
	return -ENOMEM;
}

/* Samples of each object, one counter for each 4th address; make() adds them to the result */
static uint32_t counters[4][NR_COUNTERS];
static struct result_count counts[4][NR_COUNTERS];
static char paths[4][16];
static struct result_object objects[4];
static struct result result;

/* Four objects, at 0x10000, 0x20000, ... */
FIXTURE(set_up)
{
	static const char *const names[] = {
		"/bin/a", "/lib/x.so", "/opt/x.so", "[vdso]",
	};
	size_t i;

	memset(counters, 0, sizeof(counters));
	memset(&result, 0, sizeof(result));
	result.rate = 100;
	result.objects = objects;
	result.nr_objects = 4;
	for (i = 0; i < 4; i++) {
		snprintf(paths[i], sizeof(paths[i]), "%s", names[i]);
		objects[i] = (struct result_object){
			.start = 0x10000 * (i + 1),
			.end = 0x10000 * (i + 1) + 4 * NR_COUNTERS,
			.bias = 0x7f0000000000,
			.path = paths[i],
			.counts = counts[i],
		};
	}
	return 0;
}

static int make(struct profile *profile, symbols_find_fn *finder, void *symbols)
{
	size_t i, j;

	for (i = 0; i < 4; i++) {
		struct result_object *object = &objects[i];

		object->nr_counts = 0;
		object->samples = 0;
		for (j = 0; j < NR_COUNTERS; j++) {
			if (!counters[i][j])
				continue;
			counts[i][object->nr_counts++] = (struct result_count){
				.address = object->start + 4 * j,
				.samples = counters[i][j],
			};
			object->samples += counters[i][j];
		}
	}
	return profile_make(profile, &result, finder, symbols);
}

static void assert_row(const struct profile *profile, size_t i,
		       uint64_t samples, const char *function,
		       const char *object)
{
	assert_true(i < profile->nr_rows);
	assert_int_equal(profile->rows[i].samples, samples);
	assert_string_equal(profile->rows[i].function, function);
	assert_string_equal(profile->rows[i].object, object);
}

TEST_WITH(no_samples_no_rows, set_up, NULL)
{
	struct known none = { 0 };
	struct profile profile;

	assert_int_equal(make(&profile, find, &none), 0);
	assert_int_equal(profile.nr_rows, 0);
	assert_int_equal(profile.samples, 0);
	profile_release(&profile);
}

TEST_WITH(samples_add_up_by_function, set_up, NULL)
{
	struct known known[] = {
		{ 0, 0x10000, 0x10010, "main" },
		{ 0, 0x10010, 0x10020, "same" },
		{ 0, 0x10020, 0x10030, "same" },
		{ 1, 0x20000, 0x20010, "lib" },
		{ 2, 0x30000, 0x30010, "lib" },
		{ 0 },
	};
	struct profile profile;

	counters[0][0] = 1;
	counters[0][3] = 2;
	counters[0][4] = 10;
	counters[0][8] = 20;
	counters[1][0] = 5;
	counters[2][1] = 5;
	counters[3][0] = 1;
	counters[3][50] = 1;
	result.outside = 3;
	assert_int_equal(make(&profile, find, known), 0);
	assert_int_equal(profile.samples, 48);
	assert_int_equal(profile.nr_rows, 7);
	/* two functions of one name are two rows; rows with equal samples are sorted by name */
	assert_row(&profile, 0, 20, "same", "a");
	assert_row(&profile, 1, 10, "same", "a");
	assert_row(&profile, 2, 5, "lib", "/lib/x.so");
	assert_row(&profile, 3, 5, "lib", "/opt/x.so");
	assert_row(&profile, 4, 3, "(outside all objects)", "-");
	assert_row(&profile, 5, 3, "main", "a");
	assert_row(&profile, 6, 2, "[vdso]", "[vdso]");
	profile_release(&profile);
}

/* Functions may begin at any address: what is in the bytes around a pc does not matter. */
TEST_WITH(count_goes_to_function_at_its_address, set_up, NULL)
{
	struct known known[] = {
		{ 0, 0x10000, 0x10003, "early" },
		{ 0, 0x10003, 0x10004, "byte" },
		{ 0, 0x10004, 0x10005, "next" },
		{ 0 },
	};
	struct result_count exact[] = {
		{ 0x10002, 1 }, { 0x10003, 2 }, { 0x10004, 4 }, { 0x10005, 8 },
	};
	struct profile profile;

	objects[0].counts = exact;
	objects[0].nr_counts = 4;
	objects[0].samples = 15;
	assert_int_equal(profile_make(&profile, &result, find, known), 0);
	assert_row(&profile, 0, 8, "(no symbols)", "a");
	assert_row(&profile, 1, 4, "next", "a");
	assert_row(&profile, 2, 2, "byte", "a");
	assert_row(&profile, 3, 1, "early", "a");
	profile_release(&profile);
}

TEST_WITH(function_without_name_is_one_row, set_up, NULL)
{
	struct known known[] = { { 1, 0x20010, 0x20030, NULL }, { 0 } };
	struct profile profile;

	counters[1][4] = 1;
	counters[1][9] = 2;
	counters[1][11] = 3;
	assert_int_equal(make(&profile, find, known), 0);
	assert_int_equal(profile.nr_rows, 1);
	assert_row(&profile, 0, 6, "0x20010", "/lib/x.so");
	profile_release(&profile);
}

/* The parts of a function have another function between them. */
TEST_WITH(parts_of_a_function_are_merged, set_up, NULL)
{
	struct known known[] = {
		{ 1, 0x20000, 0x20010, "f" },
		{ 1, 0x20010, 0x20020, "g" },
		{ 1, 0x20020, 0x20030, "f" },
		{ 0 },
	};
	struct profile profile;

	counters[1][0] = 1;
	counters[1][4] = 1;
	counters[1][8] = 2;
	assert_int_equal(make(&profile, find_parts, known), 0);
	assert_int_equal(profile.nr_rows, 2);
	assert_row(&profile, 0, 3, "f", "/lib/x.so");
	assert_row(&profile, 1, 1, "g", "/lib/x.so");
	profile_release(&profile);
}

TEST_WITH(percentages_are_nearest, set_up, NULL)
{
	struct known none = { 0 };
	unsigned int seed = 3;
	struct profile profile;
	int round;
	size_t i;

	for (round = 0; round < 500; round++) {
		unsigned int limit = 1u << rand_r(&seed) % 31;

		for (i = 0; i < NR_COUNTERS; i++)
			counters[0][i] = (uint32_t)rand_r(&seed) % limit;
		result.outside = 1;
		assert_int_equal(make(&profile, find, &none), 0);
		for (i = 0; i < profile.nr_rows; i++) {
			const struct profile_row *row = &profile.rows[i];
			double exact = 10000.0 * (double)row->samples /
				       (double)profile.samples;

			/* the double is off by less than 0.001 */
			assert_true(row->percent100 > exact - 0.501 &&
				    row->percent100 < exact + 0.501);
			if (i && row->samples == row[-1].samples)
				assert_int_equal(row->percent100, row[-1].percent100);
			else if (i)
				assert_true(row->samples < row[-1].samples);
		}
		profile_release(&profile);
	}
}

TEST_WITH(largest_counts_do_not_overflow, set_up, NULL)
{
	struct known none = { 0 };
	struct profile profile;

	memset(counters, 0xff, sizeof(counters));
	result.outside = UINT32_MAX;
	assert_int_equal(make(&profile, find, &none), 0);
	assert_int_equal(profile.samples, (4 * NR_COUNTERS + 1) * (uint64_t)UINT32_MAX);
	profile_release(&profile);
}

TEST_WITH(rows_are_sorted_by_the_chosen_key, set_up, NULL)
{
	static const struct {
		enum profile_order order;
		const char *functions[4];
	} cases[] = {
		{ PROFILE_BY_SAMPLES, { "b", "c", "a", "d" } },
		{ PROFILE_BY_NAME, { "a", "b", "c", "d" } },
		/* "/lib/x.so" is before "a" */
		{ PROFILE_BY_OBJECT, { "b", "d", "c", "a" } },
		{ PROFILE_BY_ADDRESS, { "d", "b", "a", "c" } },
	};
	struct known known[] = {
		{ 0, 0x10000, 0x10004, "a" },
		{ 0, 0x10004, 0x10008, "c" },
		{ 1, 0x20000, 0x20004, "d" },
		{ 1, 0x20004, 0x20008, "b" },
		{ 0 },
	};
	struct profile profile;
	size_t i, j;

	counters[0][0] = 3;
	counters[0][1] = 4;
	counters[1][0] = 1;
	counters[1][1] = 9;
	assert_int_equal(make(&profile, find, known), 0);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		profile_sort(&profile, cases[i].order);
		for (j = 0; j < 4; j++)
			assert_string_equal(profile.rows[j].function, cases[i].functions[j]);
	}
	profile_release(&profile);
}

TEST_WITH(objects_are_rows, set_up, NULL)
{
	struct known none = { 0 };
	struct profile profile;

	counters[1][0] = 3;
	counters[1][60] = 4;
	counters[2][0] = 2;
	counters[3][0] = 5;
	result.outside = 6;
	assert_int_equal(make(&profile, find, &none), 0);
	profile_release(&profile);
	assert_int_equal(profile_make_objects(&profile, &result), 0);
	assert_int_equal(profile.nr_rows, 4);
	assert_int_equal(profile.samples, 20);
	assert_row(&profile, 0, 7, "/lib/x.so", "/lib/x.so");
	assert_row(&profile, 1, 6, "(outside all objects)", "-");
	assert_row(&profile, 2, 5, "[vdso]", "[vdso]");
	assert_row(&profile, 3, 2, "/opt/x.so", "/opt/x.so");
	profile_release(&profile);
}

/* The names of made code are as its runtime gives them. */
TEST_WITH(made_code_has_names, set_up, NULL)
{
	static char hot[] = "JS:*hot a b.js:1:21", mangled[] = "_ZN1z1fEv";
	struct result_function functions[] = {
		{ 0x40000, 0x40004, hot }, { 0x40008, 0x40010, mangled },
	};
	struct known none = { 0 };
	struct profile profile;

	strcpy(paths[3], "[jit] node");
	objects[3].functions = functions;
	objects[3].nr_functions = ARRAY_SIZE(functions);
	counters[3][0] = 9;
	counters[3][1] = 2;
	counters[3][2] = 3;
	counters[3][3] = 1;
	counters[3][50] = 5;
	assert_int_equal(make(&profile, find, &none), 0);
	profile_demangle(&profile);
	assert_int_equal(profile.nr_rows, 3);
	assert_row(&profile, 0, 9, hot, "[jit] node");
	assert_int_equal(profile.rows[0].address, 0x40000);
	assert_row(&profile, 1, 7, "[jit] node", "[jit] node");
	assert_int_equal(profile.rows[1].address, 0);
	assert_row(&profile, 2, 4, mangled, "[jit] node");
	profile_release(&profile);
}

/* The rows are sorted by the new names, and addresses stay addresses. */
TEST_WITH(names_are_demangled, set_up, NULL)
{
	struct known known[] = {
		{ 0, 0x10000, 0x10004, "_ZN1z1fEv" },
		{ 0, 0x10004, 0x10008, "m" },
		{ 0, 0x10008, 0x1000c, NULL },
		{ 0 },
	};
	struct profile profile;

	counters[0][0] = counters[0][1] = counters[0][2] = 1;
	assert_int_equal(make(&profile, find, known), 0);
	assert_row(&profile, 1, 1, "_ZN1z1fEv", "a");
	assert_false(profile.rows[0].has_name);
	profile_demangle(&profile);
	assert_row(&profile, 0, 1, "0x10008", "a");
	assert_row(&profile, 1, 1, "m", "a");
	assert_row(&profile, 2, 1, "z::f()", "a");
	assert_true(profile.rows[2].has_name);
	profile_release(&profile);
}

/*
 * The maximal number of objects with one path and different build-ids. A sort of names and one
 * of rows take about 12 comparisons each for every object; comparing each object with all others
 * would take 4096.
 */
TEST_WITH(many_objects_take_few_comparisons, set_up, NULL)
{
	static struct result_count one = { 0x1000, 1 };
	static struct result_object many[RESULT_MAX_OBJECTS];
	static char one_path[] = "/lib/x.so", other_path[] = "/opt/x.so";
	struct known none = { 0 };
	struct profile profile;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(many); i++)
		many[i] = (struct result_object){
			.path = one_path, .build_id = { i >> 8 & 0xff, i & 0xff },
			.build_id_bytes = 2, .start = 0x1000, .end = 0x2000,
			.counts = &one, .nr_counts = 1, .samples = 1,
		};
	result.objects = many;
	result.nr_objects = ARRAY_SIZE(many);
	nr_comparisons = 0;
	assert_int_equal(profile_make(&profile, &result, find, &none), 0);
	assert_true(nr_comparisons < 40 * ARRAY_SIZE(many));
	assert_int_equal(profile.nr_rows, ARRAY_SIZE(many));
	for (i = 0; i < profile.nr_rows; i++)
		assert_row(&profile, i, 1, "(no symbols)", "x.so");
	profile_release(&profile);
	/* one other path makes all file names ambiguous */
	many[ARRAY_SIZE(many) - 1].path = other_path;
	assert_int_equal(profile_make(&profile, &result, find, &none), 0);
	for (i = 0; i + 1 < profile.nr_rows; i++)
		assert_row(&profile, i, 1, "(no symbols)", one_path);
	assert_row(&profile, i, 1, "(no symbols)", other_path);
	profile_release(&profile);
}

TEST_WITH(error_of_find_is_returned, set_up, NULL)
{
	struct profile profile;

	counters[0][0] = 1;
	assert_int_equal(make(&profile, find_fails, NULL), -ENOMEM);
	profile_release(&profile);
}
