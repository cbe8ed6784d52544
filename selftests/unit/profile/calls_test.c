// SPDX-License-Identifier: GPL-2.0-only
/*
 * The functions in call stacks, and who calls whom.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <profile/call_tree.h>
#include <profile/calls.h>
#include <profile/profile.h>
#include <profile/tree_rows.h>
#include <result/select.h>

#include "support/test.h"

/* Functions of 0x100 bytes each, from 0 on */
static const char *const names[] = { "main", "fib", "work", "_ZN3foo3barEv" };

enum { MAIN, FIB, WORK, BAR };

/*
 * main > fib > fib > fib, with a second call site; main > work > bar; bar, of which nothing else is
 * known; and a sample outside all objects, which main has called
 */
static const struct result_node nodes[] = {
	{ RESULT_NO_NODE, 0, 0x10 }, { 0, 0, 0x110 }, { 1, 0, 0x120 }, { 2, 0, 0x120 },
	{ 1, 0, 0x130 }, { 0, 0, 0x210 }, { 5, 0, 0x310 },
	{ RESULT_NO_NODE, RESULT_NO_OBJECT, RESULT_STACK_UNKNOWN }, { 7, 0, 0x310 },
	{ 0, RESULT_NO_OBJECT, RESULT_STACK_OUTSIDE },
};
static struct result_part stacks[] = {
	{ 3, 1, 0, RESULT_NO_THREAD }, { 4, 2, 1, RESULT_NO_THREAD }, { 6, 4, 2, RESULT_NO_THREAD },
	{ 8, 8, 0, RESULT_NO_THREAD }, { 9, 16, 0, RESULT_NO_THREAD },
};
static struct result_part parts[] = {
	{ 0x120, 1, 0, RESULT_NO_THREAD }, { 0x130, 2, 1, RESULT_NO_THREAD },
	{ 0x310, 12, 2, RESULT_NO_THREAD },
};
static struct result_part outside[] = { { 0, 16, 0, RESULT_NO_THREAD } };
static struct result_object object;
static struct result result;
static struct calls calls;

static int find(void *symbols, size_t of, uint64_t address, struct function *function)
{
	const size_t i = address >> 8;

	*function = (struct function){
		.start = i << 8, .end = (i + 1) << 8,
		.name = names[i], .length = (int)strlen(names[i]),
	};
	return 1;
}

FIXTURE(set_up)
{
	object = (struct result_object){
		.path = (char *)"/prog", .end = 0x1000,
		.parts = parts, .nr_parts = ARRAY_SIZE(parts),
	};
	result = (struct result){
		.rate = 100, .objects = &object, .nr_objects = 1,
		.outside_parts = outside, .nr_outside_parts = 1,
		.nodes = (struct result_node *)nodes, .nr_nodes = ARRAY_SIZE(nodes),
		.stack_parts = stacks, .nr_stack_parts = ARRAY_SIZE(stacks),
	};
	return result_sum(&result) || calls_find(&calls, &result, find, NULL, NULL);
}

FIXTURE(tear_down)
{
	calls_release(&calls);
	free(object.counts);
	return 0;
}

TEST_F(recursion_counts_once)
{
	assert_int_equal(calls.symbolized.nr_functions, 4);
	assert_string_equal(calls_name(&calls, FIB), "fib");
	assert_int_equal(calls.totals[MAIN], 1 + 2 + 4 + 16);
	assert_int_equal(calls.totals[FIB], 1 + 2);
	assert_int_equal(calls.totals[WORK], 4);
	assert_int_equal(calls.totals[BAR], 4 + 8);
	assert_int_equal(calls.totals[4 + RESULT_STACK_UNKNOWN], 8);
}

static void assert_sum(const char *name, bool callees, size_t of, uint64_t samples)
{
	bool is_found;
	struct calls_sum *sums = calls_sum_neighbours(&calls, name, callees, &is_found);

	assert_non_null(sums);
	assert_int_equal(sums[of].samples, samples);
	free(sums);
}

