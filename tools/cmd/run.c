// SPDX-License-Identifier: GPL-2.0-only
/*
 * profil run - run a command, show where it spent its CPU time, and keep that
 *
 * The samples are counted by the kernel (/dev/profil) into memory that this
 * process made; libprofil-run.so, preloaded into the command and what it executes, starts
 * that. Here is the way through: options, run, exit status.
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

#define LOOK_MS			100	/* between two looks at what runs */
#define PROGRESS_SECONDS	2	/* between two looks, if not asked otherwise */
#define LONGEST_PROGRESS	86400

static const char doc[] =
	"Run COMMAND, print the functions in which it spent its CPU time, and write the result "
	"to a file."
	"\v"
	"The table goes to standard error. It covers COMMAND with all its threads, the children "
	"that it forks, the programs that these execute, and the libraries that they load, until "
	"COMMAND ends. `profil report' prints more of the result.\n"
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
	  "When to take samples: tick (the scheduler's tick), timer (at even intervals) or random (at a random point of each interval, so that no program can run in step with it). Default: tick up to its rate, random above", 0 },
	{ "output", 'o', "FILE", 0,
	  "Write the result to FILE (default: " RESULTFILE_DEFAULT ")", 0 },
	{ "table", 't', "FILE", 0,
	  "Write the table to FILE instead of standard error", 0 },
	{ "no-follow", KEY_NO_FOLLOW, NULL, 0,
	  "Do not profile programs that COMMAND and its children execute", 0 },
	{ "no-inherit", 0, NULL, OPTION_ALIAS, NULL, 0 },
	{ "pid", 'p', "PID", OPTION_HIDDEN, NULL, 0 },
	{ "progress", KEY_PROGRESS, "SECONDS", OPTION_ARG_OPTIONAL,
	  "Print the number of samples and the top functions every SECONDS while COMMAND runs (default: 2)", 0 },
	{ "force", KEY_FORCE, NULL, 0,
	  "Run COMMAND even if it cannot be profiled", 0 },
	{ 0 }
};

struct arguments {
	struct shm_wish wish;
	bool force;
	int progress_ms;	/* 0: it is not shown */
	const char *output;	/* the result file; NULL: it cannot be written */
	const char *table;	/* NULL: standard error */
	char **command;
};

static uint32_t parse_clock(const char *text, struct argp_state *state)
{
	uint32_t i;

	for (i = PROFIL_CLOCK_TICK; i <= PROFIL_CLOCK_RANDOM; i++)
		if (!strcmp(text, clock_name(i)))
			return i;
	options_error(state, "'%s' is not a clock: there are tick, timer and random",
		   text);
	return PROFIL_CLOCK_AUTO;
}

