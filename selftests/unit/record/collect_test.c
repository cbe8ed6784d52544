// SPDX-License-Identifier: GPL-2.0-only
/*
 * Making a result from shared memory: the segments of a file become one object, and no sample
 * is lost.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <record/collect.h>

#include "support/fake_run.h"
#include "support/test.h"

static char *argv[] = { "perl", "-e", "1", NULL };
static const struct child_end end = {
	.pid = 1234,
	.status = 3 << 8,
	.cpu_ns = 5000,
	.children_cpu_ns = 600,
	.start_time_ns = 70,
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
	int fd = fake_run_memfd(&fake);
	const char *why = NULL;
	struct shm run;

	assert_int_equal(shm_read(fd, &run, &why), 0);
	assert_int_equal(collect_result(&result, &run, &end, argv), 0);
	shm_release(&run);
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

static void segments_become_objects(void **state)
{
	(void)state;
	fake.objects[0].bias = 0xc00;
	fake.counters[0][2] = 5;
	fake.counters[0][63] = 1;
	fake.counters[1][0] = 7;
	fake.outside = 9;
	collect();
	assert_int_equal(result.nr_objects, 2);
	assert_string_equal(result.objects[0].path, "/lib/object0");
	assert_int_equal(result.objects[0].start, 0x1000);
	assert_int_equal(result.objects[0].end, 0x1100);
	assert_int_equal(result.objects[0].bias, 0xc00);
	assert_int_equal(result.objects[0].samples, 6);
	assert_int_equal(result.objects[0].nr_counts, 2);
	assert_count(0, 0, 0x1008, 5);
	assert_count(0, 1, 0x10fc, 1);
	assert_int_equal(result.objects[1].start, 0x2000);
	assert_count(1, 0, 0x2000, 7);
	assert_int_equal(result.outside, 9);
	assert_int_equal(result_samples(&result), 22);
}

static void segments_of_a_file_become_one_object(void **state)
{
	(void)state;
	strcpy(fake.objects[1].path, "/lib/object0");
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

/* Only a damaged table has overlapping segments. Counts must not overlap. */
static void overlapping_segments_are_merged(void **state)
{
	(void)state;
	strcpy(fake.objects[1].path, "/lib/object0");
	fake.objects[1].start = 0x1002;
	fake.objects[1].end = 0x1102;
	fake.counters[0][3] = 1;
	fake.counters[1][2] = 2;	/* 0x100a to 0x100d */
	fake.counters[1][9] = 4;
	collect();
	assert_int_equal(result.nr_objects, 1);
	assert_int_equal(result.objects[0].end, 0x1102);
	assert_int_equal(result.objects[0].nr_counts, 2);
	assert_count(0, 0, 0x100a, 3);
	assert_count(0, 1, 0x1026, 4);
	assert_int_equal(result.objects[0].samples, 7);
}

/* A file that was replaced during the run becomes two objects. */
static void different_build_ids_are_different_objects(void **state)
{
	(void)state;
	strcpy(fake.objects[1].path, "/lib/object0");
	fake.objects[0].build_id_bytes = 2;
	fake.objects[0].build_id[1] = 8;
	fake.objects[1].build_id_bytes = 2;
	fake.objects[1].build_id[1] = 7;
	collect();
	assert_int_equal(result.nr_objects, 2);
	assert_int_equal(result.objects[0].build_id_bytes, 2);
	assert_int_equal(result.objects[0].build_id[1], 7);
	assert_int_equal(result.objects[0].start, 0x2000);
	assert_int_equal(result.objects[1].build_id[1], 8);
}

static void figures_of_the_run_are_copied(void **state)
{
	struct utsname name;

	(void)state;
	fake.header.clock = 2;
	fake.processes[0].requested_rate = 200;
	collect();
	uname(&name);
	assert_string_equal(result.host, name.nodename);
	assert_memory_equal(result.kernel, name.release, strlen(name.release));
	assert_string_equal(result.argv[2], "1");
	assert_null(result.argv[3]);
	assert_int_equal(result.rate, 100);
	assert_int_equal(result.requested_rate, 200);
	assert_int_equal(result.clock, 2);
	assert_int_equal(result.text_bytes, 4);
	assert_int_equal(result.pid, 1234);
	assert_int_equal(result.status, 3 << 8);
	assert_int_equal(result.program_cpu_ns, 5000);
	assert_int_equal(result.children_cpu_ns, 600);
	assert_int_equal(result.start_time_ns, 70);
	assert_int_equal(result.elapsed_ns, 8);
}

