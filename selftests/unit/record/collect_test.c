// SPDX-License-Identifier: GPL-2.0-only
/*
 * Making a result from a recording: the files of one object add up, and no sample is lost.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include <record/recording_state.h>
#include <util/array.h>

#include "support/recorded.h"

/* Make a result with one process, unless there are others. */
static void collect_at(uint32_t requested_rate)
{
	struct process_table *table = &recording->processes;
	struct process *process;

	run_log.requested_rate = requested_rate;
	if (!table->nr_rows) {
		process = process_table_add(table, PID, space_new());
		assert_non_null(process);
		assert_int_equal(process_table_start(table, process, "/bin/perl", false, 0), 0);
	}
	collect();
}

/* A file that cannot be read, with one mapping: its first KiB is at 0x10000. */
static struct file *add_file(const char *path, uint64_t inode)
{
	const struct file_key key = { .inode = inode, .path = path };
	const struct file_use use = { .pid = PID };
	struct file *file = files_find(&recording->files, &key, &use);

	assert_non_null(file);
	file_mapped(file, 0x10000, 0x400, 0);
	return file;
}

static void count(struct file *file, uint64_t offset, uint32_t samples)
{
	const struct result_part part = { .samples = samples, .thread = RESULT_NO_THREAD };

	assert_int_equal(file_count(file, offset, &part), 0);
}

static void assert_count(size_t object, size_t i, uint64_t address, uint64_t samples)
{
	assert_true(object < result.nr_objects);
	assert_true(i < result.objects[object].nr_counts);
	assert_int_equal(result.objects[object].counts[i].address, address);
	assert_int_equal(result.objects[object].counts[i].samples, samples);
}

TEST_F(files_become_objects)
{
	struct file *second = add_file("/lib/2", 2), *first = add_file("/lib/1", 1);

	count(first, 0x308, 5);
	count(first, 0x300, 1);
	count(first, 0x20, 2);
	count(second, 0, 7);
	assert_int_equal(counts_add(&recording->outside, &(struct result_part){
				    .samples = 9, .thread = RESULT_NO_THREAD }), 0);
	/* without samples */
	add_file("/lib/3", 3);
	collect_at(100);
	assert_int_equal(result.nr_objects, 3);
	assert_string_equal(result.objects[0].path, "/lib/1");
	assert_int_equal(result.objects[0].start, 0);
	assert_int_equal(result.objects[0].end, 0x400);
	assert_int_equal(result.objects[0].bias, 0x10000);
	assert_int_equal(result.objects[0].samples, 8);
	assert_int_equal(result.objects[0].nr_counts, 3);
	assert_count(0, 0, 0x20, 2);
	assert_count(0, 1, 0x300, 1);
	assert_count(0, 2, 0x308, 5);
	assert_string_equal(result.objects[1].path, "/lib/2");
	assert_count(1, 0, 0, 7);
	assert_string_equal(result.objects[2].path, "/lib/3");
	assert_int_equal(result.objects[2].samples, 0);
	assert_int_equal(result.outside, 9);
	assert_int_equal(result_samples(&result), 24);
}

/* The same file in two containers, with different inodes */
TEST_F(files_with_the_same_path_and_build_id_become_one_object)
{
	struct file *first = add_file("/lib/1", 1), *second = add_file("/lib/1", 2);

	file_mapped(second, 0, 0x800, 0);
	count(first, 0x20, 1);
	count(first, 0x40, 2);
	count(second, 0x10, 4);
	count(second, 0x40, 8);
	collect_at(100);
	assert_int_equal(result.nr_objects, 1);
	assert_int_equal(result.objects[0].nr_counts, 3);
	assert_count(0, 0, 0x10, 4);
	assert_count(0, 1, 0x20, 1);
	assert_count(0, 2, 0x40, 2 + 8);
	assert_int_equal(result.objects[0].end, 0x800);
}

