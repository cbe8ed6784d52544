// SPDX-License-Identifier: GPL-2.0-only
/*
 * From a run's memory to its result: segments of one file become one object, addresses
 * the linker's, and no sample is lost on the way.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <collect.h>
#include <objectfile.h>

#include "fake_run.h"
#include "test.h"

static char *argv[] = { "perl", "-e", "1", NULL };
static const struct command_end end = {
	.pid = 1234,
	.status = 3 << 8,
	.cpu_ns = 5000,
	.children_cpu_ns = 600,
	.began_ns = 70,
	.elapsed_ns = 8,
};
static struct fake_run fake;
static struct result result;

static int set_up(void **state)
{
	(void)state;
	fake_run_fill(&fake);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	result_release(&result);
	return 0;
}

static void collect(void)
{
	int fd = fake_run_memfd(&fake, sizeof(fake));
	const char *why = NULL;
	struct runfile run;

	assert_int_equal(runfile_read(fd, &run, &why), 0);
	assert_int_equal(collect_result(&result, &run, &end, argv), 0);
	runfile_release(&run);
	close(fd);
	assert_string_equal(result_problem(&result) ? : "none", "none");
}

static void assert_count(size_t object, size_t i, uint64_t address, uint64_t samples)
{
	assert_true(object < result.nr_objects);
	assert_true(i < result.objects[object].nr_counts);
	assert_int_equal(result.objects[object].counts[i].address, address);
	assert_int_equal(result.objects[object].counts[i].samples, samples);
}

static void addresses_are_the_linkers(void **state)
{
	(void)state;
	fake.objects[0].bias = 0xc00;
	/* linked above where it was loaded */
	fake.objects[1].bias = (uint64_t)-0x1000;
	fake.counters[0][2] = 5;
	fake.counters[0][63] = 1;
	fake.counters[1][0] = 7;
	fake.outside = 9;
	collect();
	assert_int_equal(result.nr_objects, 2);
	assert_string_equal(result.objects[0].path, "/lib/object0");
	assert_int_equal(result.objects[0].start, 0x400);
	assert_int_equal(result.objects[0].end, 0x500);
	assert_int_equal(result.objects[0].bias, 0xc00);
	assert_int_equal(result.objects[0].samples, 6);
	assert_int_equal(result.objects[0].nr_counts, 2);
	assert_count(0, 0, 0x408, 5);
	assert_count(0, 1, 0x4fc, 1);
	assert_int_equal(result.objects[1].start, 0x3000);
	assert_count(1, 0, 0x3000, 7);
	assert_int_equal(result.outside, 9);
	assert_int_equal(result_samples(&result), 22);
}

static void segments_of_a_file_are_one_object(void **state)
{
	(void)state;
	strcpy(fake.paths[1], "/lib/object0");
	fake.counters[1][1] = 2;
	fake.counters[0][3] = 1;
	collect();
	assert_int_equal(result.nr_objects, 1);
	assert_int_equal(result.objects[0].start, 0x1000);
	assert_int_equal(result.objects[0].end, 0x2100);
	assert_int_equal(result.objects[0].nr_counts, 2);
	assert_count(0, 0, 0x100c, 1);
	assert_count(0, 1, 0x2004, 2);
}

/* dlmopen() does that */
static void file_that_is_loaded_twice_is_one_object(void **state)
{
	(void)state;
	strcpy(fake.paths[1], "/lib/object0");
	fake.objects[1].bias = 0x1000;
	fake.counters[0][3] = 1;
	fake.counters[0][4] = 2;
	fake.counters[1][4] = 4;
	fake.counters[1][5] = 8;
	collect();
	assert_int_equal(result.nr_objects, 1);
	assert_int_equal(result.objects[0].end, 0x1100);
	assert_int_equal(result.objects[0].bias, 0);
	assert_int_equal(result.objects[0].nr_counts, 3);
	assert_count(0, 0, 0x100c, 1);
	assert_count(0, 1, 0x1010, 6);
	assert_count(0, 2, 0x1014, 8);
	assert_int_equal(result.objects[0].samples, 15);
}

/* As no linker makes them, but a program may say so: counts never overlap. */
static void counts_between_each_other_are_merged(void **state)
{
	(void)state;
	strcpy(fake.paths[1], "/lib/object0");
	fake.objects[1].bias = 0x0ffe;
	fake.counters[0][3] = 1;
	fake.counters[1][2] = 2;	/* 0x100a to 0x100d */
	fake.counters[1][9] = 4;
	collect();
	assert_int_equal(result.objects[0].nr_counts, 2);
	assert_count(0, 0, 0x100a, 3);
	assert_count(0, 1, 0x1026, 4);
	assert_int_equal(result.objects[0].samples, 7);
}

static void build_ids_are_the_files(void **state)
{
	unsigned char own[RESULT_MAX_BUILD_ID];
	size_t bytes = objectfile_read_build_id("/proc/self/exe", own, sizeof(own));

	(void)state;
	strcpy(fake.paths[0], "/proc/self/exe");
	strcpy(fake.paths[1], "");
	collect();
	assert_int_equal(result.nr_objects, 2);
	assert_int_equal(bytes, 20);
	assert_int_equal(result.objects[0].build_id_bytes, bytes);
	assert_memory_equal(result.objects[0].build_id, own, bytes);
	/* one without a name cannot be a file */
	assert_string_equal(result.objects[1].path, "[unnamed]");
	assert_int_equal(result.objects[1].build_id_bytes, 0);
	assert_int_equal(objectfile_read_build_id("/proc/self/exe", own, 19), 0);
	assert_int_equal(objectfile_read_build_id("Makefile", own, sizeof(own)), 0);
}

