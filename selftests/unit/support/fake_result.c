// SPDX-License-Identifier: GPL-2.0-only
/*
 * A result with a value in each field.
 */
#include <stdlib.h>
#include <string.h>

#include "support/fake_result.h"
#include "support/test.h"

void fake_result(struct result *result)
{
	static const struct result figures = {
		.start_time_ns = 1795000000123456789,
		.elapsed_ns = 4567,
		.status = 2 << 8,
		.pid = 100,
		.clock = 2,
		.rate = 997,
		.requested_rate = 1000,
		.text_bytes = 4,
		.program_cpu_ns = 1000000000,
		.children_cpu_ns = 2000000000,
		.outside = 3,
		.lost = 7,
		.fork_failures = 2,
		.nr_objects = 2,
		.nr_processes = 2,
		.unlisted_processes = 9,
	};
	static const struct result_count first[] = {
		{ 0x1000, 5 }, { 0x1ff8, 1 }, { 0x1ffc, 300 },
	};
	static const struct result_count second[] = {
		{ UINT64_MAX - 7, 2 },
	};

	*result = figures;
	result->argv = calloc(4, sizeof(*result->argv));
	result->argv[0] = strdup("perl");
	result->argv[1] = strdup("");
	result->argv[2] = strdup("\xff\n");
	result->host = strdup("host");
	result->kernel = strdup("6.1.0 x86_64");

	result->objects = calloc(2, sizeof(*result->objects));
	result->objects[0] = (struct result_object){
		.path = strdup("/bin/perl"),
		.build_id = { 1, 2, 0, 4 },
		.build_id_bytes = 4,
		.start = 0x1000,
		.end = 0x2000,
		.bias = 0x555555554000,
		.counts = malloc(sizeof(first)),
		.nr_counts = 3,
		.samples = 306,
	};
	memcpy(result->objects[0].counts, first, sizeof(first));
	result->objects[1] = (struct result_object){
		.path = strdup("[vdso]"),
		.start = UINT64_MAX - 15,
		.end = UINT64_MAX,
		.bias = (uint64_t)-4096,
		.counts = malloc(sizeof(second)),
		.nr_counts = 1,
		.samples = 2,
	};
	memcpy(result->objects[1].counts, second, sizeof(second));

	result->processes = calloc(2, sizeof(*result->processes));
	result->processes[0] = (struct result_process){
		.pid = 100,
		.parent = 99,
		.program = strdup("/bin/perl"),
		.has_ended = true,
		.start_cpu_ns = 11,
		.cpu_ns = 22,
		.samples = 33,
	};
	result->processes[1] = (struct result_process){
		.pid = 101,
		.parent = 100,
		.program = strdup("/bin/perl"),
		.is_fork = true,
	};
	result->unprofiled = calloc(1, sizeof(*result->unprofiled));
	result->unprofiled[0] = (struct result_unprofiled){
		.program = strdup("/bin/static"),
		.processes = 3,
		.cpu_ns = 44,
	};
	result->nr_unprofiled = 1;
	result_find_mean_rate(result);
}

/* Compare two structures, except a pointer in each, which the caller compares */
#define ASSERT_SAME(type, a, b, pointer)				\
	do {								\
		struct type left = *(a), right = *(b);			\
									\
		left.pointer = right.pointer = NULL;			\
		assert_memory_equal(&left, &right, sizeof(left));	\
	} while (0)

static void assert_same_object(const struct result_object *a,
			       const struct result_object *b)
{
	struct result_object other = *b;

	assert_string_equal(a->path, b->path);
	assert_memory_equal(a->counts, b->counts, a->nr_counts * sizeof(*a->counts));
	other.path = a->path;
	ASSERT_SAME(result_object, a, &other, counts);
}

void assert_same_result(const struct result *a, const struct result *b)
{
	struct result other = *b;
	size_t i;

	for (i = 0; a->argv[i] && b->argv[i]; i++)
		assert_string_equal(a->argv[i], b->argv[i]);
	assert_ptr_equal(a->argv[i], b->argv[i]);
	assert_string_equal(a->host, b->host);
	assert_string_equal(a->kernel, b->kernel);
	assert_int_equal(a->nr_objects, b->nr_objects);
	for (i = 0; i < a->nr_objects; i++)
		assert_same_object(&a->objects[i], &b->objects[i]);
	assert_int_equal(a->nr_processes, b->nr_processes);
	for (i = 0; i < a->nr_processes; i++) {
		assert_string_equal(a->processes[i].program, b->processes[i].program);
		ASSERT_SAME(result_process, &a->processes[i], &b->processes[i], program);
	}
	assert_int_equal(a->nr_unprofiled, b->nr_unprofiled);
	for (i = 0; i < a->nr_unprofiled; i++) {
		assert_string_equal(a->unprofiled[i].program, b->unprofiled[i].program);
		ASSERT_SAME(result_unprofiled, &a->unprofiled[i], &b->unprofiled[i], program);
	}
	other.unprofiled = a->unprofiled;
	other.argv = a->argv;
	other.host = a->host;
	other.kernel = a->kernel;
	other.objects = a->objects;
	ASSERT_SAME(result, a, &other, processes);
}
