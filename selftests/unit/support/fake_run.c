// SPDX-License-Identifier: GPL-2.0-only
/*
 * The shared memory of a run as libprofil-run.so fills it, which tests can damage.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/fake_run.h"
#include "support/test.h"

void fake_run_fill(struct fake_run *run)
{
	size_t i;

	memset(run, 0, sizeof(*run));
	run->header = (struct profil_run){
		.magic = PROFIL_RUN_MAGIC,
		.version = PROFIL_RUN_VERSION,
		.owner = 1234,
		.nr_objects = FAKE_OBJECTS,
		.nr_processes = 1,
		.end = FAKE_BYTES,
	};
	for (i = 0; i < FAKE_OBJECTS; i++) {
		struct profil_run_object *object = &run->objects[i];

		object->start = 0x1000 * (i + 1);
		object->end = object->start + 4 * FAKE_COUNTERS;
		object->counters = FAKE_COUNTERS_AT(i);
		object->nr_counters = FAKE_COUNTERS;
		snprintf(object->path, sizeof(object->path), "/lib/object%zu", i);
	}
	run->processes[0] = (struct profil_run_process){
		.pid = 1234,
		.parent = 1233,
		.state = PROFIL_RUN_STARTED,
		.rate = 100,
		.requested_rate = 100,
	};
}

static void put(int fd, const void *from, size_t bytes, uint64_t at)
{
	assert_int_equal(pwrite(fd, from, bytes, (off_t)at), bytes);
}

int fake_run_memfd(const struct fake_run *run)
{
	int fd = memfd_create("fake", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	size_t i;

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, FAKE_BYTES), 0);
	put(fd, &run->header, sizeof(run->header), 0);
	put(fd, run->objects, sizeof(run->objects), PROFIL_RUN_OBJECTS_AT);
	put(fd, run->processes, sizeof(run->processes), PROFIL_RUN_PROCESSES_AT);
	put(fd, &run->outside, sizeof(run->outside), PROFIL_RUN_OUTSIDE_AT);
	for (i = 0; i < FAKE_OBJECTS; i++)
		put(fd, run->counters[i], sizeof(run->counters[i]), FAKE_COUNTERS_AT(i));
	return fd;
}