/* Three processes: one reported its samples, one only its end, one nothing */
static void fill_three_processes(void)
{
	fake.header.nr_processes = 3;
	fake.processes[0] = (struct profil_run_process){
		.pid = 1234, .parent = 1233, .state = PROFIL_RUN_ENDED, .rate = 300,
		.requested_rate = 400, .flags = PROFIL_RUN_TOLD, .start_cpu_ns = 1500,
		.end_cpu_ns = 4000, .samples = 20, .lost = 3, .error = ENOMEM,
		.fork_failures = 1,
	};
	fake.processes[1] = (struct profil_run_process){
		.pid = 1235, .parent = 1234, .state = PROFIL_RUN_ENDED, .rate = 200,
		.requested_rate = 300, .flags = PROFIL_RUN_FORKED, .program = 1,
		.end_cpu_ns = 10, .lost = 4, .fork_failures = 2,
	};
	fake.processes[2] = (struct profil_run_process){
		.pid = 1236, .state = PROFIL_RUN_STARTED, .rate = 250, .requested_rate = 250,
		.flags = PROFIL_RUN_TOLD, .program = UINT32_MAX, .end_cpu_ns = 7,
	};
}

static void figures_of_processes_are_copied(void **state)
{
	const struct result_process *process;

	(void)state;
	fill_three_processes();
	collect();
	assert_int_equal(result.nr_processes, 3);
	process = result.processes;
	assert_int_equal(process->pid, 1234);
	assert_int_equal(process->parent, 1233);
	assert_string_equal(process->program, "/lib/object0");
	assert_false(process->is_fork);
	assert_true(process->has_ended);
	assert_true(process->has_status);
	assert_int_equal(process->start_cpu_ns, 1500);
	assert_int_equal(process->cpu_ns, 2500);
	assert_int_equal(process->samples, 20);
	assert_int_equal(process->lost, 3);
	assert_int_equal(process->error, ENOMEM);
	process++;
	assert_string_equal(process->program, "/lib/object1");
	assert_true(process->is_fork);
	assert_true(process->has_ended);
	assert_false(process->has_status);
	assert_int_equal(process->cpu_ns, 10);
	process++;
	assert_string_equal(process->program, "[unknown]");
	assert_false(process->has_ended);
	assert_false(process->has_status);
	assert_int_equal(process->cpu_ns, 0);
}

static void figures_of_processes_add_up(void **state)
{
	(void)state;
	fill_three_processes();
	collect();
	assert_int_equal(result.rate, 200);
	assert_int_equal(result.requested_rate, 400);
	assert_int_equal(result.processes[0].rate, 300);
	assert_int_equal(result.processes[2].rate, 250);
	assert_int_equal(result.lost, 7);
	assert_int_equal(result.lost_error, ENOMEM);
	assert_int_equal(result.fork_failures, 3);
}

/*
 * 99 s of CPU time at 1000 Hz, and 1 s of another process, whose rate the kernel lowered to
 * 10 Hz at its start: 100 s, not 9,900 s.
 */
static void rates_are_weighted(void **state)
{
	struct profil_run_process *process = fake.processes;

	(void)state;
	fake.header.nr_processes = 2;
	process[0] = (struct profil_run_process){
		.pid = 1234, .state = PROFIL_RUN_ENDED, .flags = PROFIL_RUN_TOLD,
		.rate = 1000, .requested_rate = 1000, .end_cpu_ns = 99000000000,
		.samples = 99000,
	};
	process[1] = process[0];
	process[1].rate = 10;
	process[1].end_cpu_ns = 1000000000;
	process[1].samples = 10;
	fake.counters[0][0] = 99010;
	collect();
	assert_int_equal(result.rate, 10);
	assert_float_equal(result_rate(&result), 990.1, 1e-6);
	assert_float_equal(result_seconds(&result, 99010), 100, 1e-6);
}

/* 0.1 s at 1000 Hz, and then 0.9 s at 100 Hz */
static void lowered_rate_is_averaged(void **state)
{
	struct profil_run_process *process = fake.processes;

	(void)state;
	process->state = PROFIL_RUN_ENDED;
	process->flags = PROFIL_RUN_TOLD;
	process->requested_rate = 1000;
	process->end_cpu_ns = 1000000000;
	process->samples = 190;
	fake.counters[0][0] = 190;
	collect();
	assert_int_equal(result.rate, 100);
	assert_float_equal(result_seconds(&result, 190), 1, 1e-6);
	/* the mean rate is between the last rate and the requested one */
	result.processes[0].samples = 1900;
	result_find_mean_rate(&result);
	assert_float_equal(result_rate(&result), 1000, 1e-6);
	result.processes[0].samples = 19;
	result_find_mean_rate(&result);
	assert_float_equal(result_rate(&result), 100, 0);
}

