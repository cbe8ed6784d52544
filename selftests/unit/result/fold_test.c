// SPDX-License-Identifier: GPL-2.0-only
/*
 * A result is folded until it fits, and has all of its samples.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <result/fold.h>
#include <result/resultfile.h>
#include <result/resultpack.h>
#include <result/select.h>

#include "support/test.h"

#define OBJECTS	3	/* "/a" with names, "/b", and "[jit]" with functions */
#define ADDRESSES	50

static char *text(const char *format, size_t number)
{
	char *made;

	assert_true(asprintf(&made, format, number) > 0);
	return made;
}

static char **command(size_t bytes)
{
	char *argv[] = { calloc(bytes + 1, 1), NULL };
	char **copy;

	memset(argv[0], 'x', bytes);
	copy = result_copy_argv(argv);
	free(argv[0]);
	return copy;
}

static void name(struct result_object *object, size_t nr)
{
	size_t i;

	object->functions = calloc(nr, sizeof(*object->functions));
	object->nr_functions = nr;
	for (i = 0; i < nr; i++)
		object->functions[i] = (struct result_function){
			.start = 16 * i, .end = 16 * i + 16, .name = text("function_%zu", i),
		};
	if (!result_is_file(object))
		return;
	object->has_names = true;
	object->places = calloc(nr, sizeof(*object->places));
	object->nr_places = nr;
	for (i = 0; i < nr; i++)
		object->places[i] = (struct result_place){
			.address = 16 * i, .function = (uint32_t)i,
		};
}

/* Each object has @nr addresses, with samples of each thread: the later, the more. */
static struct result make(size_t nr_threads, size_t nr, size_t nr_processes, size_t bytes)
{
	static const char *const paths[OBJECTS] = { "/a", "/b", "[jit]" };
	struct result result = {
		.argv = command(4), .host = strdup("host"), .kernel = strdup("Linux"), .rate = 100,
		.requested_rate = 100,
		.processes = calloc(nr_processes, sizeof(*result.processes)),
		.nr_processes = nr_processes,
		.threads = calloc(nr_threads, sizeof(*result.threads)), .nr_threads = nr_threads,
		.objects = calloc(OBJECTS, sizeof(*result.objects)), .nr_objects = OBJECTS,
		.strings = calloc(2, sizeof(char *)), .nr_strings = 1,
	};
	size_t i, j, k;

	result.strings[0] = strdup("");
	for (i = 0; i < nr_processes; i++)
		result.processes[i] = (struct result_process){
			.pid = (int)i, .program = text("/program_%zu", i), .argv = command(bytes),
			.has_ended = true, .cpu_ns = 1000,
		};
	for (i = 0; i < nr_threads; i++)
		result.threads[i] = (struct result_thread){
			.process = (uint32_t)(i % nr_processes), .tid = (int)i + 1, .name = strdup("t"),
		};
	for (k = 0; k < OBJECTS; k++) {
		struct result_object *object = &result.objects[k];

		*object = (struct result_object){
			.path = strdup(paths[k]), .end = 16 * nr,
			.parts = calloc(nr * nr_threads, sizeof(*object->parts)),
			.nr_parts = nr * nr_threads,
		};
		for (i = 0; i < nr; i++)
			for (j = 0; j < nr_threads; j++)
				object->parts[i * nr_threads + j] = (struct result_part){
					.address = 16 * i, .samples = 1 + i + j, .system = 1,
					.thread = (uint32_t)j,
				};
		if (k != 1)
			name(object, nr);
	}
	assert_int_equal(result_sum(&result), 0);
	assert_string_equal(result_problem(&result) ? : "none", "none");
	return result;
}

static size_t message_bytes(const struct result *result)
{
	unsigned char *message;
	size_t bytes;

	assert_int_equal(resultpack_pack(result, &message, &bytes), 0);
	free(message);
	return bytes;
}

static uint64_t sum_cpu(const struct result *result)
{
	uint64_t cpu_ns = result->unlisted_cpu_ns;
	size_t i;

	for (i = 0; i < result->nr_processes; i++)
		cpu_ns += result->processes[i].cpu_ns;
	return cpu_ns;
}

TEST(thread_with_fewest_samples_is_folded_first)
{
	struct result result = make(3, 2, 2, 1);
	const uint64_t samples = result_samples(&result), most = result.threads[2].samples;

	assert_int_equal(fold_threads_of(&result, 0, 1), 0);
	assert_int_equal(result_sum(&result), 0);
	assert_null(result_problem(&result));
	assert_int_equal(result.folded_threads, 1);
	assert_int_equal(result.nr_threads, 2);
	assert_int_equal(result.threads[1].tid, 3);
	assert_int_equal(result.threads[1].samples, most);
	assert_int_equal(result.objects[0].parts[2].thread, RESULT_NO_THREAD);
	assert_int_equal(result_samples(&result), samples);
	result_release(&result);
}

/* The result is valid and has all samples and CPU time at each step, down to the smallest one. */
TEST(all_is_kept_at_each_step)
{
	struct result result = make(20, 8 * ADDRESSES, 30, 100);
	const uint64_t samples = result_samples(&result), cpu_ns = sum_cpu(&result);
	const uint64_t system = result_system_samples(&result);
	size_t bytes = message_bytes(&result), before;
	int error;

	do {
		before = bytes;
		error = fold_result(&result, bytes, bytes - 1);
		assert_string_equal(result_problem(&result) ? : "none", "none");
		assert_int_equal(result_samples(&result), samples);
		assert_int_equal(result_system_samples(&result), system);
		assert_int_equal(sum_cpu(&result), cpu_ns);
		/* command lines go before samples */
		assert_true(!result.folded_samples || !result.processes[0].argv);
		bytes = message_bytes(&result);
		assert_true(error || bytes < before);
	} while (!error);
	assert_int_equal(error, -EMSGSIZE);
	assert_int_equal(result.nr_threads, 0);
	assert_int_equal(result.folded_threads, 20);
	assert_int_equal(result.nr_processes, 1);
	assert_int_equal(result.unlisted_processes, 29);
	assert_int_equal(result.folded_samples, samples);
	assert_int_equal(result.outside, samples);
	assert_true(bytes < 200);
	result_release(&result);
}

/* Each of these is larger than 32 MiB: parts of threads, and command lines. */
TEST(large_results_are_written)
{
	static const struct {
		size_t threads, addresses, processes, bytes;
	} cases[] = {
		{ 1600, 1600, 1, 1 },
		{ 1, 1, 36000, 1000 },
	};
	struct result result, read_back;
	uint64_t samples;
	const char *why;
	char *left;
	size_t i;

	for (i = 0; i < 2; i++) {
		result = make(cases[i].threads, cases[i].addresses, cases[i].processes,
			      cases[i].bytes);
		samples = result_samples(&result);
		assert_true(message_bytes(&result) > 32 << 20);
		assert_int_equal(resultfile_write("fold.out", &result, &left, NULL), 0);
		/* not much more than necessary is folded: at most one of 16 parts too many */
		assert_in_range(message_bytes(&result), i ? 512 << 10 : 24 << 20, 32 << 20);
		assert_int_equal(resultfile_read("fold.out", &read_back, &why), 0);
		assert_int_equal(result_samples(&read_back), samples);
		assert_int_equal(read_back.folded_threads, result.folded_threads);
		result_release(&result);
		result_release(&read_back);
	}
	unlink("fold.out");
}
