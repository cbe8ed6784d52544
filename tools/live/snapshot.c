// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes snapshots of a run by a helper, which returns the errno of the snapshot.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/snapshot.h"
#include "result/resultfile.h"
#include "util/failure.h"
#include "util/time_ns.h"

bool snapshot_is_possible(const char *path)
{
	struct stat st;

	return stat(path, &st) || S_ISREG(st.st_mode);
}

/* What the helper knows */
struct writing {
	const struct snapshot *snapshot;
	const struct live_run *run;
	struct resultfile *file;
};

/* Return: 0 or -errno; -ESPIPE: not a regular file. */
static int write_result(const struct writing *writing)
{
	struct result result;
	char *left = NULL;
	int error;

	if (!snapshot_is_possible(writing->file->path))
		return -ESPIPE;
	error = live_collect(writing->run, &result);
	if (!error)
		error = resultfile_replace(writing->file, &result, false, &left);
	/* otherwise each snapshot would leave a file */
	if (left)
		unlink(left);
	free(left);
	result_release(&result);
	return error;
}

static int write_snapshot(void *data)
{
	const struct writing *writing = data;
	const int error = writing->file->path ? write_result(writing) : 0;

	if (!error || error == writing->snapshot->error)
		return -error;
	if (error == -ESPIPE)
		failure_warnx("no result yet: %s is not a regular file, so the result is written only at the end of the run",
			      writing->file->path);
	else if (error == -ENODATA)
		failure_warnx("no result yet: no program has been profiled");
	else
		resultfile_explain_unwritten(writing->file->path, error, "the result");
	return -error;
}

static void note_end(struct snapshot *snapshot)
{
	/* killed: there is no message, and the next snapshot may succeed */
	snapshot->error = snapshot->helper.killer ? -EINTR : snapshot->helper.error;
	if (snapshot->error || !snapshot->file->path)
		return;
	snapshot->file->is_written = true;
	resultfile_look(snapshot->file);
}

void snapshot_begin(struct snapshot *snapshot, const struct live_run *run, struct resultfile *file,
		    int log)
{
	struct writing writing = { snapshot, run, file };
	const struct helper_work work = {
		.run = write_snapshot, .data = &writing, .closes = log, .is_beside = true,
		.outlives = true,
	};
	const uint64_t start = time_ns(CLOCK_PROCESS_CPUTIME_ID);

	snapshot->file = file;
	snapshot->is_wanted = false;
	if (!helper_start(&snapshot->helper, &work))
		return;
	snapshot->helper.error = -write_snapshot(&writing);
	snapshot->helper.cpu_ns = time_ns(CLOCK_PROCESS_CPUTIME_ID) - start;
	note_end(snapshot);
}

bool snapshot_has_ended(struct snapshot *snapshot, bool wait)
{
	if (!snapshot->helper.pid)
		return true;
	if (!helper_has_ended(&snapshot->helper, wait))
		return false;
	note_end(snapshot);
	return true;
}

void snapshot_explain_pause(struct snapshot *snapshot, uint64_t pause_ns, uint64_t interval_ns)
{
	/* a smaller difference is none in the figures of the message */
	if (snapshot->has_explained_pause || pause_ns <= interval_ns + interval_ns / 10)
		return;
	snapshot->has_explained_pause = true;
	failure_warnx("to write the result takes %.2f s of CPU time, so it is written every %.1f s, not every %.1f s: choose a longer --interval",
		      (double)snapshot->helper.cpu_ns / NS_PER_S, (double)pause_ns / NS_PER_S,
		      (double)interval_ns / NS_PER_S);
}
