// SPDX-License-Identifier: GPL-2.0-only
/*
 * The call stacks of a result: what is done with results is done with them, too.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include <result/fold.h>
#include <result/merge.h>
#include <result/select.h>
#include <result/stacks.h>
#include <result/subtract.h>

#include "support/test.h"

static struct result result, other;

static void *copy(const void *from, size_t bytes)
{
	void *to = malloc(bytes);

	assert_non_null(to);
	return memcpy(to, from, bytes);
}

#define COPY(array)	copy(array, sizeof(array))

static void set_object(struct result_object *object, const char *path, struct result_part *parts,
		       size_t nr)
{
	*object = (struct result_object){
		.path = strdup(path), .start = 0x100, .end = 0x1000, .parts = parts, .nr_parts = nr,
	};
}

/*
 * A program with two threads: main() at /prog 0x200 calls work() at 0x300, and this write() at
 * /libc 0x400. The second thread does the last one, too; who has called it is not known.
 */
static void make(struct result *made)
{
	static char *argv[] = { (char *)"prog", NULL };
	const struct result_process process = { .program = strdup("/prog") };
	const struct result_thread threads[] = { { .tid = 5 }, { .tid = 6 } };
	const struct result_part in_libc[] = { { 0x400, 4, 3, 0 }, { 0x400, 2, 2, 1 } };
	const struct result_part in_prog[] = { { 0x300, 10, 1, 0 } };
	const struct result_node nodes[] = {
		{ RESULT_NO_NODE, 1, 0x200 }, { 0, 1, 0x300 }, { 1, 0, 0x400 },
		{ RESULT_NO_NODE, RESULT_NO_OBJECT, RESULT_STACK_CUT }, { 3, 0, 0x400 },
	};
	const struct result_part stacks[] = { { 1, 10, 1, 0 }, { 2, 4, 3, 0 }, { 4, 2, 2, 1 } };

	*made = (struct result){
		.argv = result_copy_argv(argv), .host = strdup("host"), .kernel = strdup("6.12"),
		.rate = 100, .requested_rate = 100,
		.objects = calloc(2, sizeof(struct result_object)), .nr_objects = 2,
		.processes = copy(&process, sizeof(process)), .nr_processes = 1,
		.threads = COPY(threads), .nr_threads = 2,
		.nodes = COPY(nodes), .nr_nodes = ARRAY_SIZE(nodes),
		.stack_parts = COPY(stacks), .nr_stack_parts = ARRAY_SIZE(stacks),
	};
	set_object(&made->objects[0], "/libc", COPY(in_libc), ARRAY_SIZE(in_libc));
	set_object(&made->objects[1], "/prog", COPY(in_prog), ARRAY_SIZE(in_prog));
	assert_int_equal(result_sum(made), 0);
	assert_string_equal(result_problem(made) ? : "none", "none");
}

FIXTURE(set_up)
{
	make(&result);
	make(&other);
	return 0;
}

FIXTURE(tear_down)
{
	result_release(&result);
	result_release(&other);
	return 0;
}

static uint64_t samples_of_stacks(const struct result *of)
{
	uint64_t samples = 0;
	size_t i;

	for (i = 0; i < of->nr_stack_parts; i++)
		samples += of->stack_parts[i].samples;
	return samples;
}

/* Each sample has a stack, before and after what is done with a result. */
static void assert_same_totals(const struct result *of)
{
	assert_string_equal(result_problem(of) ? : "none", "none");
	assert_int_equal(samples_of_stacks(of), result_samples(of));
}

/* Find the samples of stacks that end in an object. */
static uint64_t samples_in(const struct result *of, const char *path)
{
	uint64_t samples = 0;
	size_t i;

	for (i = 0; i < of->nr_stack_parts; i++) {
		const struct result_node *node = &of->nodes[of->stack_parts[i].address];

		if (node->object != RESULT_NO_OBJECT &&
		    !strcmp(of->objects[node->object].path, path))
			samples += of->stack_parts[i].samples;
	}
	return samples;
}

TEST_F(the_root_says_why_a_stack_is_incomplete)
{
	size_t outermost;

	assert_int_equal(result_stack_why(&result, 2, &outermost), RESULT_STACK_COMPLETE);
	assert_int_equal(outermost, 0);
	assert_int_equal(result_stack_why(&result, 4, &outermost), RESULT_STACK_CUT);
	assert_int_equal(outermost, 4);
	assert_same_totals(&result);
}

TEST_F(nodes_follow_their_objects)
{
	strcpy(result.objects[0].path, "/zzzz");
	assert_int_equal(result_sort_objects(&result), 0);
	assert_string_equal(result.objects[1].path, "/zzzz");
	assert_int_equal(samples_in(&result, "/zzzz"), 6);
	assert_int_equal(samples_in(&result, "/prog"), 10);
	assert_same_totals(&result);
}

