// SPDX-License-Identifier: GPL-2.0-only
/*
 * Recordings that depend on more than their log: processes that run, files, the end of the log.
 * stories.txt has the others.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <record/procmaps.h>
#include <util/time_ns.h>

#include "support/recorded.h"

#define FIXED	"fixture-fixed"		/* made by the Makefile */

/* Return: the samples at an address of an object. */
static uint64_t samples_at(const char *path, uint64_t address)
{
	uint64_t samples = 0;
	size_t i, j;

	for (i = 0; i < result.nr_objects; i++) {
		const struct result_object *object = &result.objects[i];

		for (j = 0; !strcmp(object->path, path) && j < object->nr_counts; j++)
			if (object->counts[j].address == address)
				samples += object->counts[j].samples;
	}
	return samples;
}

/* A process that runs this test program, and an executable page of its memory */
static pid_t child;
static char *page;
static uint64_t pc;	/* the start of the page */

static bool is_stopped;

static void stop(void)
{
	if (is_stopped)
		return;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	is_stopped = true;
}

FIXTURE(set_up_child)
{
	int status;

	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(page, MAP_FAILED);
	pc = (uintptr_t)page;
	is_stopped = false;
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		if (mprotect(page, 4096, PROT_READ | PROT_EXEC))
			_exit(1);
		raise(SIGSTOP);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, WUNTRACED), child);
	assert_true(WIFSTOPPED(status));
	return set_up(state);
}

FIXTURE(tear_down_child)
{
	stop();
	munmap(page, 4096);
	return tear_down(state);
}

/* mremap(2) is not in the log, nor are mappings whose records were lost. */
TEST_WITH(unknown_pc_is_found_in_proc, set_up_child, tear_down_child)
{
	start(child);
	fake_log_sample(&fake, child, pc + 16, 1);
	fake_log_sample(&fake, child, (uintptr_t)unknown_pc_is_found_in_proc, 2);
	fake_log_sample(&fake, child, 16, 4);
	read_log();
	assert_int_equal(samples_at("[jit]", pc + 16), 1);
	assert_int_equal(result.outside, 4);
	assert_int_equal(result_samples(&result), 7);
}

/* Otherwise a program with many pcs in unknown memory would keep the command busy. */
TEST_WITH(proc_is_read_once_in_a_call, set_up_child, tear_down_child)
{
	start(child);
	fake_log_sample(&fake, child, 16, 1);
	/* reading /proc again would undo this */
	map(child, pc, "/library");
	fake_log_sample(&fake, child, 16, 1);
	fake_log_sample(&fake, child, pc, 2);
	read_log();
	assert_int_equal(samples_at("/library", 0), 2);
	fake_log_sample(&fake, child, 16, 1);
	fake_log_sample(&fake, child, pc, 4);
	read_log();
	assert_int_equal(samples_at("/library", 0), 2);
	assert_int_equal(samples_at("[jit]", pc), 4);
}

/* The log does not introduce a process when records are lost. */
TEST_WITH(unknown_process_is_found_in_proc, set_up_child, tear_down_child)
{
	fake_log_sample(&fake, child, pc, 1);
	map(child, 0x10000, "/library");
	fake_log_sample(&fake, child, 0x10040, 2);
	read_log();
	assert_int_equal(samples_at("[jit]", pc), 1);
	assert_int_equal(samples_at("/library", 0x40), 2);
	assert_int_equal(result.nr_processes, 1);
	assert_int_equal(result.processes[0].pid, child);
	assert_int_equal(result.processes[0].parent, getpid());
	assert_int_equal(result.processes[0].samples, 3);
	assert_non_null(strstr(result.processes[0].program, "recording_test"));
}

TEST_WITH(attached_process_has_the_mappings_of_proc, set_up_child, tear_down_child)
{
	int error;

	assert_int_equal(recording_add_process(recording, child, time_cpu_ns(child)), 0);
	assert_int_equal(recording_add_process(recording, child, time_cpu_ns(child)), 0);
	assert_int_equal(recording_add_process(recording, 0, time_cpu_ns(0)), -ESRCH);
	/* its mappings have been read */
	stop();
	assert_int_equal(recording_open_files(recording), 0);
	assert_int_equal(recording_unread(recording, &error), 0);
	fake_log_sample(&fake, child, pc, 1);
	fake_log_exit(&fake, child, 3000000000);
	read_log();
	assert_int_equal(samples_at("[jit]", pc), 1);
	assert_int_equal(result.nr_processes, 1);
	assert_int_equal(result.processes[0].samples, 1);
	assert_true(result.processes[0].has_ended);
	/* without the time that it had used before */
	assert_int_equal(result.processes[0].start_cpu_ns, 0);
	assert_in_range(result.processes[0].cpu_ns, 1, 2999999999);
}

