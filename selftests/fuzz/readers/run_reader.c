// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the command makes of a run's memory, which the profiled program can write
 * what it likes to: reads it, makes a result of it, adds that up, and prints the report.
 * For libFuzzer; the sanitizers judge, and the promises of shm.h, result.h and
 * profile.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <record/collect.h>
#include <record/shm.h>
#include <report/profile.h>
#include <report/report.h>

#include "fake_symbols.h"
#include "support/fake_run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char name[] = "function";	/* of functions */

static void check_profile(const struct profile *profile)
{
	uint64_t samples = 0, percent100 = 0;
	size_t i;

	for (i = 0; i < profile->nr_rows; i++) {
		if (!profile->rows[i].samples || !profile->rows[i].function)
			abort();
		samples += profile->rows[i].samples;
		percent100 += profile->rows[i].percent100;
	}
	if (samples != profile->samples)
		abort();
	if (profile->nr_rows && percent100 != 10000)
		abort();
}

static void show(const struct shm *run)
{
	static char *argv[] = { "program", NULL };
	static const struct child_end end = { .pid = 7, .cpu_ns = 1000000 };
	struct profile profile;
	struct result result;
	char *text = NULL;
	size_t length;
	FILE *out;

	if (collect_result(&result, run, &end, argv))
		goto release;
	if (result_problem(&result))
		abort();
	if (!profile_make(&profile, &result, fake_symbols_find, name)) {
		check_profile(&profile);
		out = open_memstream(&text, &length);
		report_print(out, &(struct report){
			.result = &result,
			.profile = &profile,
		});
		fclose(out);
		free(text);
	}
	profile_release(&profile);
release:
	result_release(&result);
}

static void read_run(int fd)
{
	const char *why = NULL;
	struct shm run;
	int error = shm_read(fd, &run, &why);

	if (error == -EBADMSG && !why)
		abort();
	if (!error && run.nr_processes)
		show(&run);
	/* what explains it wants an end to the text */
	if (!error && strlen(run.header.message) >= sizeof(run.header.message))
		abort();
	shm_release(&run);
}

/* The input is what is used of the tables: all of them were too much to vary. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fake_run run;
	int fd;

	memset(&run, 0, sizeof(run));
	memcpy(&run, data, size < sizeof(run) ? size : sizeof(run));
	fd = fake_run_memfd(&run);
	read_run(fd);
	close(fd);
	return 0;
}