/* A file that was replaced during the run becomes two objects. */
TEST_F(different_build_ids_are_different_objects)
{
	struct file *first = add_file("/lib/1", 1), *second = add_file("/lib/1", 2);

	first->build_id_bytes = 2;
	first->build_id[1] = 8;
	second->build_id_bytes = 2;
	second->build_id[1] = 7;
	count(first, 0x20, 1);
	count(second, 0x20, 2);
	collect_at(100);
	assert_int_equal(result.nr_objects, 2);
	assert_int_equal(result.objects[0].build_id_bytes, 2);
	assert_int_equal(result.objects[0].build_id[1], 7);
	assert_count(0, 0, 0x20, 2);
	assert_int_equal(result.objects[1].build_id[1], 8);
	assert_count(1, 0, 0x20, 1);
}

TEST_F(objects_include_their_samples)
{
	struct file *file = add_file("/lib/1", 1);

	file->nr_segments = 1;
	file->segments = malloc(sizeof(*file->segments));
	assert_non_null(file->segments);
	file->segments[0] = (struct file_segment){ .offset = 0x1002, .address = 0x401002 };
	file->start = 0x401002;
	file->end = 0x401007;
	/* a page has bytes before and after the segment */
	count(file, 0x1000, 1);
	count(file, 0x1fff, 1);
	count(&recording->files.special[FILE_JIT], UINT64_MAX, 1);
	collect_at(100);
	assert_int_equal(result.objects[0].start, 0x401000);
	assert_int_equal(result.objects[0].end, 0x402000);
	assert_string_equal(result.objects[1].path, "[jit]");
	assert_int_equal(result.objects[1].end, UINT64_MAX);
}

TEST_F(objects_with_most_samples_are_kept)
{
	char path[32];
	uint64_t i;

	for (i = 0; i < RESULT_MAX_OBJECTS + 2; i++) {
		snprintf(path, sizeof(path), "/lib/%04d", (int)i);
		/* the one in the middle has fewer */
		count(add_file(path, i), 0x20, i == 2000 || i == 2001 ? 3 : 10);
	}
	collect_at(100);
	assert_int_equal(result.nr_objects, RESULT_MAX_OBJECTS);
	assert_int_equal(result.outside, 6);
	assert_string_equal(result.objects[1999].path, "/lib/1999");
	assert_string_equal(result.objects[2000].path, "/lib/2002");
}

TEST_F(figures_of_the_run_are_copied)
{
	struct utsname name;

	run_log.status.clock = PROFIL_CLOCK_TIMER;
	run_log.status.fork_failures = 4;
	run_log.status.skipped = 6;
	run_log.bytes = 65536;
	run_log.wanted_bytes = 131072;
	run_log.no_follow = true;
	run_log.cgroup = "/sys/fs/cgroup/x";
	run_end.status = 3 << 8;
	run_end.cpu_ns = 5000;
	run_end.children_cpu_ns = 600;
	run_end.start_time_ns = 70;
	run_end.elapsed_ns = 8;
	collect_at(200);
	uname(&name);
	assert_string_equal(result.host, name.nodename);
	assert_memory_equal(result.kernel, name.release, strlen(name.release));
	assert_string_equal(result.argv[2], "1");
	assert_null(result.argv[3]);
	assert_int_equal(result.rate, 100);
	assert_int_equal(result.requested_rate, 200);
	assert_int_equal(result.clock, PROFIL_CLOCK_TIMER);
	assert_int_equal(result.pid, PID);
	assert_int_equal(result.status, 3 << 8);
	assert_int_equal(result.program_cpu_ns, 5000);
	assert_int_equal(result.children_cpu_ns, 600);
	assert_int_equal(result.start_time_ns, 70);
	assert_int_equal(result.elapsed_ns, 8);
	assert_int_equal(result.fork_failures, 4);
	assert_int_equal(result.skipped, 6);
	assert_int_equal(result.log_bytes, 65536);
	assert_int_equal(result.wanted_log_bytes, 131072);
	assert_true(result.no_follow);
	assert_string_equal(result.cgroup, "/sys/fs/cgroup/x");
	/* before the first process is attached, or after all have ended */
	run_log.status.rate = 0;
	collect_at(200);
	assert_int_equal(result.rate, 200);
}