/* Its CPU time is that since it was attached, though nothing else of it is known. */
TEST_WITH(attached_process_may_have_ended, set_up_child, tear_down_child)
{
	siginfo_t end;
	int error;

	kill(child, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)child, &end, WEXITED | WNOWAIT), 0);
	assert_int_equal(recording_add_process(recording, child, 3000000000), 0);
	assert_int_equal(recording_open_files(recording), 0);
	assert_int_equal(recording_unread(recording, &error), 1);
	assert_int_equal(error, -ESRCH);
	assert_int_equal(recording_unread(recording, &error), 0);
	fake_log_sample(&fake, child, pc, 1);
	fake_log_exit(&fake, child, 3000000005);
	read_log();
	assert_int_equal(result.outside, 1);
	assert_int_equal(result.nr_processes, 1);
	assert_int_equal(result.processes[0].start_cpu_ns, 0);
	assert_int_equal(result.processes[0].cpu_ns, 5);
	assert_int_equal(result.processes[0].parent, getpid());
}

TEST_WITH(times_of_running_processes_are_read, set_up_child, tear_down_child)
{
	assert_int_equal(recording_add_process(recording, child, time_cpu_ns(child)), 0);
	read_log();
	assert_false(result.processes[0].has_ended);
	recording_read_times(recording);
	read_log();
	assert_true(result.processes[0].has_ended);
	assert_in_range(result.processes[0].cpu_ns, 0, 2999999999);
	/* its end replaces what was read */
	stop();
	fake_log_exit(&fake, child, 6000000000);
	read_log();
	assert_in_range(result.processes[0].cpu_ns, 3000000000, 6000000000);
}

/* Reading /proc would replace the library. */
TEST_WITH(known_inode_needs_no_proc, set_up_child, tear_down_child)
{
	const struct profil_record_map known = { .start = 0x1000, .end = 0x2000, .inode = 77 };

	start(child);
	fake_log_map(&fake, child, &known, "/known");
	map(child, pc, "/library");
	fake_log_map(&fake, child, &known, "");
	fake_log_sample(&fake, child, pc, 1);
	read_log();
	assert_int_equal(samples_at("/library", 0), 1);
}

static int copy_text(void *data, const struct procmaps_entry *entry)
{
	const uint64_t here = (uintptr_t)copy_text;
	struct profil_record_map *map = data;

	if (entry->start <= here && here < entry->end)
		*map = (struct profil_record_map){
			.start = entry->start, .end = entry->end, .offset = entry->offset,
			.inode = entry->inode, .major = entry->major, .minor = entry->minor,
		};
	return 0;
}

TEST_WITH(path_is_found_in_proc, set_up_child, tear_down_child)
{
	char program[4096];
	const ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	struct profil_record_map text = { 0 };
	struct stat state_of;
	char *maps;
	int error;

	assert_true(length > 0);
	program[length] = 0;
	maps = procmaps_copy(getpid(), &error);
	assert_non_null(maps);
	assert_int_equal(procmaps_each(maps, copy_text, &text), 0);
	free(maps);
	text.flags = PROFIL_MAP_PROGRAM;
	assert_int_equal(stat(program, &state_of), 0);
	text.file_bytes = (__u64)state_of.st_size;
	text.mtime_ns = time_stat_ns(&state_of.st_mtim);
	text.ctime_ns = time_stat_ns(&state_of.st_ctim);
	fake_log_exec(&fake, child, 0, 0, "test");
	fake_log_run(&fake, child);
	fake_log_map(&fake, child, &text, "");
	read_log();
	assert_string_equal(result.processes[0].program, program);
}

TEST_F(longest_path_is_cut)
{
	char path[RESULT_MAX_PATH + 100];

	memset(path, '/', sizeof(path) - 1);
	path[sizeof(path) - 1] = 0;
	start(PID);
	fake_log_map_file(&fake, PID, 0x20000, 0x1000, 0, path, PROFIL_MAP_PROGRAM);
	fake_log_sample(&fake, PID, 0x20000, 1);
	read_log();
	path[RESULT_MAX_PATH - 1] = 0;
	assert_int_equal(samples_at(path, 0), 1);
	assert_string_equal(result.processes[0].program, path);
}

TEST_F(end_of_the_log_is_reported)
{
	assert_int_equal(recording_read(recording, fake.read), 1);
	start(PID);
	fake_log_sample(&fake, PID, 0x10000, 1);
	assert_int_equal(recording_read(recording, fake.read), 1);
	fake_log_sample(&fake, PID, 0x10000, 1);
	fake_log_exit(&fake, PID, 0);
	fake_log_end(&fake);
	assert_int_equal(recording_read(recording, fake.read), 0);
	assert_int_equal(recording_samples(recording), 2);
	assert_int_equal(recording_read(recording, -1), -EBADF);
}

TEST_F(damaged_records_are_refused)
{
	const struct profil_record_sample sample = {
		.head = { PROFIL_RECORD_SAMPLE, sizeof(sample), PID }, .samples = 1,
	};

	fake_log_sample(&fake, PID, 0, 1);
	fake_log_bytes(&fake, &sample, sizeof(sample) - 8);
	assert_int_equal(recording_read(recording, fake.read), -EBADMSG);
	/* what was before it counts */
	assert_int_equal(recording_samples(recording), 1);
	fake_log_bytes(&fake, &sample, 4);
	assert_int_equal(recording_read(recording, fake.read), -EBADMSG);
}

