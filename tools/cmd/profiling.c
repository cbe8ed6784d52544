// SPDX-License-Identifier: GPL-2.0-only
/*
 * A run: attaches to a command, a control group or processes, reads their log until the end, and
 * shows the outcome.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/announce.h"
#include "cmd/built.h"
#include "cmd/commands.h"
#include "cmd/meanwhile.h"
#include "cmd/not_run.h"
#include "cmd/profiling.h"
#include "record/cgroup.h"
#include "record/child.h"
#include "record/procfs.h"
#include "record/signals.h"
#include "util/array.h"
#include "util/failure.h"
#include "util/priority.h"
#include "util/time_ns.h"

/* Longer than this, or than this share of --duration, is late */
#define LATE_NS		NS_PER_S
#define LATE_SHARE	10

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

/* The processes are attached. Return: 0; or 1, and the reason is printed. */
static int begin_top(struct profiling *profiling)
{
	char why[SCREEN_WHY];

	if (!profiling->top || !top_begin(profiling->top, why))
		return 0;
	failure_warnx("no live view: %s", why);
	return 1;
}

/* Open the device. Return: 0; or -errno, and @why has the reason and the remedy. */
static int open_attach(struct profiling *profiling, char why[ATTACH_WHY])
{
	const int error = attach_open(&profiling->attach, &profiling->options->attach, why);

	built_explain(error, why, ATTACH_WHY);
	return error;
}

/* The command waits. Attach to it, which also shows whether it can be profiled. */
static int attach_command(void *data, pid_t pid)
{
	struct profiling *profiling = data;
	char why[ATTACH_WHY];
	int error;

	profiling->run.so_far.pid = pid;
	error = open_attach(profiling, why);
	if (!error)
		error = attach_process(&profiling->attach, pid, true, why);
	profiling->start = time_ns(CLOCK_MONOTONIC);
	if (!error)
		return begin_top(profiling);
	attach_close(&profiling->attach);
	return refuse(profiling, why);
}

/* The profile has ended, and signals are held. Return: whether the result is in its file. */
static bool show_outcome(struct profiling *profiling, bool *is_pushed)
{
	bool is_written;

	attach_close(&profiling->attach);
	meanwhile_end_snapshots(profiling);
	is_written = outcome_show(&profiling->outcome, &profiling->run);
	*is_pushed = pusher_end(&profiling->pusher, &profiling->run, profiling->file.path);
	return is_written;
}

/*
 * End the profile while the processes continue. Return: whether the result is in its file, and all
 * has been pushed.
 */
static bool finish(struct profiling *profiling)
{
	bool is_written, is_pushed;
	sigset_t mask;

	meanwhile_update(profiling);
	if (profiling->top) {
		attach_close(&profiling->attach);
		top_end(profiling->top, &profiling->run);
		return true;
	}
	sigprocmask(SIG_BLOCK, NULL, &mask);
	signals_hold(&mask);
	is_written = show_outcome(profiling, &is_pushed);
	profiling->is_unwritten = !is_written;
	/* a signal that was held still reaches the command */
	sigprocmask(SIG_SETMASK, &mask, NULL);
	return is_written && is_pushed;
}

/* Return: false: the user leaves the command alone. */
static bool while_command_runs(void *data, const struct child_end *so_far, int process,
			       const sigset_t *waiting)
{
	struct profiling *profiling = data;
	bool has_ended;

	profiling->run.so_far = *so_far;
	if (profiling->attach.device < 0)
		return true;
	priority_raise();
	has_ended = meanwhile_wait(profiling, process, waiting) == WAIT_COMMAND;
	priority_restore();
	if (!has_ended || profiling->top)
		finish(profiling);
	return has_ended || !profiling->top;
}

static void command_ended(void *data, const struct child_end *end)
{
	struct profiling *profiling = data;
	bool is_pushed;

	if (profiling->attach.device < 0)
		return;
	recording_read_times(profiling->run.recording);
	meanwhile_read_status(profiling);
	profiling->run.so_far = *end;
	profiling->is_unwritten = !show_outcome(profiling, &is_pushed);
}

static int run_command(struct profiling *profiling)
{
	const struct child_calls calls = {
		.attach = attach_command,
		.prepare = profiling->options->top && profiling->options->top->terminal >= 0 ?
			   top_hide_command : NULL,
		.meanwhile = while_command_runs,
		.ended = command_ended,
		.data = profiling,
	};
	const char *command = profiling->options->command[0];
	struct child_end end;
	int error;

	profiling->run.argv = profiling->options->command;
	error = child_run(profiling->options->command, &calls, &end);
	if (error) {
		/* refuse() has explained a positive one */
		if (error < 0)
			not_run_explain(command, -error);
		return EXIT_OWN_FAILURE;
	}
	if (end.exec_error)
		not_run_explain_exec(command, end.exec_error);
	if (profiling->is_unwritten && !profiling->options->force)
		return EXIT_OWN_FAILURE;
	return child_exit_status(&end);
}

