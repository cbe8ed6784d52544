// SPDX-License-Identifier: GPL-2.0-only
/*
 * A run: attaches to a command or to processes, reads their log until the end, and shows the
 * outcome.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "cmd/outcome.h"
#include "cmd/progress.h"
#include "cmd/session.h"
#include "cmd/snapshot.h"
#include "record/child.h"
#include "record/procfs.h"
#include "record/recording.h"
#include "record/signals.h"
#include "record/watch.h"
#include "util/failure.h"
#include "util/time_ns.h"

/**
 * struct session - state of a run
 * @options:    what to profile, and how
 * @attach:     the log; closed if the command is not profiled
 * @recording:  what the log has told so far
 * @outcome:    the run's outcome
 * @snapshot:   the last snapshot
 * @wants_snapshot: one was requested while another was written
 * @has_explained_pause: the user knows that snapshots take long
 * @progress:   the progress line; NULL: none
 * @so_far:     state of the command, or of the processes
 * @start:      when the run started, by time_ns(CLOCK_MONOTONIC)
 */
struct session {
	const struct session_options *options;
	struct attach attach;
	struct recording *recording;
	struct outcome outcome;
	struct snapshot snapshot;
	bool wants_snapshot;
	bool has_explained_pause;
	struct progress *progress;
	struct child_end so_far;
	uint64_t start;
};

/* --- while processes are profiled ---------------------------------------------- */

static void read_status(struct session *session)
{
	struct collect_log *log = &session->outcome.log;

	attach_status(&session->attach, &log->status);
	log->requested_rate = session->attach.options.rate;
	log->bytes = session->attach.log_bytes;
	log->wanted_bytes = session->attach.wanted_log_bytes;
	log->no_follow = !session->attach.options.follow;
}

/* Update the state of the run, and the status of the log. */
static void update(struct session *session)
{
	const struct session_options *options = session->options;
	struct child_end *so_far = &session->so_far;
	size_t i;

	so_far->elapsed_ns = time_ns(CLOCK_MONOTONIC) - session->start;
	recording_read_times(session->recording);
	so_far->cpu_ns = options->command ?
			 time_cpu_ns(so_far->pid) :
			 recording_attached_ns(session->recording, so_far->pid);
	so_far->children_cpu_ns = 0;
	for (i = 1; i < options->nr_pids; i++)
		so_far->children_cpu_ns += recording_attached_ns(session->recording,
								 options->pids[i]);
	read_status(session);
}

/* Not for the progress line: a runtime may have written a large file. */
static void read_names(struct session *session)
{
	if (recording_read_names(session->recording))
		failure_warn("profile", ENOMEM);
}

/* Return: the time after which something that takes @cost_ns has taken 5 %. */
static uint64_t pause_after(uint64_t cost_ns)
{
	return 20 * cost_ns;
}

/* Say once that snapshots are taken less often than requested. */
static void explain_pause(struct session *session, uint64_t pause_ns)
{
	const uint64_t interval_ns = session->options->snapshot_ns;

	if (session->has_explained_pause || !interval_ns || pause_ns <= interval_ns)
		return;
	session->has_explained_pause = true;
	failure_warnx("to write the result takes %.2f s of CPU time, so it is written every %.1f s, not every %.1f s: choose a longer --interval",
		      (double)session->snapshot.cpu_ns / NS_PER_S, (double)pause_ns / NS_PER_S,
		      (double)interval_ns / NS_PER_S);
}

static void begin_snapshot(struct session *session)
{
	session->wants_snapshot = false;
	update(session);
	read_names(session);
	recording_sort(session->recording);
	snapshot_begin(&session->snapshot, &session->outcome, &session->so_far,
		       session->attach.device);
}

/* While the snapshot before is written, one at an interval is omitted, and a request waits. */
static uint64_t take_snapshot(void *data, bool is_requested)
{
	struct session *session = data;
	uint64_t pause_ns;

	session->wants_snapshot |= is_requested;
	if (!snapshot_has_ended(&session->snapshot, &session->outcome, false))
		return 0;
	pause_ns = pause_after(session->snapshot.cpu_ns);
	explain_pause(session, pause_ns);
	begin_snapshot(session);
	return pause_ns;
}

