// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a run does while processes are profiled: reads the log, takes snapshots, and shows progress
 * or a live view.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>

#include "cmd/meanwhile.h"
#include "record/signals.h"
#include "util/failure.h"
#include "util/time_ns.h"

void meanwhile_read_status(struct profiling *profiling)
{
	struct collect_log *log = &profiling->run.log;

	attach_status(&profiling->attach, &log->status);
	log->requested_rate = profiling->attach.options.rate;
	log->bytes = profiling->attach.log_bytes;
	log->wanted_bytes = profiling->attach.wanted_log_bytes;
	log->no_follow = !profiling->attach.options.follow;
}

void meanwhile_update(struct profiling *profiling)
{
	const struct profiling_options *options = profiling->options;
	struct child_end *so_far = &profiling->run.so_far;
	uint64_t attached_ns;

	so_far->elapsed_ns = time_ns(CLOCK_MONOTONIC) - profiling->start;
	recording_read_times(profiling->run.recording);
	attached_ns = recording_attached_ns(profiling->run.recording, so_far->pid);
	so_far->cpu_ns = options->command ? time_cpu_ns(so_far->pid) : attached_ns;
	so_far->children_cpu_ns = recording_all_attached_ns(profiling->run.recording) - attached_ns;
	meanwhile_read_status(profiling);
}

/* For a helper, which gets a copy */
static void bring_up_to_date(struct profiling *profiling)
{
	meanwhile_update(profiling);
	if (recording_read_names(profiling->run.recording) ||
	    recording_settle(profiling->run.recording))
		failure_warn("profile", ENOMEM);
	recording_sort(profiling->run.recording);
}

static void begin_snapshot(struct profiling *profiling)
{
	bring_up_to_date(profiling);
	snapshot_begin(&profiling->snapshot, &profiling->run, &profiling->file,
		       profiling->attach.device);
}

/* While the snapshot before is written, one at an interval is omitted, and a request waits. */
static uint64_t take_snapshot(void *data, bool is_requested)
{
	struct profiling *profiling = data;
	const struct profiling_options *options = profiling->options;
	uint64_t pause_ns;

	if (!is_requested && options->push) {
		bring_up_to_date(profiling);
		pusher_push(&profiling->pusher, &profiling->run, profiling->attach.device);
	}
	/* the interval is that of --push, and a pipe takes only one result */
	if (!is_requested && !options->has_interval &&
	    (!options->output || !snapshot_is_possible(options->output)))
		return 0;
	profiling->snapshot.is_wanted |= is_requested;
	if (!snapshot_has_ended(&profiling->snapshot, false))
		return 0;
	pause_ns = helper_pause(profiling->snapshot.helper.cpu_ns);
	if (options->has_interval)
		snapshot_explain_pause(&profiling->snapshot, pause_ns, options->snapshot_ns);
	begin_snapshot(profiling);
	return pause_ns;
}

static void continue_snapshots(struct profiling *profiling)
{
	if (snapshot_has_ended(&profiling->snapshot, false) &&
	    profiling->snapshot.is_wanted)
		begin_snapshot(profiling);
}

void meanwhile_end_snapshots(struct profiling *profiling)
{
	snapshot_has_ended(&profiling->snapshot, true);
}

static uint64_t show_progress(void *data)
{
	struct profiling *profiling = data;
	const struct collect_log *log = &profiling->run.log;

	meanwhile_read_status(profiling);
	progress_show(&profiling->progress, time_ns(CLOCK_MONOTONIC) - profiling->start,
		      recording_samples(profiling->run.recording),
		      log->status.rate ? log->status.rate : log->requested_rate);
	return 0;
}

static uint64_t show_top(void *data)
{
	struct profiling *profiling = data;

	profiling->run.so_far.elapsed_ns = time_ns(CLOCK_MONOTONIC) - profiling->start;
	meanwhile_read_status(profiling);
	if (top_show(profiling->top, &profiling->run))
		failure_warn("profile", ENOMEM);
	return 0;
}

static bool read_key(void *data)
{
	struct profiling *profiling = data;

	meanwhile_update(profiling);
	return top_key(profiling->top, &profiling->run);
}

/* Return: whether the profile continues. */
static bool look(struct profiling *profiling)
{
	const ssize_t nr = members_look(&profiling->members);

	if (nr < 0)
		failure_warnx("%s: %s (%s): the profile ends here", profiling->members.directory,
			      strerror((int)-nr), strerrorname_np((int)-nr));
	return nr > 0;
}

static uint64_t look_for_members(void *data)
{
	const uint64_t start = time_ns(CLOCK_PROCESS_CPUTIME_ID);

	return look(data) ? helper_pause(time_ns(CLOCK_PROCESS_CPUTIME_ID) - start) : UINT64_MAX;
}

/* All profiled processes of the control group have ended. Return: whether others have joined. */
static bool others_join(struct profiling *profiling)
{
	const size_t nr = profiling->members.nr_attached;

	return look(profiling) && profiling->members.nr_attached > nr;
}

static int read_log(void *data)
{
	struct profiling *profiling = data;
	int more;

	continue_snapshots(profiling);
	more = recording_read(profiling->run.recording, profiling->attach.device);
	if (more < 0)
		failure_warnx("the log of the samples: %s (%s): the profile ends here",
			      strerror(-more), strerrorname_np(-more));
	if (!more && profiling->options->cgroup)
		return others_join(profiling);
	return more > 0;
}

enum wait_end meanwhile_wait(struct profiling *profiling, int process, const sigset_t *waiting)
{
	const struct profiling_options *options = profiling->options;
	const struct wait wait = {
		.log = profiling->attach.device,
		.process = process,
		.keys = options->top ? options->top->terminal : -1,
		.waiting = waiting,
		.end_ns = options->duration_ns ? profiling->start + options->duration_ns : 0,
		.snapshot_ns = options->snapshot_ns,
		.progress_ns = options->progress_ns,
		.look_ns = options->cgroup ? MEMBERS_LOOK_NS : 0,
		.read = read_log,
		.snapshot = take_snapshot,
		.progress = profiling->top ? show_top : show_progress,
		.look = look_for_members,
		.key = read_key,
		.data = profiling,
	};
	enum wait_end end;

	if (profiling->top || !options->progress_ns)
		return wait_for_end(&wait);
	progress_begin(&profiling->progress, stderr);
	end = wait_for_end(&wait);
	progress_end(&profiling->progress);
	return end;
}