TEST_F(nodes_of_removed_objects_are_outside)
{
	result_stacks_mark(&result);
	result_release_object(&result.objects[1]);
	result.nr_objects = 1;
	assert_int_equal(result_stacks_follow(&result, 2), 0);
	assert_int_equal(result.nodes[1].object, RESULT_NO_OBJECT);
	assert_int_equal(result.nodes[1].address, RESULT_STACK_OUTSIDE);
	assert_int_equal(samples_in(&result, "/libc"), 6);
	assert_null(result_stacks_problem(&result));
}

TEST_F(equal_stacks_of_two_results_become_one)
{
	char why[MERGE_WHY];

	/* of the other, main() is called at another place, and a library is before the others */
	other.nodes[0].address = 0x208;
	strcpy(other.objects[0].path, "/aaaa");
	assert_int_equal(merge_add(&result, &other, why), 0);
	assert_int_equal(result.nr_objects, 3);
	/* 5 and 5, without the reason, which both have */
	assert_int_equal(result.nr_nodes, 9);
	assert_int_equal(samples_in(&result, "/prog"), 20);
	assert_int_equal(samples_in(&result, "/libc"), 6);
	assert_int_equal(samples_in(&result, "/aaaa"), 6);
	assert_same_totals(&result);
}

TEST_F(the_same_result_twice_has_the_same_nodes)
{
	char why[MERGE_WHY];

	assert_int_equal(merge_add(&result, &other, why), 0);
	assert_int_equal(result.nr_nodes, 5);
	/* the threads are others */
	assert_int_equal(result.nr_stack_parts, 6);
	assert_same_totals(&result);
}

TEST_F(a_sum_has_stacks_if_both_have)
{
	char why[MERGE_WHY];

	assert_true(result_stacks_drop(&other));
	assert_int_equal(merge_add(&result, &other, why), 0);
	assert_int_equal(result.nr_nodes, 0);
	assert_int_equal(result.nr_stack_parts, 0);
	assert_int_equal(result_samples(&result), 32);
}

TEST_F(stacks_are_selected_by_thread)
{
	const struct selection selection = { .thread = "6" };

	assert_int_equal(result_select(&result, &selection), 0);
	assert_int_equal(result_samples(&result), 2);
	assert_same_totals(&result);
}

TEST_F(stacks_are_selected_by_the_object_of_the_sample)
{
	const struct selection selection = { .object = "libc" };

	assert_int_equal(result_select(&result, &selection), 0);
	assert_int_equal(result_samples(&result), 6);
	assert_int_equal(samples_in(&result, "/libc"), 6);
	assert_same_totals(&result);
}

TEST_F(an_interval_has_the_stacks_since)
{
	other.stack_parts[0].samples = other.objects[1].parts[0].samples = 7;
	assert_int_equal(result_sum(&other), 0);
	assert_int_equal(result_subtract(&result, &other), 0);
	assert_int_equal(result_samples(&result), 3);
	assert_int_equal(samples_in(&result, "/prog"), 3);
	assert_same_totals(&result);
}

TEST_F(folded_threads_keep_their_stacks)
{
	assert_int_equal(fold_threads_of(&result, 0, 1), 0);
	assert_int_equal(result.nr_threads, 1);
	assert_int_equal(result.stack_parts[2].thread, RESULT_NO_THREAD);
	assert_same_totals(&result);
}

/* Rather than names of functions, or places of samples */
TEST_F(a_result_that_is_too_large_loses_its_stacks)
{
	int i;

	for (i = 0; i < 4 && result.nr_nodes; i++)
		assert_int_equal(fold_result(&result, 1000, 500), 0);
	assert_int_equal(result.nr_nodes, 0);
	assert_int_equal(result_samples(&result), 16);
	assert_int_equal(result.outside, 0);
}

TEST_F(damaged_stacks_are_refused)
{
	static const struct result_node damaged[] = {
		{ 2, 0, 0x400 }, { 3, 0, 0x400 }, { 0, 2, 0x400 },
		{ 0, RESULT_NO_OBJECT, RESULT_NR_STACK },
	};
	const struct result_node was = result.nodes[2];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(damaged); i++) {
		result.nodes[2] = damaged[i];
		assert_non_null(result_problem(&result));
	}
	result.nodes[2] = was;
	result.stack_parts[2].address = 5;
	assert_non_null(result_problem(&result));
	result.stack_parts[2].address = 1;
	assert_non_null(result_problem(&result));
}

/* Views take time for each node of each stack. */
TEST_F(stacks_that_are_too_deep_are_refused)
{
	const size_t nr = RESULT_MAX_DEPTH + 1;
	size_t i;

	free(result.nodes);
	result.nodes = calloc(nr, sizeof(*result.nodes));
	for (i = 0; i < nr; i++)
		result.nodes[i] = (struct result_node){ i ? (uint32_t)i - 1 : RESULT_NO_NODE };
	result.nr_nodes = nr - 1;
	assert_null(result_problem(&result));
	result.nr_nodes = nr;
	assert_string_equal(result_problem(&result), "a stack is too deep");
}