/* --- processes that run already -------------------------------------------------- */

/*
 * The run begins when all processes are attached. Samples before are in the result, too. @since_ns:
 * the first was attached after this time; @attached_ns: the last, then
 */
static void begin_run(struct profiling *profiling, uint64_t since_ns, uint64_t attached_ns)
{
	const uint64_t duration_ns = profiling->options->duration_ns;
	const uint64_t late_ns = attached_ns - since_ns;

	profiling->start = attached_ns;
	profiling->run.so_far.start_time_ns = time_ns(CLOCK_REALTIME) -
					      (time_ns(CLOCK_MONOTONIC) - attached_ns);
	if (late_ns > LATE_NS || (duration_ns && late_ns > duration_ns / LATE_SHARE))
		failure_warnx("it took %.1f s to attach to all processes: those attached last have fewer samples",
			      (double)late_ns / NS_PER_S);
}

/* Say how many processes have samples without names. */
static void explain_unread(const struct profiling *profiling)
{
	int error;
	const size_t nr = recording_unread(profiling->run.recording, &error);

	if (nr)
		failure_warnx("the samples of %zu process%s have no names, as /proc/PID/maps could not be read: %s (%s)",
			      nr, nr == 1 ? "" : "es",
			      error == -ESRCH ? "the process has ended" : strerrordesc_np(-error),
			      strerrorname_np(-error));
}

/* Say how many processes are not profiled, of those that have not been counted yet. */
static void explain_refused(struct members *members)
{
	const char *in = members->directory ? " in " : "";
	const char *directory = members->directory ? members->directory : "";

	if (members->nr_refused == 1)
		failure_warnx("1 process%s%s is not profiled: %s", in, directory, members->why);
	else if (members->nr_refused)
		failure_warnx("%zu processes%s%s are not profiled; the first: %s",
			      members->nr_refused, in, directory, members->why);
	members->nr_refused = 0;
}

/* Processes, and their descendants */
struct family {
	pid_t *pids;
	size_t nr;
};

/* Add a process, unless it is there, or is this one. Return: 0 or -ENOMEM. */
static int add_to_family(void *data, pid_t pid)
{
	struct family *family = data;
	pid_t *last;
	size_t i;

	for (i = 0; i < family->nr; i++)
		if (family->pids[i] == pid)
			return 0;
	if (pid == getpid())
		return 0;
	last = array_append(family->pids, family->nr);
	if (!last)
		return -ENOMEM;
	*last = pid;
	return 0;
}

/*
 * Find the descendants of the processes that are to be profiled. @members: to attach to them,
 * before their own children are looked for, as from then on these are profiled; NULL: they are
 * counted.
 * Return: number of descendants, or -ENOMEM.
 */
static ssize_t find_family(const struct profiling_options *options, struct members *members)
{
	struct family family = { 0 };
	int error = 0;
	size_t i;

	for (i = 0; i < options->nr_pids && !error; i++)
		error = add_to_family(&family, options->pids[i]);
	for (i = 0; i < family.nr && !error; i++) {
		if (members && i >= options->nr_pids)
			error = members_join(members, family.pids[i]);
		if (error >= 0)
			error = procfs_each_child(family.pids[i], add_to_family, &family);
	}
	free(family.pids);
	if (error || family.nr < options->nr_pids)
		return error;
	return (ssize_t)(family.nr - options->nr_pids);
}

/* Return: 0 or -errno, with the reason in @why. */
static int attach_pids(struct profiling *profiling, char why[ATTACH_WHY])
{
	const struct profiling_options *options = profiling->options;
	int error = open_attach(profiling, why);
	size_t i;

	for (i = 0; !error && i < options->nr_pids; i++) {
		const pid_t pid = options->pids[i];
		/* before its first sample */
		const uint64_t base_ns = time_cpu_ns(pid);

		error = attach_process(&profiling->attach, pid, false, why);
		if (!error && recording_add_process(profiling->run.recording, pid, base_ns)) {
			snprintf(why, ATTACH_WHY, "%s", strerrordesc_np(ENOMEM));
			error = -ENOMEM;
		}
	}
	return error;
}

