// SPDX-License-Identifier: GPL-2.0-only
/*
 * The shared memory of a run, as the profiled program uses it: invalid memory, full tables, and
 * equality of objects. selftests/command/autostart_test.c tests it in whole programs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/preload/shm.h"
#include "support/test.h"

struct memory {
	int fd;
	char path[64];
	struct profil_shm tables;
};

static void write_header(const struct memory *memory, const struct profil_run *run)
{
	assert_int_equal(pwrite(memory->fd, run, sizeof(*run), 0), sizeof(*run));
}

/* An empty run, as the command creates it. */
static int begin(void **state)
{
	const struct profil_run run = {
		.magic = PROFIL_RUN_MAGIC,
		.version = PROFIL_RUN_VERSION,
		.end = PROFIL_RUN_COUNTERS_AT,
	};
	static struct memory memory;

	memory.fd = memfd_create("run", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	snprintf(memory.path, sizeof(memory.path), "/proc/self/fd/%d", memory.fd);
	assert_int_equal(ftruncate(memory.fd, PROFIL_RUN_COUNTERS_AT), 0);
	write_header(&memory, &run);
	assert_int_equal(profil_shm_open(&memory.tables, memory.path), 0);
	*state = &memory;
	return 0;
}

static int end(void **state)
{
	struct memory *memory = *state;

	munmap(memory->tables.run, PROFIL_RUN_COUNTERS_AT);
	close(memory->fd);
	return 0;
}

/* Open memory that is invalid. Return: as profil_shm_open(). */
static int open_other(const char *path)
{
	struct profil_shm tables;

	return profil_shm_open(&tables, path);
}

static void invalid_memory(void **state)
{
	const struct memory *memory = *state;
	struct profil_run run = *memory->tables.run;
	char path[sizeof(memory->tables.path) + 1] = { 0 };

	memset(path, '/', sizeof(path) - 1);
	assert_int_equal(open_other(path), -ENAMETOOLONG);
	/* the longest path; it is the root directory */
	path[sizeof(path) - 2] = 0;
	assert_int_equal(open_other(path), -EISDIR);
	assert_int_equal(open_other("/dev/null"), -EBADF);
	/* too short */
	assert_int_equal(ftruncate(memory->fd, PROFIL_RUN_COUNTERS_AT - 1), 0);
	assert_int_equal(open_other(memory->path), -EBADF);
	assert_int_equal(ftruncate(memory->fd, sizeof(run.magic)), 0);
	assert_int_equal(open_other(memory->path), -EBADF);
	assert_int_equal(ftruncate(memory->fd, PROFIL_RUN_COUNTERS_AT), 0);
	run.magic++;
	write_header(memory, &run);
	assert_int_equal(open_other(memory->path), -EBADF);
}

/* The library writes its version into the memory, if it is writable. */
static void another_version(void **state)
{
	const struct memory *memory = *state;
	struct profil_run run = *memory->tables.run;

	run.version++;
	write_header(memory, &run);
	assert_int_equal(open_other(memory->path), -EPROTO);
	assert_int_equal(memory->tables.run->version, PROFIL_RUN_VERSION);

	write_header(memory, &run);
	assert_int_equal(fcntl(memory->fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE), 0);
	assert_int_equal(open_other(memory->path), -EPERM);
	assert_int_equal(memory->tables.run->version, PROFIL_RUN_VERSION + 1);
}

/* The memory can be locked as long as the path leads to it. */
static void lock_after_file_is_gone(void **state)
{
	struct memory *memory = *state;
	int saved = dup(memory->fd);
	int fd = profil_shm_lock(&memory->tables);

	assert_true(fd >= 0);
	profil_shm_unlock(fd);
	/* another file has the descriptor's number */
	fd = memfd_create("other", MFD_CLOEXEC);
	assert_int_equal(dup2(fd, memory->fd), memory->fd);
	assert_int_equal(profil_shm_lock(&memory->tables), -EBADF);
	close(fd);
	close(memory->fd);
	assert_int_equal(profil_shm_lock(&memory->tables), -ENOENT);
	assert_int_equal(dup2(saved, memory->fd), memory->fd);
	close(saved);
	fd = profil_shm_lock(&memory->tables);
	assert_true(fd >= 0);
	profil_shm_unlock(fd);
}

static struct profil_run_process *process_at(const struct memory *memory, size_t i)
{
	char *table = (char *)memory->tables.run + PROFIL_RUN_PROCESSES_AT;

	return (struct profil_run_process *)table + i;
}

static void process_entries(void **state)
{
	const struct memory *memory = *state;
	struct profil_run *run = memory->tables.run;
	struct profil_run_process *unlisted;

	assert_ptr_equal(profil_shm_enter(run), process_at(memory, 0));
	assert_ptr_equal(profil_shm_enter(run), process_at(memory, 1));
	assert_int_equal(process_at(memory, 1)->pid, getpid());
	assert_int_equal(process_at(memory, 1)->parent, getppid());

	run->nr_processes = PROFIL_RUN_PROCESSES - 1;
	assert_ptr_equal(profil_shm_enter(run),
			 process_at(memory, PROFIL_RUN_PROCESSES - 1));
	unlisted = profil_shm_enter(run);
	assert_true((char *)unlisted < (char *)run ||
		    (char *)unlisted >= (char *)run + PROFIL_RUN_COUNTERS_AT);
	assert_int_equal(run->nr_processes, PROFIL_RUN_PROCESSES + 1);
	/* the number does not wrap around */
	run->nr_processes = UINT32_MAX / 2 + 1;
	assert_ptr_equal(profil_shm_enter(run), unlisted);
	assert_int_equal(run->nr_processes, UINT32_MAX / 2 + 1);
}

/* The earlier program of this process is its most recent entry, unless that has ended. */
static void earlier_program(void **state)
{
	const struct memory *memory = *state;
	struct profil_run *run = memory->tables.run;
	struct profil_run_process *first;

	assert_null(profil_shm_earlier(run, getpid(), getppid()));
	first = profil_shm_enter(run);
	first->state = PROFIL_RUN_STARTED;
	assert_ptr_equal(profil_shm_earlier(run, getpid(), getppid()), first);
	assert_null(profil_shm_earlier(run, getpid() + 1, getppid()));
	/* another process that had this PID */
	assert_null(profil_shm_earlier(run, getpid(), getppid() + 1));
	profil_shm_enter(run)->state = PROFIL_RUN_ENDED;
	assert_null(profil_shm_earlier(run, getpid(), getppid()));
	/* PID 1 of two PID namespaces are different processes */
	process_at(memory, 1)->pid = 1;
	process_at(memory, 1)->parent = 0;
	process_at(memory, 1)->state = PROFIL_RUN_STARTED;
	assert_null(profil_shm_earlier(run, 1, 0));

	/* the search is limited; and works in a table that has overflowed */
	process_at(memory, 1)->pid = 0;
	run->nr_processes = 1024;
	assert_ptr_equal(profil_shm_earlier(run, getpid(), getppid()), first);
	run->nr_processes = 1025;
	assert_null(profil_shm_earlier(run, getpid(), getppid()));
	*process_at(memory, PROFIL_RUN_PROCESSES - 1) = *first;
	run->nr_processes = UINT32_MAX / 2;
	assert_ptr_equal(profil_shm_earlier(run, getpid(), getppid()),
			 process_at(memory, PROFIL_RUN_PROCESSES - 1));
}

/* Return: the number of an object. */
static uint32_t add(const struct memory *memory, const struct profil_object *object)
{
	int fd = profil_shm_lock(&memory->tables);
	uint32_t number = 0;

	assert_true(fd >= 0);
	assert_int_equal(profil_shm_add(&memory->tables, fd, object, 1, &number), 0);
	profil_shm_unlock(fd);
	return number;
}

/* The same code is one object, wherever it is loaded; any difference makes another object. */
static void equal_objects_are_shared(void **state)
{
	const struct profil_object first = {
		.start = 0x501000, .end = 0x502001, .bias = 0x500000,
		.build_id = "12345678", .build_id_bytes = 8, .path = "/lib/one",
	};
	const struct memory *memory = *state;
	const struct profil_run *run = memory->tables.run;
	struct profil_object other = first;

	assert_int_equal(add(memory, &first), 0);
	/* a counter for each 4 bytes, in whole pages */
	assert_int_equal(run->end, PROFIL_RUN_COUNTERS_AT + 2 * 4096);
	other.start += 0x10000;
	other.end += 0x10000;
	other.bias += 0x10000;
	assert_int_equal(add(memory, &other), 0);
	assert_int_equal(run->end, PROFIL_RUN_COUNTERS_AT + 2 * 4096);

	other = first;
	other.start += 4;
	assert_int_equal(add(memory, &other), 1);
	other = first;
	other.end += 4;
	assert_int_equal(add(memory, &other), 2);
	other = first;
	other.build_id[7]++;
	assert_int_equal(add(memory, &other), 3);
	other = first;
	other.build_id_bytes--;
	assert_int_equal(add(memory, &other), 4);
	other = first;
	strcpy(other.path, "/lib/two");
	assert_int_equal(add(memory, &other), 5);
	assert_int_equal(run->nr_objects, 6);
	assert_int_equal(add(memory, &first), 0);
}

/* In a full table, objects that are listed are still found. */
static void full_object_table(void **state)
{
	const struct profil_object object = { .start = 0x1000, .end = 0x2000,
					      .path = "/lib/one" };
	struct profil_object other = object;
	const struct memory *memory = *state;
	struct profil_run *run = memory->tables.run;
	uint64_t end;

	run->nr_objects = PROFIL_RUN_OBJECTS - 1;
	assert_int_equal(add(memory, &object), PROFIL_RUN_OBJECTS - 1);
	assert_int_equal(run->nr_objects, PROFIL_RUN_OBJECTS);
	end = run->end;
	other.end += 4;
	assert_int_equal(add(memory, &other), PROFIL_NO_PLACE);
	assert_int_equal(add(memory, &object), PROFIL_RUN_OBJECTS - 1);
	assert_int_equal(run->nr_objects, PROFIL_RUN_OBJECTS);
	assert_int_equal(run->end, end);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(invalid_memory, begin, end),
		cmocka_unit_test_setup_teardown(another_version, begin, end),
		cmocka_unit_test_setup_teardown(lock_after_file_is_gone, begin, end),
		cmocka_unit_test_setup_teardown(process_entries, begin, end),
		cmocka_unit_test_setup_teardown(earlier_program, begin, end),
		cmocka_unit_test_setup_teardown(equal_objects_are_shared, begin, end),
		cmocka_unit_test_setup_teardown(full_object_table, begin, end),
	};

	return cmocka_run_group_tests_name("shm", tests, NULL, NULL);
}
