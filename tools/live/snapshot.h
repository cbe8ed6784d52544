/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes snapshots of a run by a helper, while this process continues to read the log. So no slow
 * disk and no large result can let the log become full.
 */
#ifndef PROFIL_SNAPSHOT_H
#define PROFIL_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include "live/run.h"
#include "result/resultfile.h"
#include "util/helper.h"

/**
 * struct snapshot - the last snapshot; all zero: none
 * @file:        the file that it writes
 * @error:       why the last one was not written, as -errno, which has been reported; 0: it was
 * @is_wanted:   another one was requested while it was written
 * @has_explained_pause: the user knows that snapshots take long
 */
struct snapshot {
	struct helper helper;
	struct resultfile *file;
	int error;
	bool is_wanted;
	bool has_explained_pause;
};

/*
 * Whether a file can be replaced by later results. A pipe can take only one result, because its
 * reader ends when it is closed.
 */
bool snapshot_is_possible(const char *path);

/**
 * snapshot_begin - begin to write a snapshot
 * @file:     the file; without a path, nothing is written
 * @log:      descriptor of the log, which the helper closes: it would keep the log open
 *
 * If there can be no helper, this process writes it. Why there is no snapshot is printed, unless it
 * was the same the last time.
 */
void snapshot_begin(struct snapshot *snapshot, const struct live_run *run, struct resultfile *file,
		    int log);

/* Whether the last snapshot has been written, or could not be. @wait: wait for it */
bool snapshot_has_ended(struct snapshot *snapshot, bool wait);

/**
 * snapshot_explain_pause - say once that snapshots are taken less often than requested
 * @pause_ns:    how long none is taken now
 */
void snapshot_explain_pause(struct snapshot *snapshot, uint64_t pause_ns, uint64_t interval_ns);

#endif /* PROFIL_SNAPSHOT_H */
