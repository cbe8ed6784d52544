// SPDX-License-Identifier: GPL-2.0-only
/*
 * Comparing profiles: which functions are the same, and which changes are significant.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <profile/comparison.h>

#include "support/comparisons.h"
#include "support/test.h"

static char names[25][48] = { "f", "g", "h", "0x10", "(no symbols)",
	"f.isra.0", "f.constprop.1.cold", "_ZL1gv.llvm.4477738147604602593", "_ZL1gv.llvm.9",
	"g() [clone .__uniq.123]", "g() [clone .__uniq.456]", "f.part.0", "f.llvm.1",
	"f, g", "g, h", "f.isra.0, g", "a::k(int, char)", "a::k(int, char), b<int, char>::m()",
	"b<int, char>::m()", "f.lto_priv.0", "f.lto_priv.1", "f.constprop.0.isra.3.cold.2",
	"main.main.func1.1", "main.main.func1.2", "_ZL1gv.llvm.9911738147604602001" };

static struct result_object old_objects[2], new_objects[2];
static struct profile_row old_rows[8], new_rows[8];
static struct result results[2];
static struct profile profiles[2];
static struct comparison comparison;

/* Two builds of a program in two directories, and an unchanged library */
FIXTURE(set_up)
{
	static char old_path[] = "/old/prog", new_path[] = "/new/prog";
	static char library[] = "/lib/x.so";

	old_objects[0] = (struct result_object){
		.path = old_path, .build_id = { 1 }, .build_id_bytes = 1,
	};
	new_objects[0] = (struct result_object){
		.path = new_path, .build_id = { 2 }, .build_id_bytes = 1,
	};
	old_objects[1] = new_objects[1] = (struct result_object){
		.path = library, .build_id = { 3 }, .build_id_bytes = 1,
	};
	results[0] = (struct result){ .objects = old_objects, .nr_objects = 2, .rate = 100 };
	results[1] = (struct result){ .objects = new_objects, .nr_objects = 2, .rate = 100 };
	profiles[0] = (struct profile){ .rows = old_rows };
	profiles[1] = (struct profile){ .rows = new_rows };
	return 0;
}

FIXTURE(tear_down)
{
	comparison_release(&comparison);
	return 0;
}

/* @name: an index; @object: 0: the program, 1: the library */
static void add(int side, int name, size_t object, uint64_t samples)
{
	struct profile *profile = &profiles[side];

	profile->rows[profile->nr_rows++] = (struct profile_row){
		.function = names[name],
		.has_name = name < 3 || name > 4,
		.is_rest = name == 4,
		.is_symbol = name < 3 || name > 4,
		.index = object,
		/* a path, as if another object had the same file name */
		.object = side ? results[side].objects[object].path :
				 strrchr(results[side].objects[object].path, '/') + 1,
		.samples = samples,
	};
	profile->samples += samples;
}

static void compare_by(enum comparison_of of)
{
	const struct comparison_side old = { .result = &results[0], .profile = &profiles[0] };
	const struct comparison_side new = { .result = &results[1], .profile = &profiles[1] };

	assert_int_equal(comparison_make(&comparison, &old, &new, of), 0);
}