static void figures_are_kept(void **state)
{
	struct utsname name;

	(void)state;
	fake.header.asked_rate = 200;
	fake.header.clock = 2;
	fake.header.lost = 11;
	fake.header.lost_error = 12;
	fake.header.forks_denied = 13;
	fake.header.nr_told = 14;
	fake.header.start_cpu_ns = 1500;
	fake.header.end_cpu_ns = 4000;
	collect();
	uname(&name);
	assert_string_equal(result.host, name.nodename);
	assert_memory_equal(result.kernel, name.release, strlen(name.release));
	assert_string_equal(result.argv[2], "1");
	assert_null(result.argv[3]);
	assert_int_equal(result.rate, 100);
	assert_int_equal(result.asked_rate, 200);
	assert_int_equal(result.clock, 2);
	assert_int_equal(result.text_bytes, 4);
	assert_int_equal(result.lost, 11);
	assert_int_equal(result.lost_error, 12);
	assert_int_equal(result.forks_denied, 13);
	assert_int_equal(result.told, 14);
	assert_int_equal(result.pid, 1234);
	assert_int_equal(result.status, 3 << 8);
	assert_int_equal(result.program_cpu_ns, 5000);
	assert_int_equal(result.children_cpu_ns, 600);
	assert_int_equal(result.began_ns, 70);
	assert_int_equal(result.elapsed_ns, 8);
	assert_int_equal(result.processes[0].before_ns, 1500);
	assert_int_equal(result.processes[0].cpu_ns, 2500);
}

static void program_alone_has_all_samples(void **state)
{
	(void)state;
	fake.header.nr_told = 1;
	fake.header.end_cpu_ns = 4000;
	fake.header.lost = 3;
	fake.counters[0][0] = 20;
	collect();
	assert_int_equal(result.nr_processes, 1);
	assert_true(result.processes[0].has_ended);
	assert_true(result.processes[0].has_told);
	assert_int_equal(result.processes[0].samples, 20);
	assert_int_equal(result.processes[0].lost, 3);
	assert_string_equal(result.processes[0].program, "perl");
	assert_int_equal(result.processes[0].pid, 1234);
	assert_int_equal(result.processes[0].parent, getpid());
}

static void samples_of_several_are_nobodys(void **state)
{
	(void)state;
	fake.header.nr_told = 3;
	fake.header.end_cpu_ns = 4000;
	fake.header.nr_forked = 4;
	fake.header.nr_ended = 2;
	fake.header.forked_cpu_ns = 777;
	fake.counters[0][0] = 20;
	collect();
	assert_true(result.processes[0].has_ended);
	assert_false(result.processes[0].has_told);
	assert_int_equal(result.processes[0].samples, 0);
	assert_int_equal(result.unlisted, 4);
	assert_int_equal(result.unlisted_ended, 2);
	assert_int_equal(result.unlisted_cpu_ns, 777);
}

static void what_a_program_may_have_written(void **state)
{
	(void)state;
	fake.header.nr_forked = 1;
	fake.header.nr_ended = 2;
	fake.header.start_cpu_ns = UINT64_MAX;
	fake.header.end_cpu_ns = 1;
	fake.header.clock = 99;
	fake.header.pid = 8;
	collect();
	assert_int_equal(result.unlisted_ended, 1);
	assert_false(result.processes[0].has_ended);
	assert_int_equal(result.processes[0].cpu_ns, 0);
	assert_int_equal(result.clock, 0);
	/* another than the command took the run */
	assert_int_equal(result.processes[0].pid, 8);
	assert_string_equal(result.processes[0].program, "[unknown]");
	assert_int_equal(result.processes[0].parent, 0);
}

/* Each of them can be, their sum cannot. Found by the fuzzer. */
static void times_that_do_not_add_up(void **state)
{
	(void)state;
	fake.header.end_cpu_ns = UINT64_MAX - 7;
	fake.header.nr_forked = 1;
	fake.header.forked_cpu_ns = UINT64_MAX / 2;
	collect();
	assert_null(result_problem(&result));
	assert_int_equal(result.processes[0].cpu_ns, INT64_MAX);
	assert_int_equal(result.unlisted_cpu_ns, INT64_MAX);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(addresses_are_the_linkers),
		TEST(segments_of_a_file_are_one_object),
		TEST(file_that_is_loaded_twice_is_one_object),
		TEST(counts_between_each_other_are_merged),
		TEST(build_ids_are_the_files),
		TEST(figures_are_kept),
		TEST(program_alone_has_all_samples),
		TEST(samples_of_several_are_nobodys),
		TEST(what_a_program_may_have_written),
		TEST(times_that_do_not_add_up),
	};

	return cmocka_run_group_tests_name("collect", tests, NULL, NULL);
}
