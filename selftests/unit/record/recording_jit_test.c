// SPDX-License-Identifier: GPL-2.0-only
/*
 * The recording of code that processes make, and the names that it gets. Most processes of the
 * log have ended before it is read, so their maps are in this machine's /tmp.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <record/jit.h>
#include <record/recording_state.h>

#include "support/recorded.h"

#define OTHER	(FAKE_PID + 2)

static char paths[8][64];
static size_t nr_paths;

/* Write the map of a process, which is removed at the end of the test. */
static void write_map(int pid, const char *text)
{
	char *path = paths[nr_paths++];
	FILE *file;

	snprintf(path, sizeof(paths[0]), "/tmp/perf-%d.map", pid);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static int remove_maps(void **state)
{
	while (nr_paths)
		unlink(paths[--nr_paths]);
	return tear_down(state);
}

/* A process executes a program, and maps memory without a file at 0x50000. */
static void map_made(int pid)
{
	const struct profil_record_map made = { .start = 0x50000, .end = 0x60000 };

	fake_log_map(&fake, pid, &made, "");
}

static void start(int pid, const char *program)
{
	fake_log_exec(&fake, pid, 0, 0, program);
	fake_log_run(&fake, pid);
	fake_log_map_file(&fake, pid, 0x10000, 0x2000, 0x1000, program, PROFIL_MAP_PROGRAM);
	map_made(pid);
}

static const struct result_object *find_object(const char *path)
{
	size_t i;

	for (i = 0; i < result.nr_objects; i++)
		if (!strcmp(result.objects[i].path, path))
			return &result.objects[i];
	fail_msg("no object %s", path);
	return NULL;
}

/* Return: the samples of a function of an object; with NULL: those without a name. */
static uint64_t samples_of(const char *path, const char *name)
{
	const struct result_object *object = find_object(path);
	uint64_t samples = 0;
	size_t i;

	for (i = 0; i < object->nr_counts; i++) {
		const struct result_function *function =
			result_find_function(object, object->counts[i].address);

		if (name ? function && !strcmp(function->name, name) : !function)
			samples += object->counts[i].samples;
	}
	return samples;
}

TEST_WITH(names_are_read_when_the_process_ends, set_up, remove_maps)
{
	start(PID, "/bin/node");
	fake_log_sample(&fake, PID, 0x50100, 1);
	fake_log_sample(&fake, PID, 0x5010f, 2);
	fake_log_sample(&fake, PID, 0x50110, 4);
	fake_log_sample(&fake, PID, 0x50200, 8);
	read_log();
	assert_int_equal(samples_of("[jit]", NULL), 15);
	write_map(PID, "50100 10 JS:*hot a.js:1\n50110 4 Builtin:Add\n");
	fake_log_exit(&fake, PID, 10);
	read_log();
	assert_int_equal(samples_of("[jit]", "JS:*hot a.js:1"), 3);
	assert_int_equal(samples_of("[jit]", "Builtin:Add"), 4);
	assert_int_equal(samples_of("[jit]", NULL), 8);
	assert_int_equal(find_object("[jit]")->functions[0].start, 0x50100);
	assert_int_equal(find_object("[jit]")->functions[0].end, 0x50110);
	assert_int_equal(find_object("[jit]")->start, 0x50100);
	assert_int_equal(find_object("[jit]")->end, 0x50201);
}

/* Java writes its map when it exits: the root directory must have been opened before. */
TEST_WITH(map_may_be_written_at_the_end, set_up, remove_maps)
{
	char root[32], below[] = "/tmp/recording_jit.XXXXXX", path[128];
	pid_t child;
	FILE *file;

	if (geteuid())
		skip();
	assert_non_null(mkdtemp(below));
	snprintf(path, sizeof(path), "%s/tmp", below);
	assert_int_equal(mkdir(path, 0755), 0);
	child = fork();
	if (!child) {
		if (!chroot(below))
			pause();
		_exit(1);
	}
	snprintf(root, sizeof(root), "/proc/%d/root", child);
	do
		usleep(1000);
	while (readlink(root, path, sizeof(path)) < (ssize_t)strlen(below));
	start(child, "/java");
	fake_log_sample(&fake, child, 0x50100, 1);
	read_log();
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	snprintf(path, sizeof(path), "%s/tmp/perf-%d.map", below, child);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs("50100 10 Interpreter\n", file);
	assert_int_equal(fclose(file), 0);
	fake_log_exit(&fake, child, 10);
	read_log();
	assert_int_equal(samples_of("[jit]", "Interpreter"), 1);
	snprintf(path, sizeof(path), "rm -r %s", below);
	assert_int_equal(system(path), 0);
}

/* The same address is other code in each, and the same function is at other addresses. */
TEST_WITH(processes_are_kept_apart, set_up, remove_maps)
{
	write_map(PID, "50100 10 first\n50200 100 both\n");
	write_map(CHILD, "50100 20 second\n50800 100 both\n");
	start(PID, "/bin/node");
	start(CHILD, "/usr/bin/node");
	start(OTHER, "/bin/node");
	fake_log_sample(&fake, PID, 0x50100, 1);
	fake_log_sample(&fake, PID, 0x50210, 2);
	fake_log_sample(&fake, PID, 0x50300, 100);
	fake_log_sample(&fake, CHILD, 0x50110, 4);
	fake_log_sample(&fake, CHILD, 0x50810, 8);
	fake_log_sample(&fake, CHILD, 0x50814, 16);
	fake_log_sample(&fake, OTHER, 0x50100, 200);
	fake_log_exit(&fake, PID, 10);
	fake_log_exit(&fake, CHILD, 10);
	fake_log_exit(&fake, OTHER, 10);
	read_log();
	assert_int_equal(samples_of("[jit]", "first"), 1);
	assert_int_equal(samples_of("[jit]", "second"), 4);
	assert_int_equal(samples_of("[jit]", "both"), 2 + 8 + 16);
	assert_int_equal(samples_of("[jit]", NULL), 300);
	assert_int_equal(find_object("[jit]")->samples, 331);
}

TEST_WITH(programs_are_kept_apart, set_up, remove_maps)
{
	write_map(PID, "50100 10 same\n");
	write_map(CHILD, "50100 10 same\n");
	start(PID, "/bin/node");
	fake_log_sample(&fake, PID, 0x50100, 1);
	fake_log_exit(&fake, PID, 10);
	start(CHILD, "/bin/java");
	fake_log_sample(&fake, CHILD, 0x50100, 2);
	fake_log_exit(&fake, CHILD, 10);
	read_log();
	assert_int_equal(samples_of("[jit] node", "same"), 1);
	assert_int_equal(samples_of("[jit] java", "same"), 2);
}

TEST_WITH(snapshot_has_the_names_of_its_time, set_up, remove_maps)
{
	write_map(PID, "50100 10 early\n");
	start(PID, "/bin/node");
	fake_log_sample(&fake, PID, 0x50100, 1);
	fake_log_sample(&fake, PID, 0x50200, 2);
	read_log();
	assert_int_equal(recording_read_names(recording), 0);
	collect();
	assert_int_equal(samples_of("[jit]", "early"), 1);
	assert_int_equal(samples_of("[jit]", NULL), 2);
	write_map(PID, "50100 10 late\n50200 10 at the end\n");
	fake_log_sample(&fake, PID, 0x50100, 4);
	fake_log_exit(&fake, PID, 10);
	read_log();
	assert_int_equal(samples_of("[jit]", "early"), 1);
	assert_int_equal(samples_of("[jit]", "late"), 4);
	assert_int_equal(samples_of("[jit]", "at the end"), 2);
}

TEST_WITH(executing_a_program_ends_the_code, set_up, remove_maps)
{
	write_map(PID, "50100 10 before\n");
	start(PID, "/bin/node");
	fake_log_sample(&fake, PID, 0x50100, 1);
	start(PID, "/bin/java");
	read_log();
	assert_int_equal(samples_of("[jit]", "before"), 1);
	fake_log_sample(&fake, PID, 0x50100, 2);
	fake_log_exec(&fake, PID, 10, PROFIL_EXEC_LEFT, "other");
	read_log();
	assert_int_equal(samples_of("[jit] node", "before"), 1);
	assert_int_equal(samples_of("[jit] java", "before"), 2);
}

TEST_WITH(forked_children_run_the_code_of_their_parent, set_up, remove_maps)
{
	write_map(PID, "50100 10 inherited\n50200 10 replaced\n");
	write_map(OTHER, "50200 10 own\n");
	start(PID, "/bin/worker");
	fake_log_fork(&fake, CHILD, PID);
	fake_log_fork(&fake, OTHER, CHILD);
	fake_log_sample(&fake, CHILD, 0x50100, 1);
	fake_log_sample(&fake, OTHER, 0x50100, 2);
	fake_log_sample(&fake, OTHER, 0x50200, 4);
	fake_log_exit(&fake, CHILD, 10);
	fake_log_exit(&fake, OTHER, 10);
	read_log();
	assert_int_equal(samples_of("[jit]", "inherited"), 3);
	assert_int_equal(samples_of("[jit]", "own"), 4);
}

TEST_WITH(lost_end_of_a_process_loses_no_samples, set_up, remove_maps)
{
	start(PID, "/bin/node");
	fake_log_sample(&fake, PID, 0x50100, 1);
	fake_log_fork(&fake, PID, CHILD);
	map_made(PID);
	fake_log_sample(&fake, PID, 0x50100, 2);
	read_log();
	assert_int_equal(result_samples(&result), 3);
}

/* As no file has. Found by the fuzzer of the log: the result had two objects of that name. */
TEST_WITH(file_in_brackets_is_no_object, set_up, remove_maps)
{
	start(PID, "/bin/node");
	fake_log_map_file(&fake, PID, 0x30000, 0x1000, 0, "[jit]", 0);
	fake_log_sample(&fake, PID, 0x30000, 1);
	fake_log_sample(&fake, PID, 0x50100, 2);
	read_log();
	assert_int_equal(find_object("[jit]")->samples, 2);
}

/* Later code must not be counted for a function that it overlaps. */
TEST_WITH(overlapping_code_is_moved_up, set_up, remove_maps)
{
	const struct result_object *object;

	write_map(PID, "50100 12 first\n50112 e second\n0 ffffffffffffffff large\n");
	start(PID, "/bin/node");
	fake_log_sample(&fake, PID, 0x50101, 1);
	read_log();
	assert_int_equal(recording_read_names(recording), 0);
	write_map(PID, "50100 12 first\n50112 e second\n");
	fake_log_sample(&fake, PID, 0x50111, 2);
	fake_log_sample(&fake, PID, 0x50112, 4);
	fake_log_sample(&fake, PID, 0x50120, 8);
	fake_log_exit(&fake, PID, 10);
	read_log();
	object = find_object("[jit]");
	assert_int_equal(object->functions[0].start, 0);
	assert_int_equal(samples_of("[jit]", "large"), 1);
	assert_int_equal(samples_of("[jit]", "first"), 2);
	assert_int_equal(samples_of("[jit]", "second"), 4);
	assert_int_equal(samples_of("[jit]", NULL), 8);
}

TEST_WITH(addresses_do_not_overflow, set_up, remove_maps)
{
	const struct profil_record_map top = { .start = UINT64_MAX - 15, .end = UINT64_MAX };

	write_map(PID, "fffffffffffffff0 4 a\nfffffffffffffff4 c b\n");
	start(PID, "/bin/node");
	fake_log_map(&fake, PID, &top, "");
	fake_log_sample(&fake, PID, UINT64_MAX - 13, 1);
	fake_log_sample(&fake, PID, UINT64_MAX - 1, 2);
	fake_log_sample(&fake, PID, 0x50000, 4);
	fake_log_exit(&fake, PID, 10);
	read_log();
	assert_int_equal(result_samples(&result), 7);
	assert_int_equal(result.outside, 2);
	assert_int_equal(samples_of("[jit]", "a"), 1);
}

TEST_WITH(dump_that_a_process_maps_is_read, set_up, remove_maps)
{
	static const char dump[] =
		"DTiJ\1\0\0\0\50\0\0\0\76\0\0\0\0\0\0\0\0\0\0\0" "\0\0\0\0\0\0\0\0" "\0\0\0\0\0\0\0\0"
		"\0\0\0\0\75\0\0\0" "\0\0\0\0\0\0\0\0" "\0\0\0\0\0\0\0\0" "\0\20\0\0\0\0\0\0"
		"\0\1\5\0\0\0\0\0" "\4\0\0\0\0\0\0\0" "\0\0\0\0\0\0\0\0" "name";
	char *path = paths[nr_paths++];
	FILE *file;

	snprintf(path, sizeof(paths[0]), "/tmp/jit-%d.dump", PID);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(dump, 1, sizeof(dump), file), sizeof(dump));
	assert_int_equal(fclose(file), 0);
	start(PID, "/bin/lli");
	fake_log_map_file(&fake, PID, 0x30000, 0x1000, 0, path, 0);
	fake_log_sample(&fake, PID, 0x50102, 1);
	/* its code is also in a child */
	fake_log_fork(&fake, CHILD, PID);
	fake_log_sample(&fake, CHILD, 0x50102, 2);
	fake_log_exit(&fake, PID, 10);
	fake_log_exit(&fake, CHILD, 10);
	read_log();
	assert_int_equal(samples_of("[jit]", "name"), 3);
}