static void compare(void)
{
	compare_by(COMPARISON_OF_SHARES);
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

/* Release the comparison, and begin with profiles that have no rows. */
static void start_anew(void)
{
	comparison_release(&comparison);
	profiles[0].nr_rows = profiles[1].nr_rows = 0;
}

TEST_F(functions_are_matched_by_name)
{
	add(0, 0, 0, 500);
	add(0, 1, 0, 300);
	add(0, 0, 1, 200);
	add(1, 1, 0, 50);
	add(1, 0, 1, 20);
	add(1, 2, 0, 30);
	compare();
	assert_int_equal(comparison.nr_rows, 4);
	/* the largest change first */
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

TEST_F(sampling_error_is_not_marked)
{
	add(0, 0, 0, 560);
	add(0, 1, 0, 440);
	add(1, 0, 0, 600);
	add(1, 1, 0, 400);
	compare();
	/* a change by 4 percent of 1000 samples each may be sampling error */
	assert_false(row("f", "prog")->is_significant);
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
	assert_true(row("f", "prog")->is_significant);
	assert_true(row("g", "prog")->is_significant);
	assert_true(row("g", "prog")->interval.high < 0);
}

/* When one function gets faster, the share of another grows, but not its CPU time. */
TEST_F(unchanged_time_is_not_marked)
{
	add(0, 0, 0, 1000);
	add(0, 1, 0, 1000);
	add(1, 0, 0, 200);
	add(1, 1, 0, 1000);
	compare_by(COMPARISON_OF_SECONDS);
	assert_true(row("f", "prog")->is_significant);
	assert_true(row("f", "prog")->old == 10 && row("f", "prog")->new == 2);
	assert_true(row("f", "prog")->change == -8);
	assert_true(row("f", "prog")->interval.high < -7);
	assert_false(row("g", "prog")->is_significant);
	assert_true(row("g", "prog")->change == 0);
	comparison_release(&comparison);
	compare_by(COMPARISON_OF_SHARES);
	assert_true(row("g", "prog")->is_significant);
	assert_true(row("g", "prog")->old == 0.5);
}

TEST_F(rates_may_differ)
{
	results[1].rate = 1000;
	add(0, 0, 0, 1000);
	add(0, 1, 0, 500);
	add(1, 0, 0, 10000);
	add(1, 1, 0, 500);
	compare_by(COMPARISON_OF_SECONDS);
	assert_false(row("f", "prog")->is_significant);
	assert_true(row("f", "prog")->new == 10);
	assert_true(row("g", "prog")->is_significant);
	assert_true(row("g", "prog")->new == 0.5);
}

static uint64_t seed = 20261125;

/* A random number between 0 and 1, exclusive (xorshift64*) */
static double draw(void)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return ((double)(seed * 2685821657736338717ULL >> 11) + 0.5) / 9007199254740992.0;
}

/* A Poisson count, by adding up the gaps of a Poisson process */
static uint64_t draw_count(double mean)
{
	uint64_t count = 0;
	double at;

	for (at = -log(draw()); at < mean; at -= log(draw()))
		count++;
	return count;
}

/* All functions use as much CPU time as before. */
TEST_F(one_in_twenty_unchanged_functions_is_marked)
{
	static char unchanged[4000][8];
	static struct profile_row before[4000], after[4000];
	static const double means[] = { 0.7, 3, 12, 60, 600, 2500 };
	static const uint32_t rates[][2] = { { 100, 100 }, { 100, 400 }, { 1000, 250 } };
	const double nr = ARRAY_SIZE(unchanged), chance = 4 * sqrt(nr * 0.05 * 0.95);
	size_t i, j, k;

	for (k = 0; k < ARRAY_SIZE(unchanged); k++)
		snprintf(unchanged[k], sizeof(unchanged[k]), "f%zu", k);
	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		for (j = 0; j < ARRAY_SIZE(means); j++) {
			double seconds = means[j] / fmin(rates[i][0], rates[i][1]);
			double marked = 0;

			results[0].rate = rates[i][0];
			results[1].rate = rates[i][1];
			profiles[0] = (struct profile){ before, ARRAY_SIZE(before), 0 };
			profiles[1] = (struct profile){ after, ARRAY_SIZE(after), 0 };
			for (k = 0; k < ARRAY_SIZE(unchanged); k++) {
				before[k] = after[k] = (struct profile_row){
					.function = unchanged[k], .has_name = true, .object = "prog",
				};
				before[k].samples = draw_count(seconds * rates[i][0]);
				after[k].samples = draw_count(seconds * rates[i][1]);
			}
			compare_by(COMPARISON_OF_SECONDS);
			assert_int_equal(comparison.nr_rows, ARRAY_SIZE(unchanged));
			for (k = 0; k < comparison.nr_rows; k++)
				marked += comparison.rows[k].is_significant;
			/* nearly 5 % with many samples, fewer with few */
			if (marked > nr * 0.05 + chance)
				fail_msg("%g of %g, %g samples each", marked, nr, means[j]);
			assert_true(means[j] < 500 || marked > nr * 0.045 - chance);
			comparison_release(&comparison);
		}
	}
}

