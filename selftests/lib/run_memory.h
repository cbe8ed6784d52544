/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A run's memory (lib/preload/run.h) as the profil command makes it, and the test program
 * executed with it, as one that is profiled. For one file of each such program.
 */
#ifndef SELFTESTS_RUN_MEMORY_H
#define SELFTESTS_RUN_MEMORY_H

#include <stdlib.h>

#include "kselftest_harness.h"
#include "child.h"
#include "preload/run.h"

/* How the profiled program ends if all went as it should */
#define RAN		17

/* What the program does when it is profiled. Return: RAN; or another number, below 64. */
int program(const char *how);

FIXTURE(run) {
	int device;
	int memory;
	struct profil_run run;
	struct profil_run_process process;	/* the first */
};

/* As tools/record/shm.c does. */
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

/* Execute this program with a run's memory. Return: how it ended, as the shell has it. */
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

/* Whether code of a file whose path has this in it has its counters. */
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

/* With the memory of the fixture, and what it is after that. */
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

/* Samples of all processes of a run, whoever they are, but for those outside all objects. */
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