static int parse_progress(const char *text, struct argp_state *state)
{
	double seconds = PROGRESS_SECONDS;
	char *end;

	if (text) {
		seconds = strtod(text, &end);
		if (end == text || *end || !(seconds >= 0.1 && seconds <= LONGEST_PROGRESS))
			options_error(state, "'%s' is no time to wait: it is a number of seconds from 0.1 to %d",
				   text, LONGEST_PROGRESS);
	}
	return (int)(seconds * 1000);
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case 'r':
	case 'F':
		arguments->wish.rate = options_parse_rate(text, state);
		return 0;
	case 'c':
		arguments->wish.clock = parse_clock(text, state);
		return 0;
	case 'o':
		arguments->output = text;
		return 0;
	case 't':
		arguments->table = text;
		return 0;
	/* perf's */
	case 'p':
		options_error(state, "profil cannot attach to a process that runs already: start its program by `profil COMMAND'");
		return 0;
	case KEY_PROGRESS:
		arguments->progress_ms = parse_progress(text, state);
		return 0;
	case KEY_FORCE:
		arguments->force = true;
		return 0;
	case KEY_NO_FOLLOW:
		arguments->wish.follow = false;
		return 0;
	case ARGP_KEY_ARG:
		/* the first word that is no option; all the rest is its */
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

/* Whether it is the file whose place the result will take, by whatever name */
static bool is_result(FILE *out, const char *path)
{
	struct stat table, result;

	return !fstat(fileno(out), &table) && S_ISREG(table.st_mode) &&
	       !stat(path, &result) && table.st_dev == result.st_dev &&
	       table.st_ino == result.st_ino;
}

/* Or that of the result before, which it moves to */
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

/* Return: NULL: with errno. What is there stays until it is known that it may go. */
static FILE *open_for_table(const char *path, const char *output)
{
	bool is_new = path && access(path, F_OK);
	FILE *out = path ? fopen(path, "ae") : stderr;
	bool is_taken;

	if (!out)
		return NULL;
	is_taken = is_result(out, output) || is_old_result(out, output);
	if (is_taken && is_new)
		unlink(path);
	if (is_taken)
		failure_exitx(EXIT_OWN_FAILURE, "%s is where the result is kept, and the table would be lost: name another file by --table or --output",
		     path ? path : "standard error");
	/* what is no regular file has nothing to be cut off */
	if (path && ftruncate(fileno(out), 0) && errno != EINVAL)
		return NULL;
	return out;
}

/* Open before the command runs: what it counted cannot be had again. */
static FILE *open_table(const struct arguments *arguments)
{
	FILE *out = open_for_table(arguments->table, arguments->output);

	if (!out)
		failure_exitx(EXIT_OWN_FAILURE, "%s: %s (%s): name another file by --table",
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

/* The run may be long: what keeps it from being profiled is said before. */
static void refuse(const struct arguments *arguments, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void refuse(const struct arguments *arguments, const char *format, ...)
{
	char *why, *meant;
	va_list args;

	va_start(args, format);
	if (vasprintf(&why, format, args) < 0)
		failure_exit(EXIT_OWN_FAILURE, arguments->command[0], ENOMEM);
	va_end(args);
	if (!arguments->force) {
		/* a result of another machine is shown without a module */
		meant = commands_suggest(arguments->command[0]);
		failure_exitx(EXIT_OWN_FAILURE, "no profile, and %s is not run (--force runs it): %s%s",
			      arguments->command[0], why, meant ? meant : "");
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
	why = probe_start(device, &arguments->wish);
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
		refuse(arguments, "libprofil-run.so is missing; looked for %s: %s", tried,
		       preload_remedy(ENOENT));
	else if (!library && errno == EINVAL)
		refuse(arguments, "a path with a colon or a space cannot be preloaded: one of %s",
		       tried);
	else if (!library)
		refuse(arguments, "libprofil-run.so: %s (%s): %s", strerror(errno),
		       strerrorname_np(errno), preload_remedy(errno));
	free(tried);
	return library;
}

/*
 * The environment that makes the dynamic linker load our library. Return: it; NULL: the
 * library must not be there, or there is none.
 */
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

/* @error: of child_run() */
static void explain_not_run(const char *command, int error)
{
	/* fork() alone has this one */
	if (error == EAGAIN)
		failure_exitx(EXIT_OWN_FAILURE, "%s: %s (%s): there are as many processes as may be: end some, or raise the limit (ulimit -u, pids.max of a control group)",
		     command, strerror(error), strerrorname_np(error));
	failure_exit(EXIT_OWN_FAILURE, command, error);
}

/* What is done while the command runs, at each look */
struct watching {
	struct unprofiled *unprofiled;
	struct progress *progress;	/* NULL: none is shown */
	int looks_each;			/* from one line of it to the next */
	int looks;
};

static void poll_child(void *data, pid_t pid)
{
	struct watching *watching = data;

	if (watching->unprofiled)
		unprofiled_scan_if_due(watching->unprofiled, pid);
	if (watching->progress && ++watching->looks % watching->looks_each == 0)
		progress_show(watching->progress);
}

static void run_command(const struct arguments *arguments, const struct target *target,
			const char *library, struct outcome *outcome,
			struct child_end *end)
{
	char **env = make_environment(target, library, outcome->memory);
	struct watching watching = {
		.unprofiled = outcome->unprofiled,
		.looks_each = (arguments->progress_ms + LOOK_MS - 1) / LOOK_MS,
	};
	const struct child_watch watch = {
		.interval_ms = LOOK_MS,
		.poll = poll_child,
		.data = &watching,
		.snapshot = library ? outcome_snapshot : NULL,
		.snapshot_data = outcome,
	};
	int error;

	if (arguments->progress_ms)
		watching.progress = progress_new(outcome->memory, arguments->command, stderr);
	error = child_run(arguments->command, env ? env : environ, &watch, end);
	progress_free(watching.progress);
	if (error)
		explain_not_run(arguments->command[0], -error);
	preload_environ_free(env);
}

/* With what to do, where that is known */
static void explain_exec(const struct target *target, int error)
{
	const char *command = target->command, *remedy = "see execve(2)";
	char *meant = NULL;

	/* has been said */
	if (target->problem == TARGET_NO_LINKER)
		return;
	if (error == ENOENT)
		remedy = strchr(command, '/') ? "there is no such command" :
			 "no such command is in PATH, and `profil help' names profil's own";
	else if (error == EACCES)
		remedy = "it is no program, or permission to execute it is missing (chmod +x)";
	else if (error == E2BIG)
		remedy = "there are too many arguments";
	if (error == ENOENT)
		meant = commands_suggest(command);
	failure_warnx("%s: %s (%s): %s%s", command, strerror(error), strerrorname_np(error), remedy,
		      meant ? meant : "");
	free(meant);
}

/* What is known before is said before: the run may be long. */
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
		.wish.follow = true,
		.output = RESULTFILE_DEFAULT,
	};
	struct child_end end;
	struct outcome outcome;
	char *library = NULL;
	struct target target;
	int memory, error;
	FILE *out;

	/* the exit status shall be the command's, whoever reads what we say */
	child_ignore(SIGPIPE);
	/* one that comes when the command has just ended must not end us before the result is kept */
	child_ignore(SIGUSR1);
	/* lines are whole beside those of the command */
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
	memory = shm_create(&arguments.wish);
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
		explain_exec(&target, end.exec_error);
	else if (library)
		outcome_show(&outcome);
	target_release(&target);
	free(library);
	unprofiled_free(outcome.unprofiled);
	close_table(out, arguments.table);
	close(memory);
	return child_exit_status(&end);
}
