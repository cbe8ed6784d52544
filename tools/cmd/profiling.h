/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_PROFILING_H
#define PROFIL_PROFILING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "cmd/table_choice.h"
#include "push/server.h"
#include "record/attach.h"
#include "top/top.h"

/**
 * struct profiling_options - what to profile, and how; times are in ns, 0: none
 * @attach:      how to sample
 * @command:     the command and its arguments; NULL: @cgroup, or @pids
 * @cgroup:      a control group, as for cgroup_open(); NULL: @pids
 * @children:    also the descendants that @pids have when they are attached
 * @force:       run the command even if it cannot be profiled
 * @duration_ns: the profile ends after this time
 * @snapshot_ns: interval of snapshots of the result
 * @has_interval: the user has chosen it
 * @progress_ns: interval of progress lines
 * @no_arguments: command lines are not in the result
 * @output:      path of the result file; NULL: the result is not written
 * @table:       output file of the table; NULL: it is not printed
 * @table_name:  its name in messages
 * @choice:      which table
 * @push:        where to push the samples of each interval; NULL: nowhere
 * @top:         a live view, instead of a result and a table; NULL: none
 */
struct profiling_options {
	struct attach_options attach;
	char **command;
	const char *cgroup;
	pid_t *pids;
	size_t nr_pids;
	bool children;
	bool force;
	uint64_t duration_ns;
	uint64_t snapshot_ns;
	bool has_interval;
	uint64_t progress_ns;
	bool no_arguments;
	const char *output;
	FILE *table;
	const char *table_name;
	struct table_choice choice;
	const struct server *push;
	const struct top_options *top;
};

/*
 * Profile a command, a control group or processes, and show the outcome. Return: the exit status of
 * `profil run'.
 */
int profiling_run(const struct profiling_options *options);

#endif /* PROFIL_PROFILING_H */
