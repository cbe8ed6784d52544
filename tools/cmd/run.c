// SPDX-License-Identifier: GPL-2.0-only
/*
 * profil run - run a command and profile it
 *
 * libprofil-run.so is preloaded into the command and the programs that it executes, and starts
 * their profiles. The kernel counts samples in shared memory that this process creates. This file
 * has the options, the steps of a run, and its error messages.
 */
#define _GNU_SOURCE
#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <device.h>

#include "cmd/commands.h"
#include "cmd/options.h"
#include "cmd/outcome.h"
#include "cmd/progress.h"
#include "record/child.h"
#include "record/preload.h"
#include "record/probe.h"
#include "record/shm.h"
#include "record/target.h"
#include "record/unprofiled.h"
#include "result/resultfile.h"
#include "util/clock_name.h"
#include "util/failure.h"

/* Options without a letter */
enum { KEY_NO_FOLLOW = 256, KEY_PROGRESS, KEY_FORCE };

#define POLL_MS			100	/* interval of scans of /proc */
#define PROGRESS_SECONDS	2	/* default interval of --progress */
#define MAX_PROGRESS_SECONDS	86400

static const char doc[] =
	"Run COMMAND, print the functions in which it spent its CPU time, and write the result "
	"to a file."
	"\v"
	"The table goes to standard error. It covers COMMAND with all its threads, the children "
	"that it forks, the programs that these execute, and the libraries that they load, until "
	"COMMAND ends. `profil report' prints more of the result.\n"
	"\n"
	"Clocks: tick takes samples at the scheduler's tick; timer at even intervals; random at a random "
	"point of each interval, so that no program can run in step with it.\n"
	"\n"
	"Exit status: that of COMMAND; 128+N if it was killed by signal N; 127 if it was not found; "
	"126 if it cannot be executed; 125 if profil could not run it, or could not profile it and "
	"--force was not given.\n"
	"\n"
	"See profil-run(1).";

static const struct argp_option options[] = {
	{ "rate", 'r', "HZ", 0,
	  "Take HZ samples per second of CPU time (default: PROFIL_RATE, or 100)", 0 },
	{ NULL, 'F', NULL, OPTION_ALIAS, NULL, 0 },
	{ "clock", 'c', "CLOCK", 0,
	  "Sampling clock: tick, timer or random (default: tick up to its rate, random above)", 0 },
	{ "output", 'o', "FILE", 0,
	  "Write the result to FILE (default: " RESULTFILE_DEFAULT ")", 0 },
	{ "table", 't', "FILE", 0,
	  "Write the table to FILE instead of standard error", 0 },
	{ "no-follow", KEY_NO_FOLLOW, NULL, 0,
	  "Do not profile programs that COMMAND and its children execute", 0 },
	{ "no-inherit", 0, NULL, OPTION_ALIAS, NULL, 0 },
	{ "pid", 'p', "PID", OPTION_HIDDEN, NULL, 0 },
	{ "progress", KEY_PROGRESS, "SECONDS", OPTION_ARG_OPTIONAL,
	  "While COMMAND runs, print samples and top functions every SECONDS (default: 2)", 0 },
	{ "force", KEY_FORCE, NULL, 0,
	  "Run COMMAND even if it cannot be profiled", 0 },
	{ 0 }
};

struct arguments {
	struct shm_options shm;
	bool force;
	int progress_ms;	/* interval of --progress; 0: off */
	const char *output;	/* the result file; NULL: it cannot be written */
	const char *table;	/* file of the table; NULL: standard error */
	char **command;
};

static uint32_t parse_clock(const char *text, struct argp_state *state)
{
	uint32_t i;

	for (i = PROFIL_CLOCK_TICK; i <= PROFIL_CLOCK_RANDOM; i++)
		if (!strcmp(text, clock_name(i)))
			return i;
	options_error(state, "invalid clock '%s'; expected tick, timer or random", text);
	return PROFIL_CLOCK_AUTO;
}

