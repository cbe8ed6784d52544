// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the log alone misleads: after lost records, with shared memory, and with copies of code.
 */
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>


#include "support/recorded.h"

#define FIXED	"fixture-fixed"		/* made by the Makefile */

static uint64_t samples_of(const char *path)
{
	uint64_t samples = 0;
	size_t i;

	for (i = 0; i < result.nr_objects; i++)
		if (!strcmp(result.objects[i].path, path))
			samples += result.objects[i].samples;
	return samples;
}

static void map(int pid, uint64_t at, const char *path)
{
	fake_log_map_file(&fake, pid, at, 0x1000, 0, path, 0);
}

static void map_memory(int pid, uint64_t start, uint64_t end)
{
	const struct profil_record_map map = { .start = start, .end = end };

	fake_log_map(&fake, pid, &map, "");
}

/* Start a program whose text, without a file that can be read, is at 0x10000. */
static void start(int pid)
{
	fake_log_exec(&fake, pid, 0, 0, "program");
	fake_log_run(&fake, pid);
	fake_log_map_file(&fake, pid, 0x10000, 0x2000, 0x1000, "/program", PROFIL_MAP_PROGRAM);
}

/* A process that runs this test program, with an executable page */
static pid_t child;
static uint64_t page;

static void start_child(void)
{
	char *memory = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int status_of;

	assert_ptr_not_equal(memory, MAP_FAILED);
	page = (uintptr_t)memory;
	child = fork();
	if (!child) {
		raise(SIGSTOP);
		_exit(0);
	}
	munmap(memory, 4096);
	assert_int_equal(waitpid(child, &status_of, WUNTRACED), child);
}

static void end_child(void)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static const struct result_process *last_process(void)
{
	return &result.processes[result.nr_processes - 1];
}

/* An EXEC was lost: the process runs this program now, and not /program. */
TEST_F(lost_exec_is_found_in_proc)
{
	char program[4096];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);

	program[length] = 0;
	start_child();
	start(child);
	fake_log_sample(&fake, child, 0x10040, 1);
	fake_log_lost(&fake, 7, 3);
	fake_log_sample(&fake, child, page, 2);
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
	fake_log_sample(&fake, child, page, 16);
	read_log();
	assert_int_equal(samples_of("[jit]"), 18);
	assert_int_equal(result.nr_processes, 2);
	end_child();
}

/* Only samples: nothing that was known has changed. */
TEST_F(lost_samples_change_nothing)
{
	start(PID);
	fake_log_lost(&fake, 7, 0);
	fake_log_sample(&fake, PID, 0x10040, 1);
	read_log();
	assert_int_equal(samples_of("/program"), 1);
	assert_int_equal(result.nr_processes, 1);
}

/* Before the log is empty, the process executes something else: what it ran before is lost. */
TEST_F(samples_before_an_exec_are_unknown)
{
	start_child();
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
	end_child();
}

TEST_F(samples_of_ended_processes_are_unknown)
{
	start(PID);
	start(CHILD);
	fake_log_lost(&fake, 0, 1);
	fake_log_sample(&fake, PID, 0x10040, 1);
	fake_log_exit(&fake, PID, 5);
	/* its EXIT was lost */
	fake_log_sample(&fake, CHILD, 0x10040, 2);
	read_log();
	assert_int_equal(samples_of("[unknown]"), 3);
	assert_int_equal(samples_of("/program"), 0);
	assert_int_equal(result_samples(&result), 3);
}

/* What is not known of the parent is not known of its child. */
TEST_F(child_of_an_uncertain_process_is_uncertain)
{
	start(PID);
	fake_log_lost(&fake, 0, 1);
	fake_log_fork(&fake, CHILD, PID);
	fake_log_sample(&fake, CHILD, 0x10040, 1);
	/* after the loss, all is known */
	start(CHILD + 1);
	fake_log_fork(&fake, CHILD + 2, CHILD + 1);
	fake_log_sample(&fake, CHILD + 2, 0x10040, 2);
	read_log();
	assert_int_equal(samples_of("[unknown]"), 1);
	assert_int_equal(samples_of("/program"), 2);
}

/* The samples that wait when another process gets the ID are not its own. */
TEST_F(id_that_is_used_again_is_another_process)
{
	start(PID);
	start(CHILD);
	fake_log_lost(&fake, 0, 1);
	fake_log_sample(&fake, CHILD, 0x10040, 1);
	fake_log_fork(&fake, CHILD, PID);
	read_log();
	assert_int_equal(samples_of("[unknown]"), 1);
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

/* Nothing of the rest is read. */
TEST_F(fork_of_itself_is_refused)
{
	start(PID);
	fake_log_fork(&fake, PID, PID);
	assert_int_equal(recording_read(recording, fake.read), -EBADMSG);
	collect();
	assert_int_equal(result.nr_processes, 1);
	assert_string_equal(last_process()->program, "/program");
}

TEST_F(waiting_samples_are_counted_after_an_error)
{
	static const struct profil_record invalid = {
		.type = PROFIL_RECORD_RUN, .bytes = 8, .pid = -1,
	};

	start(PID);
	fake_log_lost(&fake, 0, 1);
	fake_log_sample(&fake, PID, 0x10040, 1);
	fake_log_bytes(&fake, &invalid, sizeof(invalid));
	assert_int_equal(recording_read(recording, fake.read), -EBADMSG);
	collect();
	assert_int_equal(samples_of("[unknown]"), 1);
}

/* clone(2) with CLONE_VM */
TEST_F(shared_memory_is_mapped_for_both)
{
	start(PID);
	fake_log_fork_sharing(&fake, CHILD, PID);
	map(CHILD, 0x20000, "/library");
	fake_log_sample(&fake, PID, 0x20000, 1);
	map(PID, 0x20000, "/other");
	fake_log_sample(&fake, CHILD, 0x20000, 2);
	/* its own memory */
	start(CHILD);
	map(CHILD, 0x20000, "/third");
	fake_log_sample(&fake, PID, 0x20000, 4);
	read_log();
	assert_int_equal(samples_of("/library"), 1);
	assert_int_equal(samples_of("/other"), 6);
	assert_int_equal(samples_of("/third"), 0);
}

/* --- copies of code in memory that has no file ---------------------------------- */

static const struct result_object *object_of(const char *path)
{
	size_t i;

	for (i = 0; i < result.nr_objects; i++)
		if (!strcmp(result.objects[i].path, path))
			return &result.objects[i];
	fail_msg("no object %s", path);
	return NULL;
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
	assert_int_equal(object_of(path)->nr_counts, 1);
	assert_int_equal(object_of(path)->counts[0].address, 0x401234);
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