/* Samples that no process reported belong to those that were killed. */
static void unreported_samples_have_the_first_rate(void **state)
{
	struct profil_run_process *process = fake.processes;

	(void)state;
	fake.header.nr_processes = 2;
	process[1] = process[0];
	process[0].requested_rate = 1000;
	process[0].rate = 1000;
	process[1] = (struct profil_run_process){
		.pid = 1235, .state = PROFIL_RUN_ENDED, .flags = PROFIL_RUN_TOLD,
		.rate = 10, .requested_rate = 1000, .end_cpu_ns = 1000000000, .samples = 10,
	};
	fake.counters[0][0] = 3010;
	collect();
	assert_float_equal(result_seconds(&result, 3010), 4, 1e-6);
}

static void damaged_entries_are_counted(void **state)
{
	(void)state;
	fake.objects[1].end = 0;
	collect();
	assert_int_equal(result.damaged_entries, 1);
	assert_int_equal(result.nr_objects, 1);
}

static void unprofiled_programs_are_listed(void **state)
{
	struct unprofiled *unprofiled = unprofiled_new();

	(void)state;
	fake.processes[0].pid = 1;
	collect();
	assert_int_equal(collect_unprofiled(&result, unprofiled, "/bin/static"), 0);
	assert_int_equal(result.nr_unprofiled, 1);
	assert_string_equal(result.unprofiled[0].program, "/bin/static");
	assert_int_equal(result.unprofiled[0].processes, 1);
	assert_int_equal(result.unprofiled[0].cpu_ns, result.program_cpu_ns);
	assert_null(result_problem(&result));
	unprofiled_free(unprofiled);
}

static void profiled_program_is_not_listed(void **state)
{
	struct unprofiled *unprofiled = unprofiled_new();

	(void)state;
	collect();
	assert_int_equal(collect_unprofiled(&result, unprofiled, "/bin/dynamic"), 0);
	assert_int_equal(result.nr_unprofiled, 0);
	unprofiled_free(unprofiled);
}

static void unlisted_and_failed_processes_are_counted(void **state)
{
	(void)state;
	fake.header.nr_processes = PROFIL_RUN_PROCESSES + 4;
	fake.processes[1].state = PROFIL_RUN_FAILED;
	collect();
	assert_int_equal(result.nr_processes, 1);
	assert_int_equal(result.start_failures, 1);
	assert_int_equal(result.unlisted_processes, 4);
}

static void invalid_figures_are_replaced(void **state)
{
	(void)state;
	fake.processes[0].state = PROFIL_RUN_ENDED;
	fake.processes[0].start_cpu_ns = UINT64_MAX;
	fake.processes[0].end_cpu_ns = 1;
	fake.header.clock = 99;
	collect();
	assert_true(result.processes[0].has_ended);
	assert_int_equal(result.processes[0].cpu_ns, 0);
	assert_int_equal(result.clock, 0);
}

/* Each value is possible, but their sum overflows. Found by the fuzzer. */
static void overflowing_sums_are_limited(void **state)
{
	(void)state;
	fill_three_processes();
	fake.processes[0].start_cpu_ns = UINT64_MAX - 9;
	fake.processes[0].end_cpu_ns = UINT64_MAX;
	fake.processes[0].lost = fake.processes[1].lost = UINT64_MAX;
	fake.processes[0].fork_failures = fake.processes[1].fork_failures = UINT64_MAX;
	fake.processes[1].end_cpu_ns = UINT64_MAX;
	collect();
	assert_int_equal(result.processes[0].start_cpu_ns, INT64_MAX);
	assert_int_equal(result.processes[0].cpu_ns, 9);
	assert_int_equal(result.processes[1].cpu_ns, INT64_MAX - 9);
	assert_int_equal(result.lost, INT64_MAX);
	assert_int_equal(result.fork_failures, INT64_MAX);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(segments_become_objects),
		TEST(segments_of_a_file_become_one_object),
		TEST(overlapping_segments_are_merged),
		TEST(different_build_ids_are_different_objects),
		TEST(figures_of_the_run_are_copied),
		TEST(figures_of_processes_are_copied),
		TEST(figures_of_processes_add_up),
		TEST(rates_are_weighted),
		TEST(lowered_rate_is_averaged),
		TEST(unreported_samples_have_the_first_rate),
		TEST(damaged_entries_are_counted),
		TEST(unprofiled_programs_are_listed),
		TEST(profiled_program_is_not_listed),
		TEST(unlisted_and_failed_processes_are_counted),
		TEST(invalid_figures_are_replaced),
		TEST(overflowing_sums_are_limited),
	};

	return cmocka_run_group_tests_name("collect", tests, NULL, NULL);
}
