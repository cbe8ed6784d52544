/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_MEMBERS_H
#define PROFIL_MEMBERS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/attach.h"
#include "record/cgroup.h"
#include "record/recording.h"

/* Interval of members_look(), in ns: a process that joins is profiled after this time at most */
#define MEMBERS_LOOK_NS	((uint64_t)100000000)

/**
 * struct members - the processes of a control group
 * @directory: from cgroup_open(); not owned
 * @attach:    from attach_open()
 * @seen:      those that were in it at the last look
 * @now:       memory for the next list
 * @first:     the first process that was attached to; 0: none
 * @nr_attached: how many were attached to
 * @attached_ns: CLOCK_MONOTONIC when those of the first look were, in ns
 * @nr_refused: how many may not be profiled
 * @why:       why not, for the first of them, with the remedy. The caller may set @nr_refused to 0
 */
struct members {
	const char *directory;
	struct attach *attach;
	struct recording *recording;
	struct cgroup_pids seen;
	struct cgroup_pids now;
	pid_t first;
	size_t nr_attached;
	uint64_t attached_ns;
	size_t nr_refused;
	char why[ATTACH_WHY];
};

/**
 * members_look - attach to the processes that have joined since the last look
 * @members: @directory, @attach and @recording are set; the rest is zero at first
 *
 * A process that a profiled one has forked is profiled already. A process that may not be profiled
 * is counted, and not tried again while it stays. This process and its children are left out, and
 * so are kernel threads.
 *
 * Return: how many processes are in the control group and profiled; or -errno: the log cannot be
 * read, or -ENOMEM.
 */
ssize_t members_look(struct members *members);

/*
 * Attach to a process, unless a profiled one has forked it. Then recording_open_files() is to be
 * called. Return: 1: attached; 0: not, and if it may not be profiled, it is counted; or -errno.
 */
int members_join(struct members *members, pid_t pid);

/* Free the memory. */
void members_release(struct members *members);

#endif /* PROFIL_MEMBERS_H */