static const struct result_process *last_process(void)
{
	return &result.processes[result.nr_processes - 1];
}

/* An EXEC was lost: the process runs this program now, and not /program. */
TEST_WITH(lost_exec_is_found_in_proc, set_up_child, tear_down_child)
{
	char program[4096];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);

	program[length] = 0;
	start(child);
	fake_log_sample(&fake, child, 0x10040, 1);
	fake_log_lost(&fake, 7, 3);
	fake_log_sample(&fake, child, pc, 2);
	fake_log_sample(&fake, child, (uintptr_t)lost_exec_is_found_in_proc, 4);
	/* not mapped any more */
	fake_log_sample(&fake, child, 0x10040, 8);
	read_log();
	assert_int_equal(samples_of("/program"), 1);
	assert_int_equal(samples_of("[jit]"), 2);
	assert_int_equal(samples_of(program), 4);
	assert_int_equal(samples_of("[unknown]"), 8);
	assert_int_equal(result.nr_processes, 2);
	assert_int_equal(result.processes[0].samples, 1);
	assert_string_equal(last_process()->program, program);
	assert_int_equal(last_process()->samples, 14);
	assert_int_equal(result_samples(&result), 15);
	/* it is known again */
	fake_log_sample(&fake, child, pc, 16);
	read_log();
	assert_int_equal(samples_of("[jit]"), 18);
	assert_int_equal(result.nr_processes, 2);
}

/* Before the log is empty, the process executes something else: what it ran before is lost. */
TEST_WITH(samples_before_an_exec_are_unknown, set_up_child, tear_down_child)
{
	start(child);
	fake_log_lost(&fake, 0, 1);
	fake_log_sample(&fake, child, 0x10040, 1);
	start(child);
	fake_log_sample(&fake, child, 0x10040, 2);
	read_log();
	assert_int_equal(samples_of("[unknown]"), 1);
	assert_int_equal(samples_of("/program"), 2);
	assert_int_equal(result.nr_processes, 3);
	assert_string_equal(result.processes[1].program, "[unknown]");
	assert_int_equal(result.processes[1].samples, 1);
	assert_string_equal(last_process()->program, "/program");
}

#define FULL	64	/* rows, as a power of two is full (array.h) */

/* The row that these samples then get does not fit, so that the rows move: also the parent's. */
TEST_F(rows_move_before_a_fork)
{
	int i;

	/* what is read after it was freed is no address */
	mallopt(M_PERTURB, 0xff);
	start(PID);
	start(CHILD);
	fake_log_lost(&fake, 0, 1);
	fake_log_sample(&fake, CHILD, 0x10040, 1);
	for (i = 2; i < FULL; i++) {
		fake_log_fork(&fake, CHILD + 1, PID);
		fake_log_exit(&fake, CHILD + 1, 5);
	}
	fake_log_fork(&fake, CHILD, PID);
	read_log();
	mallopt(M_PERTURB, 0);
	assert_int_equal(result.nr_processes, FULL + 2);
	assert_string_equal(last_process()->program, "/program");
	assert_int_equal(samples_of("[unknown]"), 1);
}

/* node --use-largepages copies its text to huge pages, and maps these in its place. */
TEST_F(copied_text_belongs_to_the_program)
{
	char path[4096];

	assert_non_null(realpath(FIXED, path));
	fake_log_exec(&fake, PID, 0, 0, "fixture");
	fake_log_map_file(&fake, PID, 0x401000, 0x1000, 0x1000, path, PROFIL_MAP_PROGRAM);
	fake_log_run(&fake, PID);
	fake_log_sample(&fake, PID, 0x401234, 1);
	map_memory(PID, 0x401000, 0x402000);
	fake_log_sample(&fake, PID, 0x401234, 2);
	/* larger than the segment */
	map_memory(PID, 0x400000, 0x410000);
	fake_log_sample(&fake, PID, 0x401234, 4);
	fake_log_sample(&fake, PID, 0x400800, 8);
	fake_log_sample(&fake, PID, 0x408000, 16);
	read_log();
	assert_int_equal(samples_of(path), 7);
	assert_int_equal(find_object(path)->nr_counts, 1);
	assert_int_equal(find_object(path)->counts[0].address, 0x401234);
	assert_int_equal(samples_of("[jit]"), 24);
}

/* The log has no records of munmap(2): memory where a library was is not the library. */
TEST_F(memory_of_an_unloaded_library_is_jit)
{
	char path[4096];

	assert_non_null(realpath(FIXED, path));
	start(PID);
	fake_log_map_file(&fake, PID, 0x401000, 0x1000, 0x1000, path, 0);
	map_memory(PID, 0x401000, 0x402000);
	fake_log_sample(&fake, PID, 0x401234, 2);
	read_log();
	assert_int_equal(samples_of("[jit]"), 2);
}
