/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A run whose log a test writes, and an empty directory for its files. Include it in one file per
 * program.
 */
#ifndef OUTCOME_RUN_H
#define OUTCOME_RUN_H

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmd/outcome.h>
#include <record/recording.h>

#include "support/test.h"

#define PID	1234

static char *argv[] = { "prog", NULL };
static char directory[] = "run.XXXXXX";
static struct recording *recording;
static const struct table_choice table_choice;
static struct resultfile file_of_run;
static struct outcome outcome;
static struct live_run run;
static int log_ends[2];	/* in place of the log: a reader sees that the last writer has closed it */

static int begin_run(void)
{
	recording = recording_new();
	assert_non_null(recording);
	assert_int_equal(pipe2(log_ends, O_NONBLOCK), 0);
	file_of_run = (struct resultfile){ .path = "out" };
	outcome = (struct outcome){ .file = &file_of_run, .choice = &table_choice };
	run = (struct live_run){
		.recording = recording, .log.requested_rate = 100, .argv = argv, .so_far.pid = PID,
	};
	strcpy(strrchr(directory, '.') + 1, "XXXXXX");
	return mkdtemp(directory) && !chdir(directory) ? 0 : -1;
}

FIXTURE(tear_down)
{
	recording_free(recording);
	close(log_ends[0]);
	close(log_ends[1]);
	unlink("out");
	unlink("out.old");
	return chdir("..") || rmdir(directory);
}

#endif /* OUTCOME_RUN_H */
