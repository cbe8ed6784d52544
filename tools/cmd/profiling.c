// SPDX-License-Identifier: GPL-2.0-only
/*
 * A run: attaches to a command, a control group or processes, reads their log until the end, and
 * shows the outcome.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/announce.h"
#include "cmd/commands.h"
#include "cmd/not_run.h"
#include "cmd/outcome.h"
#include "cmd/progress.h"
#include "cmd/profiling.h"
#include "cmd/snapshot.h"
#include "record/cgroup.h"
#include "record/child.h"
#include "record/members.h"
#include "record/procfs.h"
#include "record/recording.h"
#include "record/signals.h"
#include "record/wait.h"
#include "util/failure.h"
#include "util/time_ns.h"

/**
 * struct profiling - state of a run
 * @options:    what to profile, and how
 * @attach:     the log; closed if the command is not profiled
 * @recording:  what the log has told so far
 * @outcome:    the run's outcome
 * @snapshot:   the last snapshot
 * @wants_snapshot: one was requested while another was written
 * @progress:   the progress line; NULL: none
 * @members:    of the control group, if there is one
 * @so_far:     state of the command, or of the processes
 * @start:      when the run started, by time_ns(CLOCK_MONOTONIC)
 */
struct profiling {
	const struct profiling_options *options;
	struct attach attach;
	struct recording *recording;
	struct outcome outcome;
	struct snapshot snapshot;
	bool wants_snapshot;
	struct progress *progress;
	struct members members;
	struct child_end so_far;
	uint64_t start;
};

/* --- while processes are profiled ---------------------------------------------- */

static void read_status(struct profiling *profiling)
{
	struct collect_log *log = &profiling->outcome.log;

	attach_status(&profiling->attach, &log->status);
	log->requested_rate = profiling->attach.options.rate;
	log->bytes = profiling->attach.log_bytes;
	log->wanted_bytes = profiling->attach.wanted_log_bytes;
	log->no_follow = !profiling->attach.options.follow;
}

/* Update the state of the run, and the status of the log. */
static void update(struct profiling *profiling)
{
	const struct profiling_options *options = profiling->options;
	struct child_end *so_far = &profiling->so_far;
	uint64_t attached_ns;

	so_far->elapsed_ns = time_ns(CLOCK_MONOTONIC) - profiling->start;
	recording_read_times(profiling->recording);
	attached_ns = recording_attached_ns(profiling->recording, so_far->pid);
	so_far->cpu_ns = options->command ? time_cpu_ns(so_far->pid) : attached_ns;
	so_far->children_cpu_ns = recording_all_attached_ns(profiling->recording) - attached_ns;
	read_status(profiling);
}

/* Not for the progress line: a runtime may have written a large file. */
static void read_names(struct profiling *profiling)
{
	if (recording_read_names(profiling->recording))
		failure_warn("profile", ENOMEM);
}

/* Return: the time after which something that takes @cost_ns has taken 5 %. */
static uint64_t pause_after(uint64_t cost_ns)
{
	return 20 * cost_ns;
}

static void begin_snapshot(struct profiling *profiling)
{
	profiling->wants_snapshot = false;
	update(profiling);
	read_names(profiling);
	recording_sort(profiling->recording);
	snapshot_begin(&profiling->snapshot, &profiling->outcome, &profiling->so_far,
		       profiling->attach.device);
}

/* While the snapshot before is written, one at an interval is omitted, and a request waits. */
static uint64_t take_snapshot(void *data, bool is_requested)
{
	struct profiling *profiling = data;
	uint64_t pause_ns;

	profiling->wants_snapshot |= is_requested;
	if (!snapshot_has_ended(&profiling->snapshot, &profiling->outcome, false))
		return 0;
	pause_ns = pause_after(profiling->snapshot.cpu_ns);
	if (profiling->options->has_interval)
		snapshot_explain_pause(&profiling->snapshot, pause_ns,
				       profiling->options->snapshot_ns);
	begin_snapshot(profiling);
	return pause_ns;
}

static void continue_snapshots(struct profiling *profiling)
{
	if (snapshot_has_ended(&profiling->snapshot, &profiling->outcome, false) &&
	    profiling->wants_snapshot)
		begin_snapshot(profiling);
}

/* Wait for the last snapshot: the result must not be replaced by it. */
static void end_snapshots(struct profiling *profiling)
{
	snapshot_has_ended(&profiling->snapshot, &profiling->outcome, true);
}

static uint64_t show_progress(void *data)
{
	const uint64_t start = time_ns(CLOCK_PROCESS_CPUTIME_ID);
	struct profiling *profiling = data;
	struct result result;
	int error;

	update(profiling);
	recording_sort(profiling->recording);
	error = outcome_collect(&profiling->outcome, &profiling->so_far, &result);
	if (!error || error == -ENODATA)
		progress_show(profiling->progress, error ? NULL : &result);
	result_release(&result);
	return pause_after(time_ns(CLOCK_PROCESS_CPUTIME_ID) - start);
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

	return look(data) ? pause_after(time_ns(CLOCK_PROCESS_CPUTIME_ID) - start) : UINT64_MAX;
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
	more = recording_read(profiling->recording, profiling->attach.device);
	if (more < 0)
		failure_warnx("the log of the samples: %s (%s): the profile ends here",
			      strerror(-more), strerrorname_np(-more));
	if (!more && profiling->options->cgroup)
		return others_join(profiling);
	return more > 0;
}