/* Three old runs, of which one has loaded no library, and two new ones */
TEST_F(means_of_several_runs_are_compared)
{
	static struct profile_row rows[3][2];
	struct profile more[3] = { { .rows = rows[0] }, { .rows = rows[1] }, { .rows = rows[2] } };
	struct result only = { .objects = old_objects, .nr_objects = 1, .rate = 100 };
	const struct comparison_side old_runs[] = {
		{ .result = &only, .profile = &more[0] }, { .result = &results[0], .profile = &more[1] },
	};
	const struct comparison_side new_run = { .result = &results[1], .profile = &more[2] };
	const struct comparison_side old = {
		.result = &results[0], .profile = &profiles[0], .more = old_runs, .nr_more = 2,
	};
	const struct comparison_side new = {
		.result = &results[1], .profile = &profiles[1], .more = &new_run, .nr_more = 1,
	};
	size_t i;

	add(0, 0, 0, 1000);
	add(0, 1, 1, 300);
	add(1, 0, 0, 1300);
	add(1, 1, 1, 210);
	rows[0][0] = (struct profile_row){
		.function = names[0], .has_name = true, .samples = 1100,
	};
	rows[1][0] = rows[2][0] = rows[0][0];
	rows[1][0].samples = 900;
	rows[2][0].samples = 1340;
	rows[1][1] = profiles[0].rows[1];
	rows[2][1] = profiles[1].rows[1];
	rows[2][1].samples = 190;
	for (i = 0; i < 3; i++)
		more[i].nr_rows = i ? 2 : 1;
	more[0].samples = 1100;
	more[1].samples = 1200;
	more[2].samples = 1530;
	assert_int_equal(comparison_make(&comparison, &old, &new, COMPARISON_OF_SECONDS), 0);
	assert_int_equal(comparison.nr_rows, 2);
	assert_float_equal(row("f", "prog")->old, 10, 1e-9);
	assert_float_equal(row("f", "prog")->new, 13.2, 1e-9);
	assert_float_equal(row("g", "x.so")->old, 2, 1e-9);
	assert_int_equal(row("g", "x.so")->new_samples, 400);
	assert_float_equal(comparison.all.change, 15.2 - 12, 1e-9);
	/* 10, 11, 9 and 13, 13.4: variances 1 and 0.08, 2.41 degrees of freedom: 4.303 * 0.611 */
	assert_float_equal(row("f", "prog")->interval.low, 3.2 - 2.629, 0.001);
	assert_true(row("f", "prog")->is_significant);
	/* 3, 0, 3 and 2.1, 1.9 */
	assert_false(row("g", "x.so")->is_significant);
}

/* Addresses are comparable only within one build. */
TEST_F(addresses_are_matched_by_build_id)
{
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
	/* without a build-id, the builds may differ */
	old_objects[1].build_id_bytes = new_objects[1].build_id_bytes = 0;
	compare();
	assert_int_equal(row("(functions without a name)", "x.so")->old_samples, 20);
}

/* No build has the copies and suffixes of another one. */
TEST_F(copies_are_compared_as_their_function)
{
	add(0, 5, 0, 1000);
	add(0, 7, 0, 500);
	add(0, 9, 1, 500);
	add(1, 6, 0, 1000);
	add(1, 8, 0, 500);
	add(1, 10, 1, 500);
	compare();
	assert_int_equal(comparison.nr_rows, 3);
	assert_true(row("f", "prog")->change == 0);
	assert_true(row("_ZL1gv", "prog")->change == 0);
	assert_true(row("g()", "x.so")->change == 0);
	comparison_release(&comparison);
	/* more of them in one build: parts of a function may have been copied or not */
	add(0, 11, 0, 100);
	add(0, 0, 0, 300);
	add(1, 0, 0, 400);
	add(1, 12, 1, 30);
	compare();
	assert_int_equal(comparison.nr_rows, 4);
	assert_true(row("f", "prog")->old_samples == 1400 && row("f", "prog")->new_samples == 1400);
	assert_int_equal(row("f.llvm.1", "x.so")->new_samples, 30);
}

