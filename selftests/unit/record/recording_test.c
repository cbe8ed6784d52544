// SPDX-License-Identifier: GPL-2.0-only
/*
 * The recording of a log: in which file a sample is. It is what its process has mapped at that
 * point of the log.
 */
#define _GNU_SOURCE
#include <errno.h>
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

/* Start a program whose text, without a file that can be read, is at 0x10000. */
static void start(int pid)
{
	fake_log_exec(&fake, pid, 0, 0, "program");
	fake_log_run(&fake, pid);
	fake_log_map_file(&fake, pid, 0x10000, 0x2000, 0x1000, "/program", PROFIL_MAP_PROGRAM);
}

static void map(int pid, uint64_t at, const char *path)
{
	fake_log_map_file(&fake, pid, at, 0x1000, 0, path, 0);
}

static void map_special(int pid, uint64_t at, uint64_t bytes, const char *path)
{
	const struct profil_record_map map = { .start = at, .end = at + bytes };

	fake_log_map(&fake, pid, &map, path);
}

TEST_F(samples_are_in_the_mapped_file)
{
	start(PID);
	map(PID, 0x20000, "/library");
	fake_log_sample(&fake, PID, 0x10120, 3);
	fake_log_sample(&fake, PID, 0x20040, 1);
	fake_log_sample(&fake, PID, 0x20041, 1);
	read_log();
	assert_int_equal(samples_at("/program", 0x1120), 3);
	assert_int_equal(samples_at("/library", 0x40), 1);
	assert_int_equal(samples_at("/library", 0x41), 1);
	assert_int_equal(result.outside, 0);
	assert_int_equal(recording_samples(recording), 5);
	assert_int_equal(result_samples(&result), 5);
}

/* The sample belongs to what was mapped when it was taken: dlclose(3), then dlopen(3) */
TEST_F(mappings_are_replaced_in_the_order_of_the_log)
{
	start(PID);
	map(PID, 0x20000, "/first");
	fake_log_sample(&fake, PID, 0x20040, 1);
	map(PID, 0x20000, "/second");
	fake_log_sample(&fake, PID, 0x20040, 2);
	map(PID, 0x20800, "/third");
	fake_log_sample(&fake, PID, 0x20040, 4);
	fake_log_sample(&fake, PID, 0x20840, 8);
	read_log();
	assert_int_equal(samples_at("/first", 0x40), 1);
	assert_int_equal(samples_at("/second", 0x40), 2 + 4);
	assert_int_equal(samples_at("/third", 0x40), 8);
}

/* Until the new program runs, samples are in the call of execve(2). */
TEST_F(samples_in_exec_are_in_the_program_before)
{
	start(PID);
	fake_log_sample(&fake, PID, 0x10120, 1);
	fake_log_exec(&fake, PID, 0, 0, "other");
	fake_log_map_file(&fake, PID, 0x10000, 0x2000, 0x1000, "/other", PROFIL_MAP_PROGRAM);
	fake_log_sample(&fake, PID, 0x10120, 2);
	fake_log_run(&fake, PID);
	fake_log_sample(&fake, PID, 0x10120, 4);
	read_log();
	assert_int_equal(samples_at("/program", 0x1120), 1 + 2);
	assert_int_equal(samples_at("/other", 0x1120), 4);
}

TEST_F(forked_child_has_its_parents_mappings)
{
	start(PID);
	map(PID, 0x20000, "/before");
	fake_log_fork(&fake, CHILD, PID);
	map(PID, 0x30000, "/parent");
	map(CHILD, 0x30000, "/child");
	fake_log_sample(&fake, CHILD, 0x20040, 1);
	fake_log_sample(&fake, CHILD, 0x30040, 2);
	fake_log_sample(&fake, PID, 0x30040, 4);
	/* the child's mappings do not end with its parent */
	fake_log_exit(&fake, PID, 0);
	fake_log_sample(&fake, CHILD, 0x20040, 8);
	read_log();
	assert_int_equal(samples_at("/before", 0x40), 1 + 8);
	assert_int_equal(samples_at("/child", 0x40), 2);
	assert_int_equal(samples_at("/parent", 0x40), 4);
}

TEST_F(exec_drops_mappings)
{
	start(PID);
	fake_log_fork(&fake, CHILD, PID);
	fake_log_exec(&fake, CHILD, 0, 0, "other");
	fake_log_run(&fake, CHILD);
	fake_log_sample(&fake, CHILD, 0x10040, 1);
	fake_log_sample(&fake, PID, 0x10040, 2);
	read_log();
	assert_int_equal(result.outside, 1);
	assert_int_equal(samples_at("/program", 0x1040), 2);
}

