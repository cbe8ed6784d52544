/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A run that may go on: what is known of it so far. Helpers look at their copy of it.
 */
#ifndef PROFIL_LIVE_RUN_H
#define PROFIL_LIVE_RUN_H

#include <stdbool.h>

#include "record/child.h"
#include "record/collect.h"
#include "record/recording.h"
#include "result/result.h"
#include "symbol/symbols.h"

/**
 * struct live_run - a run
 * @recording:    what its log has told so far
 * @so_far:       state of the command or the processes; at the end, how it ended
 * @argv:         the command and its arguments, or those of a process, terminated by NULL
 * @no_arguments: command lines are not in the result
 * @stored:       the result of a run that is over, without @recording; NULL: none
 */
struct live_run {
	struct recording *recording;
	struct collect_log log;
	struct child_end so_far;
	char *const *argv;
	bool no_arguments;
	const struct result *stored;
};

/**
 * live_collect - make the result of a run so far
 * @result: filled in; must be released with result_release(), even on error
 *
 * Return: 0; -ENODATA: no process has been profiled; or -ENOMEM.
 */
int live_collect(const struct live_run *run, struct result *result);

/**
 * live_symbols - open the symbols of a result
 * @recording: keeps files open: programs may have been removed or built again since they ran
 *
 * Return: to be given to symbols_free(); NULL: no memory.
 */
struct symbols *live_symbols(const struct recording *recording, const struct result *result);

#endif /* PROFIL_LIVE_RUN_H */