/* With equally many in both builds, names that are in both tell them apart. */
TEST_F(copies_of_both_builds_are_compared_with_each_other)
{
	add(0, 0, 0, 10);
	add(0, 5, 0, 20);
	add(1, 0, 0, 30);
	add(1, 5, 0, 40);
	compare();
	assert_int_equal(comparison.nr_rows, 2);
	assert_int_equal(row("f", "prog")->new_samples, 30);
	assert_int_equal(row("f.isra.0", "prog")->old_samples, 20);
	comparison_release(&comparison);
	add(0, 6, 0, 50);
	add(0, 11, 0, 5);
	add(1, 12, 0, 60);
	add(1, 11, 0, 6);
	compare();
	assert_int_equal(comparison.nr_rows, 4);
	assert_int_equal(row("f.part.0", "prog")->new_samples, 6);
	assert_true(!strcmp(comparison.rows[0].function, "f") || row("f", "prog"));
	assert_int_equal(row("f.isra.0", "prog")->new_samples, 40);
}

/* Return: the functions of one profile that are parts of a row, in any order. */
static const char *parts_of(const struct comparison_row *row, bool is_new)
{
	static char text[256];
	size_t part = row->part;

	text[0] = 0;
	do {
		const struct comparison_part *at = &comparison.parts[part];

		if (at->is_new == is_new)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s",
				 *text ? "|" : "", at->row->function);
		part = at->next;
	} while (part != row->part);
	return text;
}

TEST_F(more_kinds_of_copies)
{
	/* of link-time optimization, whose numbers tell two static functions apart */
	add(0, 19, 0, 10);
	add(0, 20, 0, 20);
	add(1, 0, 0, 25);
	add(1, 21, 0, 5);
	/* of Go: other functions */
	add(0, 22, 0, 1);
	add(1, 23, 0, 1);
	compare();
	assert_int_equal(comparison.nr_rows, 3);
	assert_int_equal(row("f", "prog")->old_samples, 30);
	assert_int_equal(row("f", "prog")->new_samples, 30);
	assert_true(comparison_is_sum(&comparison, row("f", "prog")));
	assert_int_equal(row("main.main.func1.1", "prog")->new_samples, 0);
	assert_false(comparison_is_sum(&comparison, row("main.main.func1.1", "prog")));
	/* the numbers may have changed places: of two static functions with one name */
	start_anew();
	add(0, 19, 0, 100);
	add(0, 20, 0, 10);
	add(1, 19, 0, 10);
	add(1, 20, 0, 100);
	compare();
	assert_int_equal(comparison.nr_rows, 1);
	assert_int_equal(row("f", "prog")->old_samples, 110);
	assert_int_equal(row("f", "prog")->new_samples, 110);
	assert_true(comparison_is_sum(&comparison, row("f", "prog")));
	/* a hash does not change its place */
	start_anew();
	add(0, 7, 0, 100);
	add(0, 24, 0, 10);
	add(1, 7, 0, 100);
	add(1, 24, 0, 10);
	compare();
	assert_int_equal(comparison.nr_rows, 2);
	/* renamed, but no sum */
	start_anew();
	add(0, 19, 0, 10);
	add(1, 21, 0, 10);
	compare();
	assert_int_equal(comparison.nr_rows, 1);
	assert_false(comparison_is_sum(&comparison, row("f", "prog")));
	assert_string_equal(parts_of(row("f", "prog"), false), "f.lto_priv.0");
	assert_string_equal(parts_of(row("f", "prog"), true), "f.constprop.0.isra.3.cold.2");
}

/* The linker of one build has folded what is apart in the other one. */
TEST_F(folded_functions_are_compared_with_those_apart)
{
	add(0, 0, 0, 100);
	add(0, 1, 0, 50);
	add(0, 2, 0, 7);
	add(0, 2, 1, 9);
	add(1, 13, 0, 150);
	add(1, 2, 0, 7);
	add(1, 2, 1, 9);
	compare();
	assert_int_equal(comparison.nr_rows, 3);
	assert_int_equal(row("f, g", "prog")->old_samples, 150);
	assert_int_equal(row("f, g", "prog")->new_samples, 150);
	assert_true(comparison_is_sum(&comparison, row("f, g", "prog")));
	assert_string_equal(parts_of(row("f, g", "prog"), true), "f, g");
	assert_int_equal(strlen(parts_of(row("f, g", "prog"), false)), strlen("f|g"));
	/* with another one, and the other way around; of another object, they are others */
	start_anew();
	add(0, 14, 0, 10);
	add(0, 1, 1, 5);
	add(1, 15, 0, 10);
	add(1, 2, 0, 20);
	compare();
	assert_int_equal(comparison.nr_rows, 2);
	assert_int_equal(comparison.rows[0].old_samples, 10);
	assert_int_equal(comparison.rows[0].new_samples, 30);
	assert_int_equal(row("g", "x.so")->old_samples, 5);
	/* a comma in brackets is part of a name */
	start_anew();
	add(0, 16, 0, 10);
	add(0, 18, 0, 10);
	add(1, 17, 0, 20);
	compare();
	assert_int_equal(comparison.nr_rows, 1);
	assert_int_equal(row(names[17], "prog")->old_samples, 20);
}

