// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sums of results.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <result/merge.h>
#include <result/select.h>

#include "support/filled_result.h"
#include "support/test.h"

static struct result sum, more;
static char why[MERGE_WHY];

FIXTURE(tear_down)
{
	result_release(&sum);
	result_release(&more);
	return 0;
}

static void *copy(const void *from, size_t bytes)
{
	void *to = malloc(bytes);

	assert_non_null(to);
	return memcpy(to, from, bytes);
}

/* A result with one process, one thread and no object */
static void make(struct result *result)
{
	static char *argv[] = { (char *)"command", NULL };
	const struct result_process process = { .program = strdup("/bin/program") };
	const struct result_thread thread = { .tid = 5 };

	*result = (struct result){
		.argv = result_copy_argv(argv), .host = strdup("host"), .kernel = strdup("6.12"),
		.start_time_ns = 1000, .rate = 100, .requested_rate = 100,
		.objects = calloc(2, sizeof(struct result_object)),
		.processes = copy(&process, sizeof(process)), .nr_processes = 1,
		.threads = copy(&thread, sizeof(thread)), .nr_threads = 1,
	};
}

FIXTURE(set_up)
{
	make(&sum);
	make(&more);
	return 0;
}

/* Add an object with samples at two addresses. */
static struct result_object *add_object(struct result *result, const char *path, char id,
					uint64_t first, uint64_t second)
{
	const struct result_part parts[] = { { first, 3, 1, 0 }, { second, 5, 0, 0 } };
	struct result_object *object = &result->objects[result->nr_objects++];

	*object = (struct result_object){
		.path = strdup(path), .build_id = { (unsigned char)id }, .build_id_bytes = !!id,
		.end = 0x1000, .parts = copy(parts, sizeof(parts)), .nr_parts = ARRAY_SIZE(parts),
	};
	return object;
}

/* Add a function to an object. */
static void add_function(struct result_object *object, const char *name, uint64_t start,
			 uint64_t end)
{
	object->functions = reallocarray(object->functions, object->nr_functions + 1,
					 sizeof(*object->functions));
	assert_non_null(object->functions);
	object->functions[object->nr_functions++] = (struct result_function){
		.start = start, .end = end, .name = strdup(name),
	};
}

/*
 * Give an object names: its two addresses are in the functions @a and @b, and the second one is in
 * the source file with this index.
 */
static void add_names(struct result_object *object, uint32_t a, uint32_t b, uint32_t file)
{
	const struct result_frame frame = { .file = file, .line = 7 };
	const struct result_place places[] = {
		{ .address = object->parts[0].address, .function = a },
		{ .address = object->parts[1].address, .function = b, .nr_frames = 1 },
	};

	object->has_names = true;
	object->places = copy(places, sizeof(places));
	object->nr_places = ARRAY_SIZE(places);
	object->frames = copy(&frame, sizeof(frame));
	object->nr_frames = 1;
}

/* Give a result the texts "" and @text. */
static void add_text(struct result *result, const char *text)
{
	result->strings = calloc(3, sizeof(*result->strings));
	assert_non_null(result->strings);
	result->strings[0] = strdup("");
	result->strings[1] = strdup(text);
	result->nr_strings = 2;
}

static void add(void)
{
	assert_int_equal(result_sum(&sum) | result_sum(&more), 0);
	assert_null(result_problem(&sum));
	assert_null(result_problem(&more));
	assert_int_equal(merge_add(&sum, &more, why), 0);
	assert_null(result_problem(&sum));
}

/* A result with a value in each field, twice: what both have is doubled, all else is listed. */
TEST_WITH(every_field, NULL, tear_down)
{
	struct result once;
	size_t i, j;

	fill_result(&sum);
	fill_result(&more);
	fill_result(&once);
	assert_int_equal(result_sum(&once), 0);
	add();
	assert_int_equal(result_samples(&sum), 2 * result_samples(&once));
	assert_int_equal(result_system_samples(&sum), 2 * result_system_samples(&once));
	assert_int_equal(sum.nr_objects, once.nr_objects);
	for (i = 0; i < once.nr_objects; i++) {
		assert_int_equal(sum.objects[i].nr_counts, once.objects[i].nr_counts);
		assert_int_equal(sum.objects[i].nr_functions, once.objects[i].nr_functions);
		assert_int_equal(sum.objects[i].nr_frames, once.objects[i].nr_frames);
		for (j = 0; j < once.objects[i].nr_counts; j++)
			assert_int_equal(sum.objects[i].counts[j].samples,
					 2 * once.objects[i].counts[j].samples);
	}
	assert_int_equal(sum.nr_strings, once.nr_strings);
	assert_int_equal(sum.nr_processes, 2 * once.nr_processes);
	assert_int_equal(sum.nr_threads, 2 * once.nr_threads);
	assert_int_equal(sum.threads[once.nr_threads].samples, once.threads[0].samples);
	assert_int_equal(sum.threads[once.nr_threads].process,
			 once.threads[0].process + once.nr_processes);
	assert_int_equal(sum.nr_unprofiled, once.nr_unprofiled);
	assert_int_equal(sum.unprofiled[0].cpu_ns, 2 * once.unprofiled[0].cpu_ns);
	assert_int_equal(sum.elapsed_ns, 2 * once.elapsed_ns);
	assert_int_equal(sum.lost, 2 * once.lost);
	assert_int_equal(sum.lost_records, 2 * once.lost_records);
	assert_int_equal(sum.skipped, 2 * once.skipped);
	assert_int_equal(sum.fork_failures, 2 * once.fork_failures);
	assert_int_equal(sum.unlisted_cpu_ns, 2 * once.unlisted_cpu_ns);
	assert_int_equal(sum.program_cpu_ns + sum.children_cpu_ns,
			 2 * (once.program_cpu_ns + once.children_cpu_ns));
	assert_string_equal(sum.host, once.host);
	assert_string_equal(sum.cgroup, once.cgroup);
	result_release(&once);
}