/* @process: as in struct wait */
static enum wait_end wait_until_end(struct profiling *profiling, int process,
				    const sigset_t *waiting)
{
	const struct profiling_options *options = profiling->options;
	const struct wait wait = {
		.log = profiling->attach.device,
		.process = process,
		.waiting = waiting,
		.end_ns = options->duration_ns ? profiling->start + options->duration_ns : 0,
		.snapshot_ns = options->snapshot_ns,
		.progress_ns = options->progress_ns,
		.look_ns = options->cgroup ? MEMBERS_LOOK_NS : 0,
		.read = read_log,
		.snapshot = take_snapshot,
		.progress = show_progress,
		.look = look_for_members,
		.data = profiling,
	};
	enum wait_end end;

	if (options->progress_ns)
		profiling->progress = progress_new(stderr);
	end = wait_for_end(&wait);
	progress_free(profiling->progress);
	profiling->progress = NULL;
	return end;
}

/* --- a command ------------------------------------------------------------------ */

/* Return: 0: the command is run nevertheless; else 1. */
static int refuse(const struct profiling *profiling, const char *why)
{
	const char *command = profiling->options->command[0];
	char *suggestion;

	if (profiling->options->force) {
		failure_warnx("no profile: %s", why);
		return 0;
	}
	/* the command may be a mistyped `report', which needs no module */
	suggestion = commands_suggest(command);
	failure_warnx("no profile, so %s is not run (--force runs it): %s%s", command, why,
		      suggestion ? suggestion : "");
	free(suggestion);
	return 1;
}

/* The command waits. Attach to it, which also shows whether it can be profiled. */
static int attach_command(void *data, pid_t pid)
{
	struct profiling *profiling = data;
	char why[ATTACH_WHY];
	int error;

	profiling->so_far.pid = pid;
	error = attach_open(&profiling->attach, &profiling->options->attach, why);
	if (!error)
		error = attach_process(&profiling->attach, pid, true, why);
	profiling->start = time_ns(CLOCK_MONOTONIC);
	if (!error)
		return 0;
	attach_close(&profiling->attach);
	return refuse(profiling, why);
}

/* End the profile while the processes continue. Return: whether the result is in its file. */
static bool finish(struct profiling *profiling)
{
	update(profiling);
	attach_close(&profiling->attach);
	end_snapshots(profiling);
	read_names(profiling);
	return outcome_show(&profiling->outcome, &profiling->so_far);
}

static void while_command_runs(void *data, const struct child_end *so_far, int process,
			       const sigset_t *waiting)
{
	struct profiling *profiling = data;

	profiling->so_far = *so_far;
	if (profiling->attach.device >= 0 &&
	    wait_until_end(profiling, process, waiting) == WAIT_PROFILE)
		finish(profiling);
}

static int run_command(struct profiling *profiling)
{
	const struct child_calls calls = {
		.attach = attach_command,
		.meanwhile = while_command_runs,
		.data = profiling,
	};
	const char *command = profiling->options->command[0];
	struct child_end end;
	int error;

	profiling->outcome.argv = profiling->options->command;
	error = child_run(profiling->options->command, &calls, &end);
	if (error) {
		/* refuse() has explained a positive one */
		if (error < 0)
			not_run_explain(command, -error);
		return EXIT_OWN_FAILURE;
	}
	if (end.exec_error) {
		not_run_explain_exec(command, end.exec_error);
	} else if (profiling->attach.device >= 0) {
		recording_read_times(profiling->recording);
		read_status(profiling);
		attach_close(&profiling->attach);
		end_snapshots(profiling);
		read_names(profiling);
		outcome_show(&profiling->outcome, &end);
	}
	return child_exit_status(&end);
}

/* --- processes that run already -------------------------------------------------- */

/* Return: 0; or -1, and the reason is printed. */
static int attach_processes(struct profiling *profiling)
{
	const struct profiling_options *options = profiling->options;
	char why[ATTACH_WHY];
	uint64_t *base_ns;
	int error;
	size_t i;

	base_ns = calloc(options->nr_pids, sizeof(*base_ns));
	if (!base_ns) {
		failure_warn("profile", ENOMEM);
		return -1;
	}
	error = attach_open(&profiling->attach, &options->attach, why);
	for (i = 0; !error && i < options->nr_pids; i++) {
		/* before its first sample */
		base_ns[i] = time_cpu_ns(options->pids[i]);
		error = attach_process(&profiling->attach, options->pids[i], false, why);
	}
	if (error) {
		failure_warnx("no profile: %s", why);
		goto out;
	}
	profiling->so_far.start_time_ns = time_ns(CLOCK_REALTIME);
	profiling->start = time_ns(CLOCK_MONOTONIC);
	for (i = 0; i < options->nr_pids; i++) {
		error = recording_add_process(profiling->recording, options->pids[i], base_ns[i]);
		/* if the process has just ended, its end is in the log */
		if (error == -ENOMEM) {
			failure_warn("profile", -error);
			goto out;
		}
	}
	error = 0;
out:
	free(base_ns);
	return error ? -1 : 0;
}

