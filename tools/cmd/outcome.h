/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The outcome of a run: writes its result and prints the table, or explains why there is none.
 */
#ifndef PROFIL_OUTCOME_H
#define PROFIL_OUTCOME_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cmd/table_choice.h"
#include "record/child.h"
#include "record/collect.h"
#include "record/recording.h"
#include "result/result.h"

/**
 * struct outcome - a run
 * @recording: what its log has told so far
 * @log:     the log
 * @argv:   the command and its arguments, or those of a process, terminated by NULL
 * @table:  output file of the table; NULL: it is not printed
 * @table_name: its name in messages
 * @choice: which table
 * @output: path of the result file; NULL: the result is not written, which has been reported
 * @no_arguments: command lines are not in the result
 * @has_written: @output is a snapshot of this run, so it need not be kept when it is replaced
 * @snapshot_error: why the last snapshot was not written, as -errno, which has been reported; 0: it
 *           was written
 */
struct outcome {
	const struct recording *recording;
	struct collect_log log;
	char *const *argv;
	FILE *table;
	const char *table_name;
	const struct table_choice *choice;
	const char *output;
	bool no_arguments;
	bool has_written;
	int snapshot_error;
};

/**
 * outcome_collect - make the result of a run
 * @outcome: the run
 * @end:     how the command ended, or its present state
 * @result:  filled in; must be released with result_release(), even on error
 *
 * Return: 0; -ENODATA: no process has been profiled; or -ENOMEM.
 */
int outcome_collect(const struct outcome *outcome, const struct child_end *end,
		    struct result *result);

/**
 * outcome_show - write the result and print the table, or print why there is none
 * @outcome: the run, which has ended
 * @end:     how the command ended
 *
 * Return: whether the result is in its file. If not, the reason has been printed.
 */
bool outcome_show(struct outcome *outcome, const struct child_end *end);

/**
 * outcome_takes_snapshots - whether a file can be replaced by later results
 * @path: path of the result file
 *
 * A pipe can take only one result, because its reader ends when it is closed.
 */
bool outcome_takes_snapshots(const char *path);

/**
 * outcome_snapshot - write the result of a run that has not ended
 * @outcome: the run
 * @so_far:  present state of the command
 *
 * Why there is no snapshot is printed, unless it was the same the last time.
 *
 * Return: to be given to outcome_snapshot_ended(), perhaps in another process: 0 or -errno;
 * -ENODATA: no process has been profiled; -ESPIPE: the file is a pipe or a device.
 */
int outcome_snapshot(struct outcome *outcome, const struct child_end *so_far);

/**
 * outcome_snapshot_ended - note how the last snapshot ended
 * @outcome: the run
 * @error:   as outcome_snapshot() returned it
 */
void outcome_snapshot_ended(struct outcome *outcome, int error);

/**
 * outcome_explain_unwritten - print that the result cannot be written
 * @path:  path of the result file
 * @error: -errno
 */
void outcome_explain_unwritten(const char *path, int error);

#endif /* PROFIL_OUTCOME_H */
