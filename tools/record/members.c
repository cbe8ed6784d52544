// SPDX-License-Identifier: GPL-2.0-only
/*
 * Profiles the processes of a control group: those that are in it, and those that join it.
 *
 * The kernel does not report who joins (inotify(7) of cgroup.procs is silent), so the lists are
 * read at intervals. The log has the forks of profiled processes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "record/members.h"
#include "record/procfs.h"
#include "util/time_ns.h"

/* How often the lists are read again at once, as processes may have forked meanwhile */
#define REPEATS	10

/* This process, or a helper of it */
static bool is_own(pid_t pid)
{
	return pid == getpid() || procfs_read_parent(pid) == getpid();
}

static void refuse(struct members *members, const char *why)
{
	if (!members->nr_refused++)
		snprintf(members->why, sizeof(members->why), "%s", why);
}

/*
 * EBUSY: the process is attached, perhaps because a profiled one has forked it. Then its FORK is in
 * the log, and perhaps its EXIT, too. Return: 0: it was known, or is now; -EBUSY; or another
 * -errno.
 */
static int find_fork(struct members *members, pid_t pid)
{
	int error = recording_open_files(members->recording);

	if (!error)
		error = recording_read(members->recording, members->attach->device);
	if (error < 0)
		return error;
	return recording_has_process(members->recording, pid) ? 0 : -EBUSY;
}

int members_join(struct members *members, pid_t pid)
{
	/* before its first sample */
	const uint64_t base_ns = time_cpu_ns(pid);
	char why[ATTACH_WHY];
	int error, found, tries = 0;

	do {
		error = attach_process(members->attach, pid, false, why);
		if (error == -EBUSY) {
			found = find_fork(members, pid);
			if (found != -EBUSY)
				return found;
		}
		/* if it has ended meanwhile, it is not busy any more */
	} while (error == -EBUSY && !tries++);
	/* ESRCH: also a kernel thread */
	if (error == -ESRCH || (error == -ENOENT && kill(pid, 0) && errno == ESRCH))
		return 0;
	if (error) {
		refuse(members, why);
		return 0;
	}
	if (!members->nr_attached++)
		members->first = pid;
	error = recording_add_process(members->recording, pid, base_ns);
	return error ? error : 1;
}

/* Return: number of processes that were attached to, or -errno. */
static int look_once(struct members *members)
{
	const struct cgroup_pids seen = members->seen;
	int attached = 0, status = cgroup_list(members->directory, &members->now);
	size_t i;

	for (i = 0; status >= 0 && i < members->now.nr; i++) {
		const pid_t pid = members->now.list[i];

		status = 0;
		/* not there at the last look: an ID is not used again within so short a time */
		if (!cgroup_has(&members->seen, pid) && !is_own(pid) &&
		    !recording_has_process(members->recording, pid))
			status = members_join(members, pid);
		attached += status;
	}
	if (!members->attached_ns)
		members->attached_ns = time_ns(CLOCK_MONOTONIC);
	/* only now: it takes longer, and meanwhile the others would not be sampled */
	if (status >= 0)
		status = recording_open_files(members->recording);
	members->seen = members->now;
	members->now = seen;
	return status < 0 ? status : attached;
}

ssize_t members_look(struct members *members)
{
	int status, repeats = 0;
	ssize_t nr = 0;
	size_t i;

	do {
		status = look_once(members);
	} while (status > 0 && repeats++ < REPEATS);
	if (status < 0)
		return status;
	for (i = 0; i < members->seen.nr; i++)
		nr += recording_has_process(members->recording, members->seen.list[i]);
	return nr;
}

void members_release(struct members *members)
{
	free(members->seen.list);
	free(members->now.list);
}
