// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes snapshots of a run in a child process, while this one continues to read the log. The exit
 * status of the child is the errno of the snapshot.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/snapshot.h"
#include "record/signals.h"
#include "util/failure.h"
#include "util/time_ns.h"

static void __attribute__((noreturn))
write_in_child(struct outcome *outcome, const struct child_end *so_far, int log)
{
	int error;

	if (log >= 0)
		close(log);
	error = outcome_snapshot(outcome, so_far);
	fflush(stderr);
	_exit(-error);
}

void snapshot_begin(struct snapshot *snapshot, struct outcome *outcome,
		    const struct child_end *so_far, int log)
{
	const uint64_t start = time_ns(CLOCK_PROCESS_CPUTIME_ID);
	sigset_t mask;

	/* a signal to the process group, as ^C, must not end the child, nor be forwarded twice */
	sigprocmask(SIG_BLOCK, NULL, &mask);
	signals_block();
	/* otherwise the child would write buffered text a second time */
	fflush(NULL);
	snapshot->child = fork();
	if (!snapshot->child)
		write_in_child(outcome, so_far, log);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	if (snapshot->child > 0)
		return;
	snapshot->child = 0;
	outcome_snapshot_ended(outcome, outcome_snapshot(outcome, so_far));
	snapshot->cpu_ns = time_ns(CLOCK_PROCESS_CPUTIME_ID) - start;
}

static uint64_t cpu_ns(const struct rusage *usage)
{
	return (uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * NS_PER_S +
	       (uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1000;
}

bool snapshot_has_ended(struct snapshot *snapshot, struct outcome *outcome, bool wait)
{
	struct rusage usage;
	pid_t waited;
	int status;

	if (!snapshot->child)
		return true;
	do {
		waited = wait4(snapshot->child, &status, wait ? 0 : WNOHANG, &usage);
	} while (waited < 0 && errno == EINTR);
	if (!waited)
		return false;
	snapshot->child = 0;
	if (waited < 0)
		return true;
	snapshot->cpu_ns = cpu_ns(&usage);
	/* killed: there is no message, and the next snapshot may succeed */
	outcome_snapshot_ended(outcome, WIFEXITED(status) ? -WEXITSTATUS(status) : -EINTR);
	return true;
}

void snapshot_explain_pause(struct snapshot *snapshot, uint64_t pause_ns, uint64_t interval_ns)
{
	if (snapshot->has_explained_pause || pause_ns <= interval_ns)
		return;
	snapshot->has_explained_pause = true;
	failure_warnx("to write the result takes %.2f s of CPU time, so it is written every %.1f s, not every %.1f s: choose a longer --interval",
		      (double)snapshot->cpu_ns / NS_PER_S, (double)pause_ns / NS_PER_S,
		      (double)interval_ns / NS_PER_S);
}