static int count_descriptors(void)
{
	DIR *open_files = opendir("/proc/self/fd");
	int nr = 0;

	assert_non_null(open_files);
	while (readdir(open_files))
		nr++;
	closedir(open_files);
	return nr;
}

/* Root directories of many processes are not all open, and processes get their names still. */
TEST_WITH(many_processes_take_few_descriptors, set_up, remove_maps)
{
	const int before = count_descriptors();
	int pid;

	/* from here on, no file of a program stays open (held_files.h) */
	held_files_release(&recording->files.kept);
	write_map(PID + JIT_ROOTS + 9, "50100 10 last\n");
	for (pid = PID; pid < PID + JIT_ROOTS + 10; pid++) {
		start(pid, "/bin/node");
		fake_log_sample(&fake, pid, 0x50100, 1);
		assert_int_equal(recording_read(recording, fake.read), 1);
	}
	assert_int_equal(count_descriptors() - before, JIT_ROOTS);
	for (pid = PID; pid < PID + JIT_ROOTS + 10; pid++) {
		fake_log_exit(&fake, pid, 10);
		assert_int_equal(recording_read(recording, fake.read), 1);
	}
	collect();
	assert_int_equal(samples_of("[jit]", NULL), JIT_ROOTS + 9);
	assert_int_equal(samples_of("[jit]", "last"), 1);
	assert_int_equal(count_descriptors(), before);
}