static int parse_progress(const char *text, struct argp_state *state)
{
	double seconds = PROGRESS_SECONDS;
	char *end;

	if (text) {
		seconds = strtod(text, &end);
		if (end == text || *end || !(seconds >= 0.1 && seconds <= MAX_PROGRESS_SECONDS))
			options_error(state, "invalid interval '%s'; expected 0.1 to %d seconds",
				      text, MAX_PROGRESS_SECONDS);
	}
	return (int)(seconds * 1000);
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case 'r':
	case 'F':
		arguments->shm.rate = options_parse_rate(text, state);
		return 0;
	case 'c':
		arguments->shm.clock = parse_clock(text, state);
		return 0;
	case 'o':
		arguments->output = text;
		return 0;
	case 't':
		arguments->table = text;
		return 0;
	/* perf record has this option */
	case 'p':
		options_error(state, "profil cannot attach to a running process: start its program with `profil COMMAND'");
		return 0;
	case KEY_PROGRESS:
		arguments->progress_ms = parse_progress(text, state);
		return 0;
	case KEY_FORCE:
		arguments->force = true;
		return 0;
	case KEY_NO_FOLLOW:
		arguments->shm.follow = false;
		return 0;
	case ARGP_KEY_ARG:
		/* all arguments after the command belong to it */
		arguments->command = &state->argv[state->next - 1];
		state->next = state->argc;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_usage(state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Whether a file is the one that the result will replace, even if under another name */
static bool is_result(FILE *out, const char *path)
{
	struct stat table, result;

	return !fstat(fileno(out), &table) && S_ISREG(table.st_mode) &&
	       !stat(path, &result) && table.st_dev == result.st_dev &&
	       table.st_ino == result.st_ino;
}

/* Whether a file is the one to which the previous result will be renamed */
static bool is_old_result(FILE *out, const char *path)
{
	bool is_old;
	char *old;

	if (asprintf(&old, "%s.old", path) < 0)
		failure_exit(EXIT_OWN_FAILURE, path, ENOMEM);
	is_old = is_result(out, old);
	free(old);
	return is_old;
}

/* Return: the file; NULL with errno. An existing file is truncated only if it may be used. */
static FILE *open_for_table(const char *path, const char *output)
{
	bool is_new = path && access(path, F_OK);
	FILE *out = path ? fopen(path, "ae") : stderr;
	bool is_used;

	if (!out)
		return NULL;
	is_used = is_result(out, output) || is_old_result(out, output);
	if (is_used && is_new)
		unlink(path);
	if (is_used)
		failure_exitx(EXIT_OWN_FAILURE, "%s is used for the result, which would replace the table: name another file with --table or --output",
			      path ? path : "standard error");
	/* EINVAL: not a regular file */
	if (path && ftruncate(fileno(out), 0) && errno != EINVAL)
		return NULL;
	return out;
}

/* Called before the command runs: after it, an error would lose the table. */
static FILE *open_table(const struct arguments *arguments)
{
	FILE *out = open_for_table(arguments->table, arguments->output);

	if (!out)
		failure_exitx(EXIT_OWN_FAILURE, "%s: %s (%s): name another file with --table",
			      arguments->table, strerror(errno), strerrorname_np(errno));
	return out;
}

static void close_table(FILE *out, const char *path)
{
	bool failed = ferror(out) || fflush(out);

	if (out != stderr && fclose(out))
		failed = true;
	if (failed)
		failure_warn(path ? path : "standard error", errno);
}

/* Print why nothing can be profiled, and exit; with --force, return. */
static void refuse(const struct arguments *arguments, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void refuse(const struct arguments *arguments, const char *format, ...)
{
	char *why, *suggestion;
	va_list args;

	va_start(args, format);
	if (vasprintf(&why, format, args) < 0)
		failure_exit(EXIT_OWN_FAILURE, arguments->command[0], ENOMEM);
	va_end(args);
	if (!arguments->force) {
		/* the command may be a mistyped `report', which needs no module */
		suggestion = commands_suggest(arguments->command[0]);
		failure_exitx(EXIT_OWN_FAILURE, "no profile, so %s is not run (--force runs it): %s%s",
			      arguments->command[0], why, suggestion ? suggestion : "");
	}
	failure_warnx("no profile: %s", why);
	free(why);
}

/* Return: whether a profile can be started. */
static bool probe(const struct arguments *arguments)
{
	int device = profil_device_open();
	bool is_ready;
	char *why;

	if (device < 0) {
		refuse(arguments, PROFIL_DEVICE ": %s (%s): %s", strerror(-device),
		       strerrorname_np(-device), profil_device_remedy(-device));
		return false;
	}
	why = probe_start(device, &arguments->shm);
	profil_device_close(device);
	if (why)
		refuse(arguments, "%s", why);
	is_ready = !why;
	free(why);
	return is_ready;
}

/* Return: the path of libprofil-run.so, to free(), or NULL. */
static char *find_library(const struct arguments *arguments)
{
	char *tried, *library = preload_find(&tried);

	if (!library && errno == ENOENT)
		refuse(arguments, "libprofil-run.so not found; tried %s: %s", tried,
		       preload_remedy(ENOENT));
	else if (!library && errno == EINVAL)
		refuse(arguments, "LD_PRELOAD cannot contain a path with a colon or a space: %s: %s",
		       tried, preload_remedy(EINVAL));
	else if (!library)
		refuse(arguments, "libprofil-run.so: %s (%s): %s", strerror(errno),
		       strerrorname_np(errno), preload_remedy(errno));
	free(tried);
	return library;
}

/* Return: the environment that preloads the library; NULL: the library must not be preloaded. */
static char **make_environment(const struct target *target, const char *library,
			       int memory)
{
	char **env;

	if (!library || !target_takes_library(target))
		return NULL;
	env = preload_environ(library, memory);
	if (!env)
		failure_exit(EXIT_OWN_FAILURE, "environment", ENOMEM);
	return env;
}

/* @error: errno of child_run() */
static void exit_not_run(const char *command, int error)
{
	/* of fork() */
	if (error == EAGAIN)
		failure_exitx(EXIT_OWN_FAILURE, "%s: %s (%s): process limit reached: end some processes, or raise the limit (ulimit -u, or pids.max of the control group)",
			      command, strerror(error), strerrorname_np(error));
	failure_exit(EXIT_OWN_FAILURE, command, error);
}

/* What poll_child() updates while the command runs */
struct polled {
	struct unprofiled *unprofiled;
	struct progress *progress;	/* NULL: no --progress */
	int polls_per_line;
	int polls;
};

static void poll_child(void *data, pid_t pid)
{
	struct polled *polled = data;

	if (polled->unprofiled)
		unprofiled_scan_if_due(polled->unprofiled, pid);
	if (polled->progress && ++polled->polls % polled->polls_per_line == 0)
		progress_show(polled->progress);
}

static void run_command(const struct arguments *arguments, const struct target *target,
			const char *library, struct outcome *outcome,
			struct child_end *end)
{
	char **env = make_environment(target, library, outcome->memory);
	struct polled polled = {
		.unprofiled = outcome->unprofiled,
		.polls_per_line = (arguments->progress_ms + POLL_MS - 1) / POLL_MS,
	};
	const struct child_watch watch = {
		.interval_ms = POLL_MS,
		.poll = poll_child,
		.data = &polled,
		.snapshot = library ? outcome_snapshot : NULL,
		.snapshot_data = outcome,
	};
	int error;

	if (arguments->progress_ms)
		polled.progress = progress_new(outcome->memory, arguments->command, stderr);
	error = child_run(arguments->command, env ? env : environ, &watch, end);
	progress_free(polled.progress);
	if (error)
		exit_not_run(arguments->command[0], -error);
	preload_environ_free(env);
}

static void explain_exec_error(const struct target *target, int error)
{
	const char *command = target->command, *remedy = "see execve(2)";
	char *suggestion = NULL;

	/* reported by examine() */
	if (target->problem == TARGET_NO_LINKER)
		return;
	if (error == ENOENT)
		remedy = strchr(command, '/') ? "check the path of the command" :
			 "no such command in PATH; `profil help' lists the subcommands";
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

/* Print why the program cannot be profiled. This is done before the run, which may be long. */
static void examine(struct target *target, const char *command)
{
	char *why = NULL;

	if (target_examine(target, command))
		failure_exit(EXIT_OWN_FAILURE, command, ENOMEM);
	if (target->problem != TARGET_UNREADABLE)
		why = target_explain(target);
	if (why)
		failure_warnx("%s", why);
	free(why);
}

int run_main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.args_doc = "COMMAND [ARG...]",
		.doc = doc,
	};
	struct arguments arguments = {
		.shm.follow = true,
		.output = RESULTFILE_DEFAULT,
	};
	struct child_end end;
	struct outcome outcome;
	char *library = NULL;
	struct target target;
	int memory, error;
	FILE *out;

	/* a closed pipe on standard error must not change the exit status */
	child_ignore(SIGPIPE);
	/* a signal just after the end of the command must not prevent writing the result */
	child_ignore(SIGUSR1);
	/* write whole lines, so that the command's output does not split them */
	setvbuf(stderr, NULL, _IOLBF, 0);
	argp_err_exit_status = EXIT_OWN_FAILURE;
	options_parse(&argp, argc, argv, ARGP_IN_ORDER, &arguments);

	if (probe(&arguments))
		library = find_library(&arguments);
	out = open_table(&arguments);
	error = resultfile_try(arguments.output);
	if (error) {
		outcome_explain_unwritten(arguments.output, error);
		arguments.output = NULL;
	}
	memory = shm_create(&arguments.shm);
	if (memory < 0)
		failure_exit(EXIT_OWN_FAILURE, "memory for the counters", -memory);
	examine(&target, arguments.command[0]);
	outcome = (struct outcome){
		.memory = memory,
		.argv = arguments.command,
		.end = &end,
		.target = &target,
		.unprofiled = library ? unprofiled_new() : NULL,
		.table = out,
		.table_name = arguments.table ? arguments.table : "standard error",
		.output = arguments.output,
	};
	run_command(&arguments, &target, library, &outcome, &end);
	if (end.exec_error)
		explain_exec_error(&target, end.exec_error);
	else if (library)
		outcome_show(&outcome);
	target_release(&target);
	free(library);
	unprofiled_free(outcome.unprofiled);
	close_table(out, arguments.table);
	close(memory);
	return child_exit_status(&end);
}