/* Sets up one object of each side, and compares. */
static void compare_objects(const char *old, const char *new, int old_id, int new_id)
{
	static char paths[2][64];
	size_t i;

	snprintf(paths[0], sizeof(paths[0]), "%s", old);
	snprintf(paths[1], sizeof(paths[1]), "%s", new);
	old_objects[1].path = paths[0];
	new_objects[1].path = paths[1];
	old_objects[1].build_id[0] = (unsigned char)old_id;
	new_objects[1].build_id[0] = (unsigned char)new_id;
	for (i = 0; i < 2; i++)
		profiles[i].nr_rows = profiles[i].samples = 0;
	add(0, 1, 1, 10);
	add(0, 0, 1, 10);
	add(1, 0, 1, 10);
	comparison_release(&comparison);
	compare();
}

TEST_F(objects_of_two_builds_have_other_names)
{
	static const struct {
		const char *old, *new, *name;
	} same[] = {
		{ "/lib/libx.so.1.2", "/lib/libx.so.1.3", "libx.so.1.3" },
		{ "/lib/libx.so", "/opt/libx.so.2", "libx.so.2" },
		{ "/lib/libx-2.31.so", "/lib/libx-2.36.so", "libx-2.36.so" },
		{ "/lib/libx-040039e1.so.5.0.0", "/lib/libx-1b2c3d4f.so.5.0.0",
		  "libx-1b2c3d4f.so.5.0.0" },
		{ "/bin/python3.11", "/bin/python3.12", "python3.12" },
		/* with half of the functions in common */
		{ "/lib/libx-main.so", "/lib/libx-pr.so", "libx-pr.so" },
		{ "/lib/libx.so.1.old", "/lib/libx_new.so", "libx_new.so" },
		{ "/build/main/tool", "/build/pr/tool", "tool" },
	};
	struct result_process processes[2][2] = { 0 };
	static char shell[] = "/bin/sh", old[] = "/tmp/prog-main", new[] = "/tmp/prog-pr";
	size_t i;

	for (i = 0; i < ARRAY_SIZE(same); i++) {
		compare_objects(same[i].old, same[i].new, 3, 4);
		assert_int_equal(comparison.nr_rows, 2);
		assert_int_equal(row("f", same[i].name)->old_samples, 10);
		assert_int_equal(row("f", same[i].name)->new_samples, 10);
	}
	/* the same file, copied */
	compare_objects("/tmp/liba.so", "/tmp/copy", 3, 3);
	assert_int_equal(row("f", "copy")->old_samples, 10);
	/* another one: each is one row */
	compare_objects("/tmp/liba.so", "/tmp/libb.so", 3, 4);
	assert_int_equal(comparison.nr_rows, 2);
	assert_int_equal(row("(only in one result)", "liba.so")->old_samples, 20);
	assert_int_equal(row("(only in one result)", "libb.so")->new_samples, 10);
	assert_true(row("(only in one result)", "liba.so")->is_significant);
	/* names that begin alike, and no function in common */
	compare_objects("/lib/libnss_dns.so.2", "/lib/libnss_files.so.2", 3, 4);
	assert_int_equal(comparison.nr_rows, 2);
	comparison_release(&comparison);
	profiles[1].nr_rows = profiles[1].samples = 0;
	add(1, 2, 1, 10);
	compare();
	assert_int_equal(comparison.nr_rows, 2);
	assert_int_equal(row("(only in one result)", "libnss_dns.so.2")->old_samples, 20);
	assert_int_equal(row("(only in one result)", "libnss_files.so.2")->new_samples, 10);
	/* the programs that shells have executed; and commands */
	for (i = 0; i < 2; i++) {
		processes[i][0].program = shell;
		processes[i][1].program = i ? new : old;
		results[i].processes = processes[i];
		results[i].nr_processes = 2;
	}
	compare_objects(old, new, 3, 4);
	assert_int_equal(row("f", "prog-pr")->old_samples, 10);
	old_objects[0].path = old;
	processes[0][0].program = old;
	processes[0][1].program = shell;
	processes[1][0].program = new;
	results[1].nr_processes = 1;
	compare_objects(shell, new, 3, 4);
	assert_int_equal(row("(only in one result)", "sh")->old_samples, 20);
	assert_string_equal(comparison.counterparts[0], "prog-pr");
}