/* All samples of a function have one caller each, and one callee. */
static void assert_all(const char *name, uint64_t total)
{
	bool callees, is_found;

	for (callees = false; ; callees = true) {
		struct calls_sum *sums = calls_sum_neighbours(&calls, name, callees, &is_found);
		uint64_t samples = 0;
		size_t i;

		for (i = 0; i < calls.symbolized.nr_functions + CALLS_OTHERS; i++)
			samples += sums[i].samples;
		assert_int_equal(samples, total);
		free(sums);
		if (callees)
			break;
	}
}

TEST_F(callers_are_those_of_the_outermost_call)
{
	assert_sum("fib", false, MAIN, 3);
	assert_sum("fib", false, FIB, 0);
	assert_sum("_ZN3foo3barEv", false, WORK, 4);
	assert_sum("foo::bar", false, 4 + RESULT_STACK_UNKNOWN, 8);
	assert_sum("foo::bar()", false, WORK, 4);
	assert_sum("main", false, 4 + CALLS_NOBODY, 23);
}

TEST_F(callees_are_those_of_the_innermost_call)
{
	assert_sum("main", true, FIB, 3);
	assert_sum("main", true, WORK, 4);
	assert_sum("main", true, 4 + RESULT_STACK_OUTSIDE, 16);
	assert_sum("fib", true, 4 + CALLS_ITSELF, 3);
	assert_sum(RESULT_OUTSIDE, false, MAIN, 16);
}

TEST_F(neighbours_add_up)
{
	bool is_found;
	size_t i;

	for (i = 0; i < 4; i++)
		assert_all(names[i], calls.totals[i]);
	assert_null(calls_sum_neighbours(&calls, "fi", false, &is_found));
	assert_false(is_found);
}

static const struct profile_row *find_row(const struct profile *profile, const char *name)
{
	size_t i;

	for (i = 0; i < profile->nr_rows; i++)
		if (!strcmp(profile->rows[i].function, name))
			return &profile->rows[i];
	fail_msg("no row %s", name);
	return NULL;
}

TEST_F(rows_have_totals_and_the_same_samples)
{
	struct profile profile;

	assert_int_equal(profile_make(&profile, &result, find, NULL), 0);
	assert_int_equal(profile_add_totals(&profile, &calls), 0);
	assert_int_equal(profile.nr_rows, 5);
	assert_int_equal(profile.samples, 31);
	assert_int_equal(find_row(&profile, "fib")->samples, 3);
	assert_int_equal(find_row(&profile, "fib")->total, 3);
	assert_int_equal(find_row(&profile, "main")->samples, 0);
	assert_int_equal(find_row(&profile, "main")->total, 23);
	assert_int_equal(find_row(&profile, RESULT_OUTSIDE)->total, 16);
	profile_sort(&profile, PROFILE_BY_TOTAL);
	assert_string_equal(profile.rows[0].function, "main");
	profile_sort(&profile, PROFILE_BY_SAMPLES);
	assert_string_equal(profile.rows[0].function, RESULT_OUTSIDE);
	profile_release(&profile);
}

TEST_F(neighbours_are_a_profile)
{
	struct profile profile;
	bool is_found;
	struct calls_sum *sums = calls_sum_neighbours(&calls, "main", true, &is_found);

	assert_non_null(sums);
	assert_int_equal(profile_of_calls(&profile, &calls, sums), 0);
	assert_int_equal(profile.samples, 23);
	assert_int_equal(profile.nr_rows, 3);
	assert_string_equal(profile.rows[0].function, RESULT_OUTSIDE);
	assert_string_equal(profile.rows[1].function, "work");
	assert_string_equal(profile.rows[1].object, "prog");
	assert_int_equal(profile.rows[1].system, 2);
	profile_release(&profile);
	free(sums);
}

/* Two call sites of fib() in fib() are one node. */
TEST_F(calls_of_a_function_at_several_places_are_one_node)
{
	struct call_tree tree;
	uint64_t own = 0;
	size_t i;

	assert_int_equal(call_tree_make(&tree, &calls, &(struct call_tree_view){ 0 }), 0);
	assert_int_equal(tree.nr, ARRAY_SIZE(nodes) - 1);
	assert_int_equal(tree.nodes[0].samples, 23);
	assert_int_equal(tree.nodes[2].own, 2);
	assert_int_equal(tree.nodes[2].samples, 3);
	for (i = 0; i < tree.nr; i++)
		own += tree.nodes[i].own;
	assert_int_equal(own, result_samples(&result));
	call_tree_release(&tree);
}

