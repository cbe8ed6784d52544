// SPDX-License-Identifier: GPL-2.0-only
/*
 * The selection of samples by program, process, thread and object.
 */
#include <stdlib.h>
#include <string.h>

#include <result/select.h>

#include "support/test.h"

enum { MAKE, CC, CC_AGAIN };
static char *applet_argv[] = { (char *)"/usr/bin/redis-server", (char *)"*:6379", NULL };
enum { MAKE_MAIN, CC_MAIN, CC_WORKER, AGAIN_MAIN };

static const struct result_part libc_all[] = {
	{ 0x100, 1, 1, MAKE_MAIN }, { 0x100, 2, 0, CC_MAIN }, { 0x100, 4, 1, RESULT_NO_THREAD },
	{ 0x180, 8, 3, CC_WORKER },
};
static const struct result_part cc_all[] = {
	{ 0x200, 16, 0, CC_MAIN }, { 0x200, 32, 2, AGAIN_MAIN }, { 0x201, 64, 0, CC_WORKER },
};
static const struct result_part jit_all[] = { { 0x300, 128, 0, AGAIN_MAIN } };
static const struct result_part outside_all[] = {
	{ 0, 256, 200, CC_MAIN }, { 0, 512, 0, RESULT_NO_THREAD },
};
static struct result_part libc_parts[4], cc_parts[3], jit_parts[1], outside_parts[2];
static struct result_object objects[3];
static struct result_process processes[] = {
	[MAKE] = { .pid = 1, .program = (char *)"/usr/bin/make" },
	[CC] = { .pid = 2, .program = (char *)"/usr/lib/cc1" },
	[CC_AGAIN] = { .pid = 3, .program = (char *)"/usr/lib/cc1", .argv = applet_argv },
};
static struct result_thread threads[] = {
	[MAKE_MAIN] = { .process = MAKE, .tid = 1, .name = (char *)"build.sh" },
	[CC_MAIN] = { .process = CC, .tid = 2, .name = (char *)"cc1" },
	[CC_WORKER] = { .process = CC, .tid = 20, .name = (char *)"worker 1" },
	[AGAIN_MAIN] = { .process = CC_AGAIN, .tid = 3 },
};
static struct result result;

FIXTURE(set_up)
{
	static char *argv[] = { (char *)"make", NULL };

	memcpy(libc_parts, libc_all, sizeof(libc_all));
	memcpy(cc_parts, cc_all, sizeof(cc_all));
	memcpy(jit_parts, jit_all, sizeof(jit_all));
	memcpy(outside_parts, outside_all, sizeof(outside_all));
	objects[0] = (struct result_object){
		.path = (char *)"/lib/libc.so.6", .end = 0x1000,
		.parts = libc_parts, .nr_parts = ARRAY_SIZE(libc_parts),
	};
	objects[1] = (struct result_object){
		.path = (char *)"/usr/lib/cc1", .end = 0x1000,
		.parts = cc_parts, .nr_parts = ARRAY_SIZE(cc_parts),
	};
	objects[2] = (struct result_object){
		.path = (char *)"[jit]", .end = 0x1000,
		.parts = jit_parts, .nr_parts = ARRAY_SIZE(jit_parts),
	};
	result = (struct result){
		.argv = argv, .rate = 100, .objects = objects, .nr_objects = ARRAY_SIZE(objects),
		.processes = processes, .nr_processes = ARRAY_SIZE(processes),
		.threads = threads, .nr_threads = ARRAY_SIZE(threads),
		.outside_parts = outside_parts, .nr_outside_parts = ARRAY_SIZE(outside_parts),
	};
	assert_null(result_problem(&result));
	return 0;
}

FIXTURE(tear_down)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(objects); i++) {
		free(objects[i].counts);
		objects[i].counts = NULL;
	}
	return 0;
}

/* Select samples of the whole result. */
static void assert_selects(const struct selection *selection, uint64_t samples, uint64_t system)
{
	tear_down(NULL);
	set_up(NULL);
	assert_int_equal(result_select(&result, selection), 0);
	assert_int_equal(result_samples(&result), samples);
	assert_int_equal(result_system_samples(&result), system);
}

TEST_F(all_samples)
{
	assert_true(selection_is_all(&(struct selection){ 0 }));
	assert_selects(&(struct selection){ 0 }, 1023, 207);
	/* the parts of an address add up */
	assert_int_equal(objects[0].nr_counts, 2);
	assert_int_equal(objects[0].counts[0].address, 0x100);
	assert_int_equal(objects[0].counts[0].samples, 7);
	assert_int_equal(objects[0].counts[0].system, 2);
	assert_int_equal(objects[0].samples, 15);
	assert_int_equal(threads[CC_WORKER].samples, 72);
	assert_int_equal(threads[CC_WORKER].system, 3);
	assert_int_equal(processes[CC].samples, 2 + 8 + 16 + 64 + 256);
	assert_int_equal(processes[CC].system, 203);
	assert_int_equal(result.outside, 768);
	assert_int_equal(result.outside_system, 200);
}

TEST_F(programs)
{
	/* a file name, a path, a pattern */
	assert_selects(&(struct selection){ .program = "cc1" }, 2 + 8 + 16 + 32 + 64 + 128 + 256,
		       3 + 2 + 200);
	assert_selects(&(struct selection){ .program = "/usr/bin/make" }, 1, 1);
	assert_int_equal(objects[1].nr_counts, 0);
	assert_int_equal(processes[CC].samples, 0);
	assert_selects(&(struct selection){ .program = "/usr/*" }, 1023 - 4 - 512, 206);
	assert_selects(&(struct selection){ .program = "cc" }, 0, 0);
}

TEST_F(programs_by_other_names)
{
	/* argv[0]: a link, or one of several programs in a file */
	assert_selects(&(struct selection){ .program = "redis-server" }, 32 + 128, 2);
	assert_selects(&(struct selection){ .program = "/usr/bin/redis-*" }, 32 + 128, 2);
	/* the name of the first thread: a script; but not that of another one, nor an argument */
	assert_selects(&(struct selection){ .program = "build.sh" }, 1, 1);
	assert_selects(&(struct selection){ .program = "worker 1" }, 0, 0);
	assert_selects(&(struct selection){ .program = "*:6379" }, 0, 0);
}

TEST_F(processes_and_threads)
{
	assert_selects(&(struct selection){ .process = 3 }, 160, 2);
	assert_selects(&(struct selection){ .thread = "worker*" }, 72, 3);
	assert_selects(&(struct selection){ .thread = "20" }, 72, 3);
	/* the name of the last one is not known */
	assert_selects(&(struct selection){ .thread = RESULT_UNKNOWN }, 160, 2);
}

TEST_F(objects_are_selected)
{
	assert_selects(&(struct selection){ .object = "libc.so*" }, 15, 5);
	assert_int_equal(threads[CC_MAIN].samples, 2);
	/* a name in brackets is no pattern */
	assert_selects(&(struct selection){ .object = "[jit]" }, 128, 0);
	assert_selects(&(struct selection){ .object = RESULT_OUTSIDE }, 768, 200);
}

TEST_F(conditions_combine)
{
	const struct selection selection = {
		.program = "cc1", .process = 2, .thread = "cc*", .object = "libc.so.6",
	};

	assert_false(selection_is_all(&selection));
	assert_selects(&selection, 2, 0);
	assert_int_equal(objects[0].nr_counts, 1);
	assert_int_equal(objects[0].nr_parts, 1);
	/* what was dropped does not come back */
	assert_int_equal(result_select(&result, &(struct selection){ 0 }), 0);
	assert_int_equal(result_samples(&result), 2);
}