/* Return: 0; or -1, and the reason is printed. */
static int attach_processes(struct profiling *profiling)
{
	const struct profiling_options *options = profiling->options;
	const uint64_t since_ns = time_ns(CLOCK_MONOTONIC);
	const ssize_t left = options->children ? 0 : find_family(options, NULL);
	struct members *members = &profiling->members;
	char why[ATTACH_WHY];
	int error;

	if (attach_pids(profiling, why)) {
		failure_warnx("no profile: %s", why);
		return -1;
	}
	members->attach = &profiling->attach;
	members->recording = profiling->run.recording;
	error = (int)(options->children ? find_family(options, members) : left);
	begin_run(profiling, since_ns, time_ns(CLOCK_MONOTONIC));
	if (error >= 0)
		error = recording_open_files(members->recording);
	if (error) {
		failure_warn("profile", -error);
		return -1;
	}
	explain_unread(profiling);
	explain_refused(members);
	if (left)
		failure_warnx("%zd child %s already, not profiled: --children does it", left,
			      left == 1 ? "process runs" : "processes run");
	return 0;
}

/* Attached processes run. Return: the exit status. */
static int profile_attached(struct profiling *profiling)
{
	struct signals old;
	sigset_t waiting;
	bool is_done;

	if (begin_top(profiling))
		return EXIT_OWN_FAILURE;
	signals_begin(&old, false);
	signals_allow(&old, 0, &waiting);
	meanwhile_wait(profiling, -1, &waiting);
	priority_restore();
	is_done = finish(profiling);
	signals_end(&old);
	return is_done ? 0 : EXIT_OWN_FAILURE;
}

static int profile_processes(struct profiling *profiling)
{
	int status = EXIT_OWN_FAILURE;
	char **argv;

	argv = procfs_read_command(profiling->options->pids[0]);
	if (!argv)
		failure_exit(EXIT_OWN_FAILURE, "profile", ENOMEM);
	profiling->run.argv = argv;
	profiling->run.so_far.pid = profiling->options->pids[0];
	if (!attach_processes(profiling)) {
		if (!profiling->top)
			announce_processes(profiling->options->pids, profiling->options->nr_pids,
					   argv[0], profiling->options->duration_ns);
		status = profile_attached(profiling);
	}
	procfs_free_command(argv);
	return status;
}

/* --- a control group ------------------------------------------------------------- */

/* Return: 0; or -1, and the reason is printed. */
static int attach_members(struct profiling *profiling)
{
	struct members *members = &profiling->members;
	const uint64_t since_ns = time_ns(CLOCK_MONOTONIC);
	char why[ATTACH_WHY];
	ssize_t nr;

	if (open_attach(profiling, why)) {
		failure_warnx("no profile: %s", why);
		return -1;
	}
	nr = members_look(members);
	if (members->nr_attached)
		begin_run(profiling, since_ns, members->attached_ns);
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
	members->recording = profiling->run.recording;
	if (attach_members(profiling))
		return status;
	argv = procfs_read_command(members->first);
	if (!argv)
		failure_exit(EXIT_OWN_FAILURE, "profile", ENOMEM);
	profiling->run.argv = argv;
	profiling->run.log.cgroup = directory;
	profiling->run.so_far.pid = members->first;
	if (!profiling->top)
		announce(directory, profiling->options->duration_ns);
	status = profile_attached(profiling);
	explain_refused(members);
	explain_unread(profiling);
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
		.run = {
			.recording = recording_new(),
			.no_arguments = options->no_arguments,
		},
		.outcome = {
			.table = options->table,
			.table_name = options->table_name,
			.choice = &options->choice,
			.file = &profiling.file,
		},
		.file.path = options->output,
	};
	int status;

	if (!profiling.run.recording)
		failure_exit(EXIT_OWN_FAILURE, "profile", ENOMEM);
	if (pusher_begin(&profiling.pusher, options->push))
		failure_exit(EXIT_OWN_FAILURE, "push", errno);
	if (options->output)
		resultfile_look(&profiling.file);
	if (options->top)
		profiling.top = top_new(options->top, profiling.run.recording);
	if (options->top && !profiling.top)
		failure_exit(EXIT_OWN_FAILURE, "profile", ENOMEM);
	if (options->command) {
		status = run_command(&profiling);
	} else {
		/* the more processes it has attached to, the more compete with it */
		priority_raise();
		status = options->cgroup ? profile_cgroup(&profiling) :
					   profile_processes(&profiling);
		priority_restore();
	}
	attach_close(&profiling.attach);
	top_free(profiling.top);
	recording_free(profiling.run.recording);
	return status;
}