TEST_F(vdso_has_addresses_from_its_start)
{
	start(PID);
	map_special(PID, 0x7fff0000, 0x2000, "[vdso]");
	fake_log_sample(&fake, PID, 0x7fff0a40, 1);
	start(CHILD);
	map_special(CHILD, 0x6fff0000, 0x2000, "[vdso]");
	fake_log_sample(&fake, CHILD, 0x6fff0a40, 2);
	read_log();
	assert_int_equal(samples_at("[vdso]", 0xa40), 3);
	assert_string_equal(result.objects[result.nr_objects - 1].path, "[vdso]");
	assert_int_equal(result.objects[result.nr_objects - 1].start, 0);
	assert_int_equal(result.objects[result.nr_objects - 1].end, 0x2000);
	assert_int_equal(result.objects[result.nr_objects - 1].bias, 0x7fff0000);
}

TEST_F(anonymous_memory_is_jit)
{
	start(PID);
	map_special(PID, 0x50000, 0x10000, "");
	fake_log_sample(&fake, PID, 0x5a000, 1);
	fake_log_sample(&fake, PID, 0x5b002, 2);
	/* cut at its start */
	map(PID, 0x50000, "/library");
	fake_log_sample(&fake, PID, 0x5a000, 4);
	read_log();
	assert_int_equal(samples_at("[jit]", 0x5a000), 1 + 4);
	assert_int_equal(samples_at("[jit]", 0x5b002), 2);
	assert_string_equal(result.objects[result.nr_objects - 1].path, "[jit]");
	assert_int_equal(result.objects[result.nr_objects - 1].start, 0x5a000);
	assert_int_equal(result.objects[result.nr_objects - 1].end, 0x5b003);
}

TEST_F(other_samples_are_outside)
{
	start(PID);
	fake_log_sample(&fake, PID, 0x9000, 1);
	fake_log_sample(&fake, PID, 0x12000, 2);
	fake_log_sample(&fake, PID, UINT64_MAX, 4);
	/* of processes outside of the PID namespace */
	fake_log_sample(&fake, 0, 0x10040, 8);
	read_log();
	assert_int_equal(result.outside, 15);
	assert_int_equal(result.nr_processes, 1);
	assert_int_equal(recording_samples(recording), 15);
}

/* Run in a child process; the page is executable there. */
static pid_t start_with_page(char *page)
{
	pid_t child = fork();
	int state;

	assert_true(child >= 0);
	if (!child) {
		if (mprotect(page, 4096, PROT_READ | PROT_EXEC))
			_exit(1);
		raise(SIGSTOP);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &state, WUNTRACED), child);
	assert_true(WIFSTOPPED(state));
	return child;
}

static char *new_page(void)
{
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(page, MAP_FAILED);
	return page;
}