/* Attached processes run. Return: the exit status. */
static int profile_attached(struct profiling *profiling)
{
	struct signals old;
	sigset_t waiting;

	signals_begin(&old, false);
	signals_allow(&old, 0, &waiting);
	wait_until_end(profiling, -1, &waiting);
	signals_end(&old);
	return finish(profiling) ? 0 : EXIT_OWN_FAILURE;
}

static int profile_processes(struct profiling *profiling)
{
	int status = EXIT_OWN_FAILURE;
	char **argv;

	argv = procfs_read_command(profiling->options->pids[0]);
	if (!argv)
		failure_exit(EXIT_OWN_FAILURE, "profile", ENOMEM);
	profiling->outcome.argv = argv;
	profiling->so_far.pid = profiling->options->pids[0];
	if (!attach_processes(profiling)) {
		announce_processes(profiling->options->pids, profiling->options->nr_pids, argv[0],
				   profiling->options->duration_ns);
		status = profile_attached(profiling);
	}
	procfs_free_command(argv);
	return status;
}

/* --- a control group ------------------------------------------------------------- */

/* Say how many processes are not profiled, of those that have not been counted yet. */
static void explain_refused(struct members *members)
{
	if (members->nr_refused == 1)
		failure_warnx("1 process in %s is not profiled: %s", members->directory,
			      members->why);
	else if (members->nr_refused)
		failure_warnx("%zu processes in %s are not profiled; the first: %s",
			      members->nr_refused, members->directory, members->why);
	members->nr_refused = 0;
}

/* Return: 0; or -1, and the reason is printed. */
static int attach_members(struct profiling *profiling)
{
	struct members *members = &profiling->members;
	char why[ATTACH_WHY];
	ssize_t nr;

	if (attach_open(&profiling->attach, &profiling->options->attach, why)) {
		failure_warnx("no profile: %s", why);
		return -1;
	}
	profiling->so_far.start_time_ns = time_ns(CLOCK_REALTIME);
	profiling->start = time_ns(CLOCK_MONOTONIC);
	nr = members_look(members);
	if (nr < 0)
		failure_warn("profile", (int)-nr);
	else if (members->nr_attached)
		explain_refused(members);
	else if (members->nr_refused)
		failure_warnx("no profile of %s: %s", members->directory, members->why);
	else
		failure_warnx("no profile: %s: there is no process in it (ESRCH): start one, or name the control group above it",
			      members->directory);
	return nr >= 0 && members->nr_attached ? 0 : -1;
}

static int profile_members(struct profiling *profiling, const char *directory)
{
	struct members *members = &profiling->members;
	int status = EXIT_OWN_FAILURE;
	char **argv;

	members->directory = directory;
	members->attach = &profiling->attach;
	members->recording = profiling->recording;
	if (attach_members(profiling))
		return status;
	argv = procfs_read_command(members->first);
	if (!argv)
		failure_exit(EXIT_OWN_FAILURE, "profile", ENOMEM);
	profiling->outcome.argv = argv;
	profiling->outcome.log.cgroup = directory;
	profiling->so_far.pid = members->first;
	announce(directory, profiling->options->duration_ns);
	status = profile_attached(profiling);
	explain_refused(members);
	procfs_free_command(argv);
	return status;
}

static int profile_cgroup(struct profiling *profiling)
{
	char why[CGROUP_WHY], *directory;
	int status = EXIT_OWN_FAILURE;

	if (cgroup_open(profiling->options->cgroup, &directory, why))
		failure_warnx("no profile: %s", why);
	else
		status = profile_members(profiling, directory);
	members_release(&profiling->members);
	free(directory);
	return status;
}

int profiling_run(const struct profiling_options *options)
{
	struct profiling profiling = {
		.options = options,
		.attach.device = -1,
		.recording = recording_new(),
		.outcome = {
			.table = options->table,
			.table_name = options->table_name,
			.choice = &options->choice,
			.output = options->output,
		},
	};
	int status;

	if (!profiling.recording)
		failure_exit(EXIT_OWN_FAILURE, "profile", ENOMEM);
	profiling.outcome.recording = profiling.recording;
	if (options->command)
		status = run_command(&profiling);
	else
		status = options->cgroup ? profile_cgroup(&profiling) :
					   profile_processes(&profiling);
	attach_close(&profiling.attach);
	recording_free(profiling.recording);
	return status;
}