/* A linker has folded two functions. */
static int find_folded(void *symbols, size_t of, uint64_t address, struct function *function)
{
	static const char folded[] = "alpha, _ZN3foo3barEv";

	find(symbols, of, address, function);
	function->name = folded;
	function->length = (int)strlen(folded);
	return 1;
}

TEST_F(a_folded_function_has_each_of_its_names)
{
	static const char *const wanted[] = { "alpha", "foo::bar", "foo::bar()", "_ZN3foo3barEv" };
	struct calls folded;
	bool is_found;
	size_t i;

	assert_int_equal(calls_find(&folded, &result, find_folded, NULL, NULL), 0);
	for (i = 0; i < ARRAY_SIZE(wanted); i++) {
		free(calls_sum_neighbours(&folded, wanted[i], false, &is_found));
		assert_true(is_found);
	}
	assert_null(calls_sum_neighbours(&folded, "foo::", false, &is_found));
	assert_false(is_found);
	calls_release(&folded);
}

/* The rows of a tree: "function samples" below each other, a blank for each row above */
static void assert_rows(const struct call_tree_view *view, double least, const char *expected)
{
	struct profile profile;
	struct call_tree tree;
	char *text = NULL;
	size_t length, i;
	FILE *out;

	assert_int_equal(call_tree_make(&tree, &calls, view), 0);
	assert_int_equal(tree_rows_make(&profile, &calls, &tree, view, least), 0);
	assert_int_equal(profile.samples, 31);
	out = open_memstream(&text, &length);
	for (i = 0; i < profile.nr_rows; i++)
		fprintf(out, "%*s%s %d\n", (int)profile.rows[i].depth, "",
			profile.rows[i].function, (int)profile.rows[i].samples);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
	profile_release(&profile);
	call_tree_release(&tree);
}

TEST_F(trees_have_callers_above_or_below_and_recursion_once)
{
	const struct call_tree_view callees = { .is_once = true }, all = { 0 };
	const struct call_tree_view callers = { .is_once = true, .is_callers = true };

	assert_rows(&callees, 0,
		    "main 23\n (outside all objects) 16\n work 4\n  _ZN3foo3barEv 4\n fib 3\n"
		    "[incomplete: no unwind information] 8\n _ZN3foo3barEv 8\n");
	assert_rows(&all, 14, "main 23\n (outside all objects) 16\n (2 more functions) 7\n"
			     "[incomplete: no unwind information] 8\n _ZN3foo3barEv 8\n");
	assert_rows(&callers, 20, "(outside all objects) 16\n main 16\n_ZN3foo3barEv 12\n"
				  " [incomplete: no unwind information] 8\n");
	assert_rows(&callers, 0, "(outside all objects) 16\n main 16\n_ZN3foo3barEv 12\n"
				 " [incomplete: no unwind information] 8\n work 4\n  main 4\n"
				 "fib 3\n main 3\n");
}

TEST_F(rows_of_functions_and_callers_have_all_samples)
{
	const struct call_tree_view view = { .is_once = true, .is_callers = true, .depth = 2 };
	struct profile profile;
	struct call_tree tree;
	uint64_t samples = 0;
	size_t i;

	assert_int_equal(call_tree_make(&tree, &calls, &view), 0);
	assert_int_equal(tree_rows_make_pairs(&profile, &calls, &tree), 0);
	assert_int_equal(profile.nr_rows, 4);
	for (i = 0; i < profile.nr_rows; i++)
		samples += profile.rows[i].samples;
	assert_int_equal(samples, 31);
	assert_string_equal(profile.rows[2].function, "_ZN3foo3barEv");
	assert_string_equal(profile.rows[2].caller, "work");
	assert_int_equal(profile.rows[2].system, 2);
	assert_string_equal(find_row(&profile, "fib")->caller, "main");
	profile_release(&profile);
	call_tree_release(&tree);
}
