/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the CPU time of a run went, and whether its samples agree with it. report_head.c prints
 * this above the table.
 */
#ifndef PROFIL_ACCOUNT_H
#define PROFIL_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "result/result.h"

/**
 * struct account - CPU time and samples of a run; times are in seconds
 * @command_is_profiled: the command's own process has a profile. If its program could not be
 *                profiled, it has none, but may have executed others that have
 * @before:       CPU time of the command's own process before its first profile started
 * @after:        CPU time of that process after its last profile ended
 * @nr_forked:    other processes: forked children
 * @nr_attached:  other processes that ran already
 * @nr_executed:  other processes: executed programs
 * @nr_others:    all other processes, including those that are not in the list
 * @nr_unfinished: how many of @nr_others have an unknown CPU time: those whose end is not in the
 *                log, and those whose process IDs are not visible
 * @others:       profiled CPU time of the other processes, as far as it is known
 * @waited:       CPU time of the command and of all processes that were waited for
 * @total:        CPU time of all known processes: @profiled, @unprofiled and @rest
 * @profiled:     CPU time while a profile was running
 * @unprofiled:   CPU time of programs that were not profiled
 * @rest:         all other CPU time
 * @missing:      CPU time that should have samples, but has none; 0: within the tolerance
 * @excess:       CPU time of the samples minus the CPU time that was used; 0: within the tolerance
 */
struct account {
	bool command_is_profiled;
	double before;
	double after;
	uint64_t nr_forked;
	uint64_t nr_attached;
	uint64_t nr_executed;
	uint64_t nr_others;
	uint64_t nr_unfinished;
	double others;
	double waited;
	double total;
	double profiled;
	double unprofiled;
	double rest;
	double missing;
	double excess;
};

/* Account for the CPU time of a run. */
struct account account_make(const struct result *result);

#endif /* PROFIL_ACCOUNT_H */
