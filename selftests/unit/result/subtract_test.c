// SPDX-License-Identifier: GPL-2.0-only
/*
 * The samples of a part of a run (result/subtract.h).
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include <result/subtract.h>

#include "support/test.h"

#define MOVED	0x1000	/* by how much a function of made code is elsewhere later */

static void add_part(struct result_part **parts, size_t *nr, const struct result_part *part)
{
	*parts = reallocarray(*parts, *nr + 1, sizeof(**parts));
	assert_non_null(*parts);
	(*parts)[(*nr)++] = *part;
}

static void set_object(struct result_object *object, const char *path)
{
	object->path = strdup(path);
	object->end = UINT64_MAX - 1;
}

/* A thread, and objects "/a", "/b" and "[jit]", without samples. The last has a function. */
static void make(struct result *result, uint64_t made_at, uint64_t elapsed_ns)
{
	struct result_object *made;

	memset(result, 0, sizeof(*result));
	result->start_time_ns = 1000;
	result->elapsed_ns = elapsed_ns;
	result->processes = calloc(1, sizeof(*result->processes));
	result->nr_processes = 1;
	result->threads = calloc(2, sizeof(*result->threads));
	result->nr_threads = 2;
	result->objects = calloc(3, sizeof(*result->objects));
	result->nr_objects = 3;
	set_object(&result->objects[0], "/a");
	set_object(&result->objects[1], "/b");
	set_object(&result->objects[2], "[jit]");
	made = &result->objects[2];
	made->functions = calloc(1, sizeof(*made->functions));
	made->nr_functions = 1;
	made->functions[0] = (struct result_function){
		.start = made_at, .end = made_at + 0x100, .name = strdup("made"),
	};
}

static void add(struct result *result, size_t object, struct result_part part)
{
	add_part(&result->objects[object].parts, &result->objects[object].nr_parts, &part);
}

TEST(parts_of_each_thread_are_subtracted)
{
	struct result before, result;

	make(&before, 0, 10);
	make(&result, 0, 15);
	add(&before, 0, (struct result_part){ .address = 1, .samples = 3, .system = 1 });
	add(&before, 0, (struct result_part){ .address = 2, .samples = 4 });
	add(&result, 0, (struct result_part){ .address = 1, .samples = 5, .system = 2 });
	add(&result, 0, (struct result_part){ .address = 1, .samples = 6, .thread = 1 });
	add(&result, 0, (struct result_part){ .address = 2, .samples = 4 });
	add(&result, 1, (struct result_part){ .address = 9, .samples = 7 });
	add_part(&before.outside_parts, &before.nr_outside_parts,
		 &(struct result_part){ .samples = 1 });
	add_part(&result.outside_parts, &result.nr_outside_parts,
		 &(struct result_part){ .samples = 9 });
	assert_int_equal(result_subtract(&result, &before), 0);
	/* what is as before is not there */
	assert_int_equal(result.objects[0].nr_parts, 2);
	assert_int_equal(result.objects[0].parts[0].samples, 2);
	assert_int_equal(result.objects[0].parts[0].system, 1);
	assert_int_equal(result.objects[0].parts[1].samples, 6);
	assert_int_equal(result.objects[0].samples, 8);
	assert_int_equal(result.objects[1].samples, 7);
	assert_int_equal(result.outside, 8);
	assert_int_equal(result.threads[0].samples, 2 + 7 + 8);
	assert_int_equal(result.start_time_ns, 1010);
	assert_int_equal(result.elapsed_ns, 5);
	result_release(&before);
	result_release(&result);
}

/* It is found by name. Samples with a new name are not subtracted from others. */
TEST(made_code_is_subtracted_where_it_is_now)
{
	struct result before, result;

	make(&before, 0x2000, 10);
	make(&result, 0x2000 + MOVED, 15);
	add(&before, 2, (struct result_part){ .address = 0x10, .samples = 8 });
	add(&before, 2, (struct result_part){ .address = 0x2004, .samples = 3 });
	add(&result, 2, (struct result_part){ .address = 0x10, .samples = 2 });
	add(&result, 2, (struct result_part){ .address = 0x2004 + MOVED, .samples = 5 });
	assert_int_equal(result_subtract(&result, &before), 0);
	assert_int_equal(result.objects[2].nr_parts, 1);
	assert_int_equal(result.objects[2].parts[0].address, 0x2004 + MOVED);
	assert_int_equal(result.objects[2].parts[0].samples, 2);
	result_release(&before);
	result_release(&result);
}

/* The thread is still in the list, without a process: what it had is that of no thread. */
TEST(parts_of_a_folded_thread_are_subtracted)
{
	struct result before, result;

	make(&before, 0, 10);
	make(&result, 0, 15);
	add(&before, 0, (struct result_part){ .address = 1, .samples = 3 });
	add(&before, 0, (struct result_part){ .address = 1, .samples = 5, .thread = 1 });
	result.threads[1].process = RESULT_NO_PROCESS;
	result.folded_threads = 1;
	add(&result, 0, (struct result_part){ .address = 1, .samples = 4 });
	add(&result, 0, (struct result_part){
		.address = 1, .samples = 7, .thread = RESULT_NO_THREAD });
	assert_int_equal(result_subtract(&result, &before), 0);
	assert_int_equal(result.objects[0].nr_parts, 2);
	assert_int_equal(result.objects[0].parts[0].samples, 1);
	assert_int_equal(result.objects[0].parts[1].samples, 2);
	result_release(&result);
	result_release(&before);
}