/* Code in no known function has no address that could differ. */
TEST_F(rest_is_one_row_of_an_object)
{
	add(0, 4, 0, 10);
	add(0, 4, 1, 20);
	add(1, 4, 0, 30);
	compare();
	assert_int_equal(comparison.nr_rows, 2);
	assert_int_equal(row("(no symbols)", "prog")->old_samples, 10);
	assert_int_equal(row("(no symbols)", "prog")->new_samples, 30);
	assert_int_equal(row("(no symbols)", "x.so")->old_samples, 20);
}

/*
 * The program has names on one side only: its functions, and its code without names, may be the
 * same. The library has all its names on both sides.
 */
TEST_F(function_that_may_have_no_name_elsewhere_is_not_marked)
{
	add(0, 4, 0, 1000);
	add(1, 0, 0, 1000);
	add(0, 1, 1, 1000);
	add(1, 2, 1, 1000);
	compare();
	assert_false(row("f", "prog")->is_significant);
	assert_false(row("(no symbols)", "prog")->is_significant);
	assert_true(row("g", "x.so")->is_significant);
	assert_true(row("h", "x.so")->is_significant);
}

/* A function with samples on both sides is compared, although other code has no name. */
TEST_F(function_with_a_name_on_both_sides_is_marked)
{
	add(0, 0, 0, 1000);
	add(0, 4, 0, 50);
	add(1, 0, 0, 10);
	add(1, 4, 0, 1000);
	compare();
	assert_true(row("f", "prog")->is_significant);
	assert_true(row("(no symbols)", "prog")->is_significant);
}

/*
 * The maximal number of objects with one build-id, each with a function without a name. Two
 * sorts of names and two of rows take about 12 comparisons each for every object; comparing
 * each object with all others would take 4096.
 */
TEST_F(many_objects_take_few_comparisons)
{
	static struct result_object many[2][RESULT_MAX_OBJECTS];
	static struct profile_row rows[2][RESULT_MAX_OBJECTS];
	static char paths[2][RESULT_MAX_OBJECTS][16];
	size_t side, i;

	for (side = 0; side < 2; side++) {
		for (i = 0; i < RESULT_MAX_OBJECTS; i++) {
			/* only the last is in both */
			snprintf(paths[side][i], sizeof(paths[side][i]), "/%s/%zu",
				 side ? "new" : "old", i + side * (RESULT_MAX_OBJECTS - 1));
			many[side][i] = (struct result_object){
				.path = paths[side][i], .build_id = { 1 }, .build_id_bytes = 1,
			};
			rows[side][i] = (struct profile_row){
				.function = names[3], .index = i,
				.object = paths[side][i] + 5, .samples = 1,
			};
		}
		results[side] = (struct result){
			.objects = many[side], .nr_objects = RESULT_MAX_OBJECTS,
		};
		profiles[side] = (struct profile){
			.rows = rows[side], .nr_rows = RESULT_MAX_OBJECTS,
			.samples = RESULT_MAX_OBJECTS,
		};
	}
	nr_comparisons = 0;
	compare();
	assert_true(nr_comparisons < 200 * RESULT_MAX_OBJECTS);
	assert_int_equal(comparison.nr_rows, 2 * RESULT_MAX_OBJECTS - 1);
	assert_int_equal(row("0x10", "4095")->old_samples, 1);
	assert_int_equal(row("0x10", "4095")->new_samples, 1);
	assert_int_equal(row("(only in one result)", "0")->old_samples, 1);
	assert_int_equal(row("(only in one result)", "8190")->new_samples, 1);
}