static void continue_snapshots(struct session *session)
{
	if (snapshot_has_ended(&session->snapshot, &session->outcome, false) &&
	    session->wants_snapshot)
		begin_snapshot(session);
}

/* Wait for the last snapshot: the result must not be replaced by it. */
static void end_snapshots(struct session *session)
{
	snapshot_has_ended(&session->snapshot, &session->outcome, true);
}

static uint64_t show_progress(void *data)
{
	const uint64_t start = time_ns(CLOCK_PROCESS_CPUTIME_ID);
	struct session *session = data;
	struct result result;
	int error;

	update(session);
	recording_sort(session->recording);
	error = outcome_collect(&session->outcome, &session->so_far, &result);
	if (!error || error == -ENODATA)
		progress_show(session->progress, error ? NULL : &result);
	result_release(&result);
	return pause_after(time_ns(CLOCK_PROCESS_CPUTIME_ID) - start);
}

static int read_log(void *data)
{
	struct session *session = data;
	int more;

	continue_snapshots(session);
	more = recording_read(session->recording, session->attach.device);
	if (more < 0)
		failure_warnx("the log of the samples: %s (%s): the profile ends here",
			      strerror(-more), strerrorname_np(-more));
	return more > 0;
}

/* @process: as in struct watch */
static enum watch_end watch(struct session *session, int process, const sigset_t *waiting)
{
	const struct session_options *options = session->options;
	const struct watch watch = {
		.log = session->attach.device,
		.process = process,
		.waiting = waiting,
		.end_ns = options->duration_ns ? session->start + options->duration_ns : 0,
		.snapshot_ns = options->snapshot_ns,
		.progress_ns = options->progress_ns,
		.read = read_log,
		.snapshot = take_snapshot,
		.progress = show_progress,
		.data = session,
	};
	enum watch_end end;

	if (options->progress_ns)
		session->progress = progress_new(stderr);
	end = watch_run(&watch);
	progress_free(session->progress);
	session->progress = NULL;
	return end;
}

/* --- a command ------------------------------------------------------------------ */

