// SPDX-License-Identifier: GPL-2.0-only
/*
 * A run's memory as libprofil would leave it, to be damaged by tests.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fake_run.h"
#include "test.h"

void fake_run_fill(struct fake_run *run)
{
	size_t i;

	memset(run, 0, sizeof(*run));
	run->header = (struct profil_run){
		.magic = PROFIL_RUN_MAGIC,
		.version = PROFIL_RUN_VERSION,
		.state = PROFIL_RUN_STARTED,
		.rate = 100,
		.pid = 1234,
		.text_bytes = 4,
		.objects = offsetof(struct fake_run, objects),
		.nr_objects = FAKE_OBJECTS,
		.outside = offsetof(struct fake_run, outside),
		.size = sizeof(*run),
	};
	for (i = 0; i < FAKE_OBJECTS; i++) {
		struct profil_run_object *object = &run->objects[i];

		object->start = 0x1000 * (i + 1);
		object->end = object->start + 4 * FAKE_COUNTERS;
		object->path = offsetof(struct fake_run, paths) +
			       i * sizeof(run->paths[0]);
		object->counters = offsetof(struct fake_run, counters) +
				   i * sizeof(run->counters[0]);
		object->nr_counters = FAKE_COUNTERS;
		snprintf(run->paths[i], sizeof(run->paths[i]), "/lib/object%zu",
			 i);
	}
}

int fake_run_memfd(const struct fake_run *run, size_t bytes)
{
	int fd = memfd_create("fake", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, run, bytes, 0), bytes);
	return fd;
}