static void stop(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* mremap(2) is not in the log, nor are mappings whose records were lost. */
TEST_F(unknown_pc_is_found_in_proc)
{
	char *page = new_page();
	const uint64_t pc = (uintptr_t)page;
	pid_t child = start_with_page(page);

	start(child);
	fake_log_sample(&fake, child, pc + 16, 1);
	fake_log_sample(&fake, child, (uintptr_t)unknown_pc_is_found_in_proc, 2);
	fake_log_sample(&fake, child, 16, 4);
	read_log();
	assert_int_equal(samples_at("[jit]", pc + 16), 1);
	assert_int_equal(result.outside, 4);
	assert_int_equal(result_samples(&result), 7);
	stop(child);
	munmap(page, 4096);
}

/* Otherwise a program with many pcs in unknown memory would keep the command busy. */
TEST_F(proc_is_read_once_in_a_call)
{
	char *page = new_page();
	const uint64_t pc = (uintptr_t)page;
	pid_t child = start_with_page(page);

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
	stop(child);
	munmap(page, 4096);
}

/* The log does not introduce a process when records are lost. */
TEST_F(unknown_process_is_found_in_proc)
{
	char *page = new_page();
	const uint64_t pc = (uintptr_t)page;
	pid_t child = start_with_page(page);

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
	stop(child);
	munmap(page, 4096);
}

TEST_F(attached_process_has_the_mappings_of_proc)
{
	char *page = new_page();
	const uint64_t pc = (uintptr_t)page;
	pid_t child = start_with_page(page);

	assert_int_equal(recording_add_process(recording, child, time_cpu_ns(child)), 0);
	assert_int_equal(recording_add_process(recording, child, time_cpu_ns(child)), 0);
	assert_int_equal(recording_add_process(recording, FAKE_PID, time_cpu_ns(FAKE_PID)), -ESRCH);
	assert_int_equal(recording_add_process(recording, 0, time_cpu_ns(0)), -ESRCH);
	stop(child);
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
	munmap(page, 4096);
}

TEST_F(times_of_running_processes_are_read)
{
	char *page = new_page();
	pid_t child = start_with_page(page);

	assert_int_equal(recording_add_process(recording, child, time_cpu_ns(child)), 0);
	read_log();
	assert_false(result.processes[0].has_ended);
	recording_read_times(recording);
	read_log();
	assert_true(result.processes[0].has_ended);
	assert_in_range(result.processes[0].cpu_ns, 0, 2999999999);
	/* its end replaces what was read */
	stop(child);
	fake_log_exit(&fake, child, 6000000000);
	read_log();
	assert_in_range(result.processes[0].cpu_ns, 3000000000, 6000000000);
	munmap(page, 4096);
}

/* With PREEMPT_RT, the kernel does not know paths when it writes the log. */
TEST_F(path_is_found_by_inode)
{
	const struct profil_record_map known = { .start = 0x1000, .end = 0x2000, .inode = 77 };
	const struct profil_record_map unknown = { .start = 0x4000, .end = 0x5000, .inode = 78 };

	start(PID);
	fake_log_map(&fake, PID, &known, "/library");
	start(CHILD);
	fake_log_map(&fake, CHILD, &known, "");
	fake_log_map(&fake, CHILD, &unknown, "");
	fake_log_sample(&fake, CHILD, 0x1040, 1);
	fake_log_sample(&fake, CHILD, 0x4040, 2);
	read_log();
	assert_int_equal(samples_at("/library", 0x40), 1);
	assert_int_equal(samples_at("[unknown]", 0x40), 2);
}

/* Reading /proc would replace the library. */
TEST_F(known_inode_needs_no_proc)
{
	const struct profil_record_map known = { .start = 0x1000, .end = 0x2000, .inode = 77 };
	char *page = new_page();
	const uint64_t pc = (uintptr_t)page;
	pid_t child = start_with_page(page);

	start(child);
	fake_log_map(&fake, child, &known, "/known");
	map(child, pc, "/library");
	fake_log_map(&fake, child, &known, "");
	fake_log_sample(&fake, child, pc, 1);
	read_log();
	assert_int_equal(samples_at("/library", 0), 1);
	stop(child);
	munmap(page, 4096);
}

static int copy_text(void *data, const struct procmaps_entry *entry)
{
	const uint64_t pc = (uintptr_t)copy_text;
	struct profil_record_map *map = data;

	if (entry->start <= pc && pc < entry->end)
		*map = (struct profil_record_map){
			.start = entry->start, .end = entry->end, .offset = entry->offset,
			.inode = entry->inode, .major = entry->major, .minor = entry->minor,
		};
	return 0;
}

TEST_F(path_is_found_in_proc)
{
	char *page = new_page(), program[4096];
	const ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	struct profil_record_map text = { 0 };
	pid_t child = start_with_page(page);
	struct stat state_of;

	assert_true(length > 0);
	program[length] = 0;
	assert_int_equal(procmaps_read(getpid(), copy_text, &text), 0);
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
	stop(child);
	munmap(page, 4096);
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

/* As a newer module may write them */
TEST_F(unknown_records_are_skipped)
{
	const struct profil_record record = { .type = 99, .bytes = sizeof(record), .pid = PID };

	fake_log_bytes(&fake, &record, sizeof(record));
	start(PID);
	fake_log_bytes(&fake, &record, sizeof(record));
	fake_log_sample(&fake, PID, 0x10000, 1);
	read_log();
	assert_int_equal(samples_at("/program", 0x1000), 1);
}

/* Both kinds of samples count where the thread returns to user mode. */
TEST_F(samples_in_the_kernel_count)
{
	struct profil_record_sample sample = {
		.head = { PROFIL_RECORD_KERNEL_SAMPLE, sizeof(sample), PID },
		.pc = 0x10000, .samples = 2,
	};

	start(PID);
	fake_log_bytes(&fake, &sample, sizeof(sample));
	fake_log_sample(&fake, PID, 0x10000, 1);
	sample.head.pid = 0;
	fake_log_bytes(&fake, &sample, sizeof(sample));
	read_log();
	assert_int_equal(samples_at("/program", 0x1000), 3);
	assert_int_equal(recording_samples(recording), 5);
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