/* Return: 0: the command is run nevertheless; else 1. */
static int refuse(const struct session *session, const char *why)
{
	const char *command = session->options->command[0];
	char *suggestion;

	if (session->options->force) {
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
	struct session *session = data;
	char why[ATTACH_WHY];
	int error;

	session->so_far.pid = pid;
	error = attach_open(&session->attach, &session->options->attach, why);
	if (!error)
		error = attach_process(&session->attach, pid, true, why);
	session->start = time_ns(CLOCK_MONOTONIC);
	if (!error)
		return 0;
	attach_close(&session->attach);
	return refuse(session, why);
}

/* End the profile while the processes continue. Return: whether the result is in its file. */
static bool finish(struct session *session)
{
	update(session);
	attach_close(&session->attach);
	end_snapshots(session);
	read_names(session);
	return outcome_show(&session->outcome, &session->so_far);
}

static void watch_command(void *data, const struct child_end *so_far, int process,
			  const sigset_t *waiting)
{
	struct session *session = data;

	session->so_far = *so_far;
	if (session->attach.device >= 0 && watch(session, process, waiting) == WATCH_PROFILE)
		finish(session);
}

static void explain_exec_error(const char *command, int error)
{
	const char *remedy = "see execve(2)";
	char *suggestion = NULL;

	if (error == ENOENT && !strchr(command, '/'))
		remedy = "no such command in PATH; `profil help' lists the subcommands";
	else if (error == ENOENT)
		remedy = access(command, F_OK) ? "check the path of the command" :
			 "its interpreter or dynamic linker is missing";
	else if (error == EACCES)
		remedy = "not a program, or no permission to execute it (chmod +x)";
	else if (error == E2BIG)
		remedy = "too many arguments";
	if (error == ENOENT)
		suggestion = commands_suggest(command);
	failure_warnx("%s: %s (%s): %s%s", command, strerror(error), strerrorname_np(error), remedy,
		      suggestion ? suggestion : "");
	free(suggestion);
}

/* @error: errno of child_run() */
static void explain_not_run(const char *command, int error)
{
	/* of fork() */
	if (error == EAGAIN)
		failure_warnx("%s: %s (%s): process limit reached: end some processes, or raise the limit (ulimit -u, or pids.max of the control group)",
			      command, strerror(error), strerrorname_np(error));
	else
		failure_warn(command, error);
}

static int run_command(struct session *session)
{
	const struct child_calls calls = {
		.attach = attach_command,
		.watch = watch_command,
		.data = session,
	};
	const char *command = session->options->command[0];
	struct child_end end;
	int error;

	session->outcome.argv = session->options->command;
	error = child_run(session->options->command, &calls, &end);
	if (error) {
		/* refuse() has explained a positive one */
		if (error < 0)
			explain_not_run(command, -error);
		return EXIT_OWN_FAILURE;
	}
	if (end.exec_error) {
		explain_exec_error(command, end.exec_error);
	} else if (session->attach.device >= 0) {
		recording_read_times(session->recording);
		read_status(session);
		attach_close(&session->attach);
		end_snapshots(session);
		read_names(session);
		outcome_show(&session->outcome, &end);
	}
	return child_exit_status(&end);
}

/* --- processes that run already -------------------------------------------------- */

/* Return: 0; or -1, and the reason is printed. */
static int attach_processes(struct session *session)
{
	const struct session_options *options = session->options;
	char why[ATTACH_WHY];
	uint64_t *base_ns;
	int error;
	size_t i;

	base_ns = calloc(options->nr_pids, sizeof(*base_ns));
	if (!base_ns) {
		failure_warn("profile", ENOMEM);
		return -1;
	}
	error = attach_open(&session->attach, &options->attach, why);
	for (i = 0; !error && i < options->nr_pids; i++) {
		/* before its first sample */
		base_ns[i] = time_cpu_ns(options->pids[i]);
		error = attach_process(&session->attach, options->pids[i], false, why);
	}
	if (error) {
		failure_warnx("no profile: %s", why);
		goto out;
	}
	session->so_far.start_time_ns = time_ns(CLOCK_REALTIME);
	session->start = time_ns(CLOCK_MONOTONIC);
	for (i = 0; i < options->nr_pids; i++) {
		error = recording_add_process(session->recording, options->pids[i], base_ns[i]);
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

static int profile_processes(struct session *session)
{
	struct signals old;
	bool is_written;
	sigset_t waiting;
	char **argv;

	argv = procfs_read_command(session->options->pids[0]);
	if (!argv)
		failure_exit(EXIT_OWN_FAILURE, "profile", ENOMEM);
	session->outcome.argv = argv;
	session->so_far.pid = session->options->pids[0];
	if (attach_processes(session)) {
		procfs_free_command(argv);
		return EXIT_OWN_FAILURE;
	}
	signals_begin(&old, false);
	signals_allow(&old, 0, &waiting);
	watch(session, -1, &waiting);
	signals_end(&old);
	is_written = finish(session);
	procfs_free_command(argv);
	return is_written ? 0 : EXIT_OWN_FAILURE;
}

int session_run(const struct session_options *options)
{
	struct session session = {
		.options = options,
		.attach.device = -1,
		.recording = recording_new(),
		.outcome = {
			.table = options->table,
			.table_name = options->table_name,
			.output = options->output,
		},
	};
	int status;

	if (!session.recording)
		failure_exit(EXIT_OWN_FAILURE, "profile", ENOMEM);
	session.outcome.recording = session.recording;
	status = options->command ? run_command(&session) : profile_processes(&session);
	attach_close(&session.attach);
	recording_free(session.recording);
	return status;
}