/* 0.1 s at 1000 Hz, and then 0.9 s at 100 Hz */
TEST_F(lowered_rate_is_averaged)
{
	struct result_part part = { .samples = 190 }, *counted;
	struct file *file = add_file("/lib/1", 1);
	struct result_process *row;
	struct process *process;

	collect_at(1000);
	row = recording->processes.rows;
	process = process_table_find(&recording->processes, PID);
	assert_int_equal(threads_find(&recording->threads, &process->threads, 0, PID,
				      NULL, &part.thread), 0);
	assert_int_equal(file_count(file, 0, &part), 0);
	counted = file->counts.parts;
	/* while a process runs, its CPU time is not known */
	collect_at(1000);
	assert_float_equal(result_rate(&result), 100, 1e-6);
	row->has_ended = true;
	row->cpu_ns = 1000000000;
	collect_at(1000);
	assert_int_equal(result.rate, 100);
	assert_float_equal(result_seconds(&result, 190), 1, 1e-6);
	/* the mean rate is between the last rate and the requested one */
	counted->samples = 1900;
	collect_at(1000);
	assert_float_equal(result_rate(&result), 1000, 1e-6);
	counted->samples = 19;
	collect_at(1000);
	assert_float_equal(result_rate(&result), 100, 0);
}

/* Each value is possible, but their sum overflows. */
TEST_F(overflowing_sums_are_limited)
{
	struct process_table *table = &recording->processes;

	collect_at(100);
	table->rows[0].has_ended = true;
	table->rows[0].cpu_ns = UINT64_MAX - 9;
	table->unlisted = UINT64_MAX;
	recording->unprofiled[0] = (struct result_unprofiled){
		.program = strdup("sudo"), .processes = 1, .cpu_ns = UINT64_MAX,
	};
	recording->nr_unprofiled = 1;
	collect_at(100);
	assert_int_equal(result.processes[0].cpu_ns, INT64_MAX);
	assert_int_equal(result.unprofiled[0].cpu_ns, 0);
	assert_int_equal(result.unlisted_processes, UINT32_MAX);
}

TEST_F(run_without_processes_is_not_valid)
{
	collect();
	assert_int_equal(result.nr_processes, 0);
	assert_non_null(result_problem(&result));
}

/* The vdso is in no file: the result has the names of its functions that have samples. */
TEST_F(functions_of_the_vdso_have_names)
{
	const struct vdso_function functions[] = {
		{ 0x100, 0x180, (char *)"time", true }, { 0x100, 0x180, (char *)"__vdso_time" },
		{ 0x180, 0x190, (char *)"__vdso_getcpu" }, { 0x3f0, 0x500, (char *)"cut" },
	};
	struct vdso *own = &recording->files.vdsos[VDSO_OWN];
	struct file *vdso = &recording->files.special[FILE_VDSO];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		struct vdso_function *new = array_append(own->functions, own->nr);

		*new = functions[i];
		new->name = strdup(new->name);
	}
	file_mapped(vdso, 0x7fff00000000, 0x400, 0);
	count(vdso, 0x80, 1);
	count(vdso, 0x100, 2);
	count(vdso, 0x17f, 4);
	count(vdso, 0x3ff, 8);
	collect_at(100);
	assert_int_equal(result.nr_objects, 1);
	assert_string_equal(result.objects[0].path, "[vdso]");
	assert_int_equal(result.objects[0].samples, 15);
	/* within the object */
	assert_int_equal(result.objects[0].nr_functions, 2);
	assert_string_equal(result.objects[0].functions[0].name, "__vdso_time");
	assert_int_equal(result.objects[0].functions[0].start, 0x100);
	assert_string_equal(result.objects[0].functions[1].name, "cut");
	assert_int_equal(result.objects[0].functions[1].end, 0x400);
	assert_null(result_find_function(&result.objects[0], 0x80));
}
