/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a run came to: its result, kept and shown, or why there is none.
 */
#ifndef PROFIL_OUTCOME_H
#define PROFIL_OUTCOME_H

#include <stdbool.h>
#include <stdio.h>

#include "record/child.h"
#include "record/target.h"

/**
 * struct outcome - a run that has ended
 * @memory: that it was counted in, from shm_create()
 * @argv:   the command and its arguments, ended by NULL
 * @end:    how it ended
 * @target: what was known of the program before
 * @unprofiled: what ran beside it without a profile; NULL: not known
 * @table:  where the table goes
 * @table_name: its name in messages
 * @output: file to keep the result in; NULL: it is not kept, which has been said
 * @has_written: @output is of this run already; the file before it has been kept
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
 * outcome_show - keep the result and show it, or say on standard error why there is none
 * @outcome: in question
 *
 * The exit status is the command's, whatever becomes of this.
 */
void outcome_show(struct outcome *outcome);

/**
 * outcome_snapshot - keep the result so far, or say on standard error why there is none
 * @outcome: a struct outcome, without @end
 * @so_far:  how the command is
 *
 * For struct child_watch.
 */
void outcome_snapshot(void *outcome, const struct child_end *so_far);

/**
 * outcome_explain_unwritten - say on standard error that the result is not kept
 * @path:  of the file
 * @error: -errno
 */
void outcome_explain_unwritten(const char *path, int error);

#endif /* PROFIL_OUTCOME_H */
