// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzzes the command with the shared memory of a run, which the profiled program can
 * overwrite: it is read, made into a result, added up, and reported. The sanitizers report
 * errors, and the guarantees of shm.h, result.h and profile.h are checked.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <record/collect.h>
#include <record/shm.h>
#include <profile/profile.h>
#include <report/report.h>

#include "fake_symbols.h"
#include "support/fake_run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char name[] = "function";	/* name of functions */

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
	/* the message is terminated */
	if (!error && strlen(run.header.message) >= sizeof(run.header.message))
		abort();
	shm_release(&run);
}

/* The input is the used part of the tables; all of them would be too large to mutate. */
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
