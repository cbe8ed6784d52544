/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes snapshots of a run in a child process, while this one continues to read the log. So no
 * slow disk and no large result can let the log become full.
 */
#ifndef PROFIL_SNAPSHOT_H
#define PROFIL_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cmd/outcome.h"

/**
 * struct snapshot - the last snapshot; all zero: none
 * @child:  the process that writes it; 0: it has ended
 * @cpu_ns: CPU time that it took, in ns; 0: not known yet
 * @has_explained_pause: the user knows that snapshots take long
 */
struct snapshot {
	pid_t child;
	uint64_t cpu_ns;
	bool has_explained_pause;
};

/**
 * snapshot_begin - begin to write a snapshot
 * @snapshot: snapshot_has_ended()
 * @outcome:  the run
 * @so_far:   present state of the command
 * @log:      descriptor of the log, which the child closes: it would keep the log open
 *
 * If no process can be made, this process writes it.
 */
void snapshot_begin(struct snapshot *snapshot, struct outcome *outcome,
		    const struct child_end *so_far, int log);

/**
 * snapshot_has_ended - check whether the last snapshot has been written, or could not be
 * @snapshot: any
 * @outcome:  the run; is told the result
 * @wait:     wait for it
 */
bool snapshot_has_ended(struct snapshot *snapshot, struct outcome *outcome, bool wait);

/**
 * snapshot_explain_pause - say once that snapshots are taken less often than requested
 * @snapshot:    snapshot_has_ended()
 * @pause_ns:    how long none is taken now
 * @interval_ns: what was requested
 */
void snapshot_explain_pause(struct snapshot *snapshot, uint64_t pause_ns, uint64_t interval_ns);

#endif /* PROFIL_SNAPSHOT_H */
