/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_MEANWHILE_H
#define PROFIL_MEANWHILE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "cmd/outcome.h"
#include "cmd/profiling.h"
#include "cmd/progress.h"
#include "live/pusher.h"
#include "live/run.h"
#include "live/snapshot.h"
#include "record/attach.h"
#include "record/members.h"
#include "record/wait.h"
#include "top/top.h"

/* State of a run */
struct profiling {
	const struct profiling_options *options;	/* what to profile, and how */
	struct attach attach;	/* the log; closed if the command is not profiled */
	struct live_run run;	/* what is known of it so far */
	struct resultfile file;	/* the result file */
	struct outcome outcome;	/* how to show it */
	struct snapshot snapshot;
	struct pusher pusher;	/* pushes the samples of each interval */
	struct progress progress;
	struct top *top;	/* the live view; NULL: none */
	struct members members;	/* of the control group, if there is one */
	bool is_unwritten;	/* the result could not be written, which has been reported */
	uint64_t start;	/* when the run started, by time_ns(CLOCK_MONOTONIC) */
};

/* Read the status of the log. */
void meanwhile_read_status(struct profiling *profiling);

/* Update the state of the run, and the status of the log. */
void meanwhile_update(struct profiling *profiling);

/* Wait for the last snapshot: the result must not be replaced by it. */
void meanwhile_end_snapshots(struct profiling *profiling);

/* Wait until the command ends, or the profile. */
enum wait_end meanwhile_wait(struct profiling *profiling, int process, const sigset_t *waiting);

#endif /* PROFIL_MEANWHILE_H */
