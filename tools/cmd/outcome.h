/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The outcome of a run: writes its result and prints the table, or explains why there is none.
 */
#ifndef PROFIL_OUTCOME_H
#define PROFIL_OUTCOME_H

#include <stdbool.h>
#include <stdio.h>

#include "record/child.h"
#include "record/target.h"

/**
 * struct outcome - a run
 * @memory: its shared memory, from shm_create()
 * @argv:   the command and its arguments, terminated by NULL
 * @end:    how the command ended
 * @target: the program, as examined before the run
 * @unprofiled: programs that were not profiled; NULL: not observed
 * @table:  output file of the table
 * @table_name: its name in messages
 * @output: path of the result file; NULL: the result is not written, which has been reported
 * @has_written: @output is a snapshot of this run, so it need not be kept when it is replaced
 */
struct outcome {
	int memory;
	char *const *argv;
	const struct child_end *end;
	const struct target *target;
	struct unprofiled *unprofiled;
	FILE *table;
	const char *table_name;
	const char *output;
	bool has_written;
};

/**
 * outcome_show - write the result and print the table, or print why there is none
 * @outcome: the run, which has ended
 *
 * Errors do not change the exit status, which is that of the command.
 */
void outcome_show(struct outcome *outcome);

/**
 * outcome_snapshot - write the result of a run that has not ended, or print why there is none
 * @outcome: a struct outcome, without @end
 * @so_far:  present state of the command
 *
 * For struct child_watch.
 */
void outcome_snapshot(void *outcome, const struct child_end *so_far);

/**
 * outcome_explain_unwritten - print that the result cannot be written
 * @path:  path of the result file
 * @error: -errno
 */
void outcome_explain_unwritten(const char *path, int error);

#endif /* PROFIL_OUTCOME_H */
