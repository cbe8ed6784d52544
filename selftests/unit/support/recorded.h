/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recording of a fake log, and the result made of it. Include it in one file per program.
 */
#ifndef RECORDED_H
#define RECORDED_H

#include <string.h>

#include <record/collect.h>

#include "support/fake_log.h"
#include "support/test.h"

#define PID	FAKE_PID
#define CHILD	(FAKE_PID + 1)

static struct fake_log fake;
static struct recording *recording;
static struct collect_log run_log;
static struct child_end run_end;
static struct result result;

FIXTURE(set_up)
{
	recording = recording_new();
	fake_log_open(&fake);
	run_log = (struct collect_log){ .status.rate = 100, .requested_rate = 100 };
	run_end = (struct child_end){ .pid = PID };
	return recording ? 0 : -1;
}

FIXTURE(tear_down)
{
	result_release(&result);
	recording_free(recording);
	fake_log_close(&fake);
	return 0;
}

static inline void collect(void)
{
	static char *argv[] = { "perl", "-e", "1", NULL };

	result_release(&result);
	assert_int_equal(collect_result(&result, recording, &run_log, &run_end, argv), 0);
	/* a result without a process is invalid */
	if (result.nr_processes)
		assert_string_equal(result_problem(&result) ? : "none", "none");
}

static inline void read_log(void)
{
	assert_int_equal(recording_read(recording, fake.read), 1);
	collect();
}

/* Start a program whose text, without a file that can be read, is at 0x10000. */
static inline void start(int pid)
{
	fake_log_exec(&fake, pid, 0, 0, "program");
	fake_log_run(&fake, pid);
	fake_log_map_file(&fake, pid, 0x10000, 0x2000, 0x1000, "/program", PROFIL_MAP_PROGRAM);
}

static inline void map(int pid, uint64_t at, const char *path)
{
	fake_log_map_file(&fake, pid, at, 0x1000, 0, path, 0);
}

static inline void map_memory(int pid, uint64_t from, uint64_t to)
{
	const struct profil_record_map memory = { .start = from, .end = to };

	fake_log_map(&fake, pid, &memory, "");
}

static inline const struct result_object *find_object(const char *path)
{
	size_t i;

	for (i = 0; i < result.nr_objects; i++)
		if (!strcmp(result.objects[i].path, path))
			return &result.objects[i];
	fail_msg("no object %s", path);
	return NULL;
}

static inline uint64_t samples_of(const char *path)
{
	return find_object(path)->samples;
}

#endif /* RECORDED_H */
