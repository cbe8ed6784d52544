/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A run's memory (lib/preload/run.h) as the profil command creates it, and a test program that is
 * executed with it, as if it were profiled. Include this in one file of a program: it has main().
 */
#ifndef SELFTESTS_RUN_MEMORY_H
#define SELFTESTS_RUN_MEMORY_H

#include <stdlib.h>

#include "kselftest_harness.h"
#include "child.h"
#include "preload/run.h"

/* Exit status of the profiled program if all its checks pass */
#define RAN		17

/* Runs in the profiled program. Returns RAN, or another number below 64. */
int program(const char *how);

FIXTURE(run) {
	int device;
	int memory;
	struct profil_run run;
	struct profil_run_process process;	/* the first one */
};

/* Creates the memory like tools/record/shm.c. */
FIXTURE_SETUP(run)
{
	REQUIRE_DEVICE(self->device);
	self->run = (struct profil_run) {
		.magic = PROFIL_RUN_MAGIC,
		.version = PROFIL_RUN_VERSION,
		.rate = get_info(self->device).tick_hz,
		.end = PROFIL_RUN_COUNTERS_AT,
	};
	self->memory = memfd_create("run", MFD_ALLOW_SEALING);
	ASSERT_LE(0, self->memory);
	ASSERT_EQ(0, ftruncate(self->memory, PROFIL_RUN_COUNTERS_AT));
}

FIXTURE_TEARDOWN(run)
{
	close(self->memory);
	close(self->device);
}

/* Executes this program with a run's memory. Returns its exit status, as a shell reports it. */
static inline int run_program(const char *memory, const char *how, int (*before)(unsigned long),
			      unsigned long arg)
{
	pid_t pid = fork();

	if (!pid) {
		setenv("PROFIL_RUN", memory, 1);
		if (before && before(arg))
			_exit(1);
		execl("/proc/self/exe", "itself", "run", how, NULL);
		_exit(2);
	}
	return pid < 0 ? -1 : wait_for(pid);
}

static inline struct profil_run_process process(int memory, int i)
{
	struct profil_run_process process = { 0 };

	pread(memory, &process, sizeof(process),
	      PROFIL_RUN_PROCESSES_AT + i * (off_t)sizeof(process));
	return process;
}

/* Returns whether the run has counters for a file whose path contains @part. */
static inline bool has_object(int memory, const struct profil_run *run, const char *part)
{
	struct profil_run_object object;
	uint32_t i;

	for (i = 0; i < run->nr_objects; i++) {
		pread(memory, &object, sizeof(object),
		      PROFIL_RUN_OBJECTS_AT + i * (off_t)sizeof(object));
		if (strstr(object.path, part))
			return true;
	}
	return false;
}

/* Runs the program with the fixture's memory, and reads that memory again. */
#define RUN(how, before, arg) ({					\
	char _name[64];							\
	int _status;							\
									\
	snprintf(_name, sizeof(_name), "/proc/self/fd/%d",		\
		 self->memory);						\
	ASSERT_EQ((ssize_t)sizeof(self->run),				\
		  pwrite(self->memory, &self->run, sizeof(self->run), 0)); \
	_status = run_program(_name, how, before, arg);			\
	ASSERT_EQ((ssize_t)sizeof(self->run),				\
		  pread(self->memory, &self->run, sizeof(self->run), 0)); \
	self->process = process(self->memory, 0);			\
	_status;							\
})

/* Returns the samples of all processes of a run, except those outside of all objects. */
static inline uint64_t samples_of_run(int memory, const struct profil_run *run)
{
	const char *all = mmap(NULL, run->end, PROT_READ, MAP_SHARED, memory, 0);
	const struct profil_run_object *object;
	const uint32_t *counters;
	uint64_t sum = 0, k;
	uint32_t i;

	if (all == MAP_FAILED)
		return 0;
	for (i = 0; i < run->nr_objects; i++) {
		object = (const void *)(all + PROFIL_RUN_OBJECTS_AT + i * sizeof(*object));
		counters = (const void *)(all + object->counters);
		for (k = 0; k < object->nr_counters; k++)
			sum += counters[k];
	}
	munmap((void *)all, run->end);
	return sum;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "run"))
		return program(argv[2]);
	return test_harness_run(argc, argv);
}

#endif /* SELFTESTS_RUN_MEMORY_H */
