// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files of a run: snapshots, its result at the end, and the previous result; and the files of
 * the profiled programs.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#include <live/snapshot.h>
#include <record/signals.h>
#include <result/resultfile.h>

#include "stderr_capture.h"
#include "support/fake_log.h"
#include "support/made_program.h"
#include "support/outcome_run.h"

static struct stderr_capture captured;
static struct snapshot snapshots;

/* Let the recording read a record. */
static void record(const void *data, size_t bytes)
{
	assert_int_equal(write(log_ends[1], data, bytes), bytes);
	assert_int_equal(recording_read(recording, log_ends[0]), 1);
}

static void exec_program(uint32_t flags)
{
	struct profil_record_exec exec = {
		.head = { PROFIL_RECORD_EXEC, sizeof(exec), PID },
		.flags = flags,
		.comm = "prog",
	};

	record(&exec, sizeof(exec));
}

static void add_samples(uint32_t samples)
{
	struct profil_record_sample sample = {
		.head = { PROFIL_RECORD_SAMPLE, sizeof(sample), PID },
		.pc = 1,
		.samples = samples,
		.tid = PID,
	};

	record(&sample, sizeof(sample));
}

FIXTURE(set_up)
{
	snapshots = (struct snapshot){ 0 };
	return begin_run();
}

static void snapshot(uint64_t elapsed_ns)
{
	capture_stderr(&captured);
	run.so_far.elapsed_ns = elapsed_ns;
	snapshot_begin(&snapshots, &run, &file_of_run, 0);
	snapshot_has_ended(&snapshots, true);
	end_capture(&captured);
}

/* Return: whether the result is in its file. */
static bool show(uint64_t elapsed_ns)
{
	bool is_written;

	capture_stderr(&captured);
	run.so_far.elapsed_ns = elapsed_ns;
	outcome.table = fopen("/dev/null", "w");
	outcome.table_name = "/dev/null";
	is_written = outcome_show(&outcome, &run);
	fclose(outcome.table);
	end_capture(&captured);
	return is_written;
}

static void assert_written(const char *path, uint64_t elapsed_ns, uint64_t samples)
{
	struct result result;
	const char *why;

	assert_int_equal(resultfile_read(path, &result, &why), 0);
	assert_int_equal(result.elapsed_ns, elapsed_ns);
	assert_int_equal(result_samples(&result), samples);
	assert_string_equal(result.argv[0], "prog");
	result_release(&result);
}

static void put_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void assert_text(const char *path, const char *text)
{
	char found[16] = "";
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	assert_non_null(fgets(found, sizeof(found), file));
	assert_string_equal(found, text);
	fclose(file);
}

/* The previous result is kept as .old. Snapshots of the same run are not. */
TEST_F(previous_result_is_kept_once)
{
	put_text("out", "before");
	resultfile_look(&file_of_run);
	exec_program(0);
	add_samples(3);
	snapshot(1);
	assert_string_equal(captured.text, "");
	assert_written("out", 1, 3);
	assert_text("out.old", "before");
	/* the program has more samples */
	add_samples(5);
	snapshot(2);
	assert_written("out", 2, 8);
	assert_text("out.old", "before");
	/* the run ends */
	assert_true(show(3));
	assert_string_equal(captured.text, "");
	assert_written("out", 3, 8);
	assert_text("out.old", "before");
}

/* Without a profile, the previous result is not replaced. */
TEST_F(no_result_without_a_profile)
{
	put_text("out", "before");
	snapshot(1);
	assert_non_null(strstr(captured.text, "no result yet: no program has been profiled\n"));
	exec_program(PROFIL_EXEC_DENIED);
	assert_false(show(2));
	assert_non_null(strstr(captured.text, "no profile: prog may not be traced"));
	assert_text("out", "before");
	assert_int_equal(access("out.old", F_OK), -1);
}

TEST_F(no_snapshot_without_a_file)
{
	exec_program(0);
	file_of_run.path = NULL;
	snapshot(1);
	assert_int_equal(access("out", F_OK), -1);
	file_of_run.path = "none/out";
	snapshot(1);
	assert_non_null(strstr(captured.text, "none/out: No such file or directory (ENOENT): the result is not written"));
	/* the same error is not printed at each interval */
	snapshot(2);
	assert_string_equal(captured.text, "");
	file_of_run.path = "out/out";
	put_text("out", "");
	snapshot(3);
	assert_non_null(strstr(captured.text, "out/out: Not a directory (ENOTDIR)"));
	file_of_run.path = "out";
	resultfile_look(&file_of_run);
	snapshot(4);
	assert_string_equal(captured.text, "");
	file_of_run.path = "none/out";
	snapshot(5);
	assert_non_null(strstr(captured.text, "(ENOENT)"));
	/* but at the end of the run */
	assert_false(show(6));
	assert_non_null(strstr(captured.text, "(ENOENT): the result is not written"));
}

/* The reader of a pipe would exit after the first result. */
TEST_F(no_snapshot_to_a_pipe)
{
	int both;
	char byte;

	assert_int_equal(mkfifo("out", 0600), 0);
	both = open("out", O_RDWR | O_NONBLOCK);
	exec_program(0);
	snapshot(1);
	assert_non_null(strstr(captured.text, "out is not a regular file"));
	assert_int_equal(read(both, &byte, 1), -1);
	close(both);
}

