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

/* A process executes a program, and maps memory without a file. */
static void start_making(int pid)
{
	start(pid);
	map_memory(pid, 0x50000, 0x60000);
}

/* Return: the samples of a function of an object; with NULL: those without a name. */
static uint64_t samples_in(const char *path, const char *name)
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
	start_making(child);
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
	assert_int_equal(samples_in("[jit]", "Interpreter"), 1);
	snprintf(path, sizeof(path), "rm -r %s", below);
	assert_int_equal(system(path), 0);
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
	start_making(PID);
	fake_log_map_file(&fake, PID, 0x30000, 0x1000, 0, path, 0);
	fake_log_sample(&fake, PID, 0x50102, 1);
	/* its code is also in a child */
	fake_log_fork(&fake, CHILD, PID);
	fake_log_sample(&fake, CHILD, 0x50102, 2);
	fake_log_exit(&fake, PID, 10);
	fake_log_exit(&fake, CHILD, 10);
	read_log();
	assert_int_equal(samples_in("[jit]", "name"), 3);
}

/* Many processes may each have a map that takes long: the sum of what is waited for is bounded. */
TEST_WITH(time_for_all_maps_is_bounded, set_up, remove_maps)
{
	struct jit *jit = &recording->jit;

	write_map(PID, "50100 10 name\n");
	start_making(PID);
	fake_log_sample(&fake, PID, 0x50100, 1);
	assert_int_equal(recording_read(recording, fake.read), 1);
	jit->spent_ns = JIT_MOST_NS + NS_PER_S;
	assert_int_equal(recording_read_names(recording), 0);
	assert_int_equal(jit->spent_ns, JIT_MOST_NS + NS_PER_S);
	collect();
	assert_int_equal(samples_in("[jit]", NULL), 1);
	/* a share of the time since the start is always allowed */
	jit->begun_ns -= (JIT_SHARE + 1) * NS_PER_S;
	assert_int_equal(recording_read_names(recording), 0);
	assert_true(jit->spent_ns > JIT_MOST_NS + NS_PER_S);
	collect();
	assert_int_equal(samples_in("[jit]", "name"), 1);
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
		start_making(pid);
		fake_log_sample(&fake, pid, 0x50100, 1);
		assert_int_equal(recording_read(recording, fake.read), 1);
	}
	assert_int_equal(count_descriptors() - before, JIT_ROOTS);
	for (pid = PID; pid < PID + JIT_ROOTS + 10; pid++) {
		fake_log_exit(&fake, pid, 10);
		assert_int_equal(recording_read(recording, fake.read), 1);
	}
	collect();
	assert_int_equal(samples_in("[jit]", NULL), JIT_ROOTS + 9);
	assert_int_equal(samples_in("[jit]", "last"), 1);
	assert_int_equal(count_descriptors(), before);
}