TEST_F(build_id_tells_what_is_the_same)
{
	add_object(&sum, "/usr/lib/x", 1, 0x100, 0x200);
	add_object(&more, "/lib/x", 1, 0x200, 0x300);
	add_object(&more, "/usr/lib/x", 2, 0x100, 0x200);
	free(more.host);
	more.host = strdup("other");
	add();
	assert_int_equal(sum.nr_objects, 2);
	assert_string_equal(sum.objects[0].path, "/usr/lib/x");
	assert_int_equal(sum.objects[0].build_id[0], 1);
	assert_int_equal(sum.objects[0].nr_counts, 3);
	assert_int_equal(sum.objects[0].counts[1].address, 0x200);
	assert_int_equal(sum.objects[0].counts[1].samples, 5 + 3);
	assert_int_equal(sum.objects[0].counts[1].system, 1);
	assert_int_equal(sum.objects[1].samples, 8);
	assert_string_equal(sum.host, "host, other");
}

TEST_F(files_without_a_build_id)
{
	add_object(&sum, "/x", 0, 0x100, 0x200)->mtime_ns = 7;
	add_object(&more, "/x", 0, 0x100, 0x200)->mtime_ns = 7;
	add_object(&more, "/x", 0, 0x100, 0x200)->mtime_ns = 8;
	add();
	assert_int_equal(sum.nr_objects, 2);
	assert_int_equal(sum.objects[0].samples, 16);
	assert_int_equal(sum.objects[1].samples, 8);
}

/* The names of an address are those of either result. */
TEST_F(names_add_up)
{
	struct result_object *object;

	add_text(&sum, "x.c");
	add_text(&more, "other.c");
	object = add_object(&sum, "/x", 1, 0x100, 0x200);
	add_function(object, "a", 0x100, 0x180);
	add_function(object, "c", 0x200, 0x280);
	add_names(object, 0, 1, 1);
	object = add_object(&more, "/x", 1, 0x190, 0x208);
	add_function(object, "b", 0x180, 0x1a0);
	add_function(object, "c", 0x200, 0x280);
	add_names(object, 0, 1, 1);
	add();
	object = &sum.objects[0];
	assert_int_equal(object->nr_functions, 3);
	assert_int_equal(object->nr_places, 4);
	assert_string_equal(object->functions[object->places[0].function].name, "a");
	assert_string_equal(object->functions[object->places[1].function].name, "b");
	assert_string_equal(object->functions[object->places[2].function].name, "c");
	assert_string_equal(object->functions[object->places[3].function].name, "c");
	assert_int_equal(object->nr_frames, 2);
	assert_string_equal(sum.strings[object->frames[object->places[2].frame].file], "x.c");
	assert_string_equal(sum.strings[object->frames[object->places[3].frame].file], "other.c");
}

/* If one of the results has no names, its addresses have none. */
TEST_F(names_of_one)
{
	struct result_object *object;

	add_object(&sum, "/x", 1, 0x100, 0x200);
	add_text(&more, "x.c");
	object = add_object(&more, "/x", 1, 0x200, 0x300);
	add_function(object, "f", 0x200, 0x301);
	add_names(object, 0, 0, 0);
	add();
	object = &sum.objects[0];
	assert_true(object->has_names);
	assert_int_equal(object->nr_places, 3);
	assert_int_equal(object->places[0].function, RESULT_NO_FUNCTION);
	assert_int_equal(object->places[1].function, 0);
}

/* Made code has other addresses in each run: the same name is the same code. */
TEST_F(made_code)
{
	struct result_object *object;

	object = add_object(&sum, "[jit]", 0, 0x100, 0x200);
	add_function(object, "hot", 0x100, 0x110);
	add_function(object, "warm", 0x200, 0x210);
	object = add_object(&more, "[jit]", 0, 0x108, 0x300);
	add_function(object, "cold", 0x100, 0x110);
	add_function(object, "hot", 0x2f8, 0x310);
	add();
	object = &sum.objects[0];
	assert_int_equal(object->nr_functions, 3);
	assert_string_equal(object->functions[0].name, "hot");
	assert_string_equal(object->functions[2].name, "cold");
	assert_int_equal(object->nr_counts, 4);
	/* 8 bytes after the start of hot */
	assert_int_equal(object->counts[1].address, 0x108);
	assert_int_equal(object->counts[1].samples, 5);
	assert_ptr_equal(result_find_function(object, object->counts[3].address),
			 &object->functions[2]);
	assert_int_equal(object->counts[3].samples, 3);
}

TEST_F(what_cannot_be_added)
{
	more.rate = 250;
	assert_int_equal(merge_add(&sum, &more, why), -EINVAL);
	assert_non_null(strstr(why, "taken at 250 Hz, those before at 100 Hz"));
	more.rate = 100;
	more.requested_rate = 1000;
	assert_int_equal(merge_add(&sum, &more, why), -EINVAL);
	assert_non_null(strstr(why, "the kernel lowered the rate of one of the runs"));
	assert_non_null(strstr(why, "1000 Hz"));
	more.requested_rate = 100;
	add_object(&sum, "/x", 1, 0x100, 0x200)->parts[0].samples = UINT64_MAX - 5;
	add_object(&more, "/x", 1, 0x100, 0x200);
	assert_int_equal(merge_add(&sum, &more, why), -EINVAL);
	assert_non_null(strstr(why, "the sum is larger than a result can be"));
}