/* Begin to record again, as from a new directory on a file system in memory. */
static void begin_in_memory(char *template)
{
	const int here = open(".", O_PATH | O_CLOEXEC);

	assert_non_null(mkdtemp(template));
	assert_int_equal(chdir(template), 0);
	recording_free(recording);
	recording = recording_new();
	assert_non_null(recording);
	run.recording = recording;
	assert_int_equal(fchdir(here), 0);
	close(here);
}

/* Record samples in a program, which has one function of @bytes at @start. */
static void sample_program(const char *path, uint64_t start, size_t bytes, const char *name)
{
	const struct made_function functions[] = { { name, start, bytes }, { 0 } };
	struct fake_log log = { .read = log_ends[0], .write = log_ends[1] };

	assert_true(made_program_write(path, ELFCLASS64, start, bytes, functions, false));
	fake_log_exec(&log, PID, 0, 0, "program");
	fake_log_map_file(&log, PID, 0x10000, 4096, 0, path, PROFIL_MAP_PROGRAM);
	fake_log_run(&log, PID);
	/* the text follows the headers */
	fake_log_sample(&log, PID, 0x10000 + sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr), 5);
	assert_int_equal(recording_read(recording, log_ends[0]), 1);
}

/* Return: how often the result was put in its place since the last call. */
static int count_written(int watch)
{
	char events[4096] __attribute__((aligned(8)));
	const ssize_t bytes = read(watch, events, sizeof(events));
	const struct inotify_event *event;
	ssize_t at;
	int nr = 0;

	for (at = 0; at < bytes; at += (ssize_t)(sizeof(*event) + event->len)) {
		event = (const void *)(events + at);
		nr += !strcmp(event->name, "out");
	}
	return nr;
}

/* Whoever is killed while names are read has a result. */
TEST_F(result_is_written_before_names_are_read)
{
	const int watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	char path[256];

	assert_true(inotify_add_watch(watch, ".", IN_CREATE | IN_MOVED_TO) >= 0);
	exec_program(0);
	assert_true(show(1));
	assert_int_equal(count_written(watch), 1);
	assert_non_null(getcwd(path, sizeof(path) - sizeof("/program")));
	strcat(path, "/program");
	sample_program(path, 0x400000, 64, "first");
	assert_true(show(2));
	assert_int_equal(count_written(watch), 2);
	unlink("program");
	close(watch);
}

/* Who does not wait for names has the result: all signals that end a run are held. */
TEST_F(signal_ends_names_and_not_the_result)
{
	static const int numbers[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };
	struct result result;
	struct signals old;
	char path[256];
	const char *why;
	size_t i;

	assert_non_null(getcwd(path, sizeof(path) - sizeof("/program")));
	strcat(path, "/program");
	sample_program(path, 0x400000, 64, "first");
	for (i = 0; i < 4; i++) {
		signals_begin(&old, false);
		signals_hold(&old.mask);
		raise(numbers[i]);
		assert_true(show(1 + i));
		signals_end(&old);
		assert_non_null(strstr(captured.text, "no names of functions: a signal came"));
		assert_written("out", 1 + i, 5);
	}
	assert_true(show(9));
	assert_string_equal(captured.text, "");
	assert_int_equal(resultfile_read("out", &result, &why), 0);
	assert_int_equal(result.objects[0].nr_functions, 1);
	assert_string_equal(result.objects[0].functions[0].name, "first");
	result_release(&result);
	unlink("program");
}

/* The other run's result is kept. */
TEST_F(other_run_is_not_replaced_silently)
{
	exec_program(0);
	add_samples(3);
	put_text("out", "before");
	resultfile_look(&file_of_run);
	snapshot(1);
	assert_string_equal(captured.text, "");
	assert_text("out.old", "before");
	unlink("out");
	put_text("out", "other");
	snapshot(2);
	assert_non_null(strstr(captured.text, "out: another run has written this file meanwhile; its result is out.old now"));
	assert_text("out.old", "other");
	snapshot(3);
	assert_string_equal(captured.text, "");
	assert_true(show(4));
	assert_string_equal(captured.text, "");
	assert_text("out.old", "other");
	assert_written("out", 4, 3);
}

/* The names are stored at the end of the run. Before, the program is built again, and removed. */
TEST_F(programs_have_names_that_are_not_there_any_more)
{
	char memory[] = "/dev/shm/profil-outcome.XXXXXX", path[64];
	const struct result_object *object;
	struct result result;
	const char *why;
	size_t i;

	begin_in_memory(memory);
	snprintf(path, sizeof(path), "%s/program", memory);
	sample_program(path, 0x400000, 64, "first");
	unlink(path);
	sample_program(path, 0x500000, 128, "second");
	unlink(path);
	assert_true(show(1));
	assert_int_equal(resultfile_read("out", &result, &why), 0);
	assert_int_equal(result.nr_objects, 2);
	for (i = 0; i < result.nr_objects; i++) {
		object = &result.objects[i];
		assert_string_equal(object->path, path);
		assert_int_equal(object->samples, 5);
		assert_int_equal(object->nr_functions, 1);
		assert_string_equal(object->functions[0].name,
				    object->start == 0x400000 ? "first" : "second");
	}
	result_release(&result);
	assert_int_equal(rmdir(memory), 0);
}
