/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The outcome of a run: writes its result and prints the table, or explains why there is none.
 */
#ifndef PROFIL_OUTCOME_H
#define PROFIL_OUTCOME_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "record/child.h"
#include "record/collect.h"
#include "record/recording.h"
#include "result/result.h"

/**
 * struct outcome - a run
 * @recording: what its log has told so far
 * @log:     the log
 * @argv:   the command and its arguments, or those of a process, terminated by NULL
 * @table:  output file of the table
 * @table_name: its name in messages
 * @output: path of the result file; NULL: the result is not written, which has been reported
 * @has_written: @output is a snapshot of this run, so it need not be kept when it is replaced
 */
struct outcome {
	const struct recording *recording;
	struct collect_log log;
	char *const *argv;
	FILE *table;
	const char *table_name;
	const char *output;
	bool has_written;
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
 * Errors do not change the exit status, which is that of the command.
 */
void outcome_show(struct outcome *outcome, const struct child_end *end);

/**
 * outcome_snapshot - write the result of a run that has not ended, or print why there is none
 * @outcome: the run
 * @so_far:  present state of the command
 */
void outcome_snapshot(struct outcome *outcome, const struct child_end *so_far);

/**
 * outcome_explain_unwritten - print that the result cannot be written
 * @path:  path of the result file
 * @error: -errno
 */
void outcome_explain_unwritten(const char *path, int error);

#endif /* PROFIL_OUTCOME_H */
