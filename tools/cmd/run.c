// SPDX-License-Identifier: GPL-2.0-only
/*
 * profil run - run a command and profile it, or profile processes that run already
 *
 * This file has the options, and opens the file of the table.
 */
#define _GNU_SOURCE
#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "cmd/options.h"
#include "cmd/profiling.h"
#include "cmd/table_choice.h"
#include "cmd/target.h"
#include "live/snapshot.h"
#include "result/resultfile.h"
#include "util/array.h"
#include "util/failure.h"
#include "util/time_ns.h"

/* Options without a letter */
enum { KEY_PROGRESS = 256, KEY_FORCE, KEY_DURATION, KEY_INTERVAL, KEY_NO_ARGUMENTS, KEY_NO_TABLE, KEY_PUSH,
	KEY_LABEL };

#define DEFAULT_INTERVAL_NS	(60 * NS_PER_S)

#define PROGRESS_SECONDS	"2"	/* default interval of --progress */

static const char doc[] =
	"Run COMMAND, or attach to the processes PID, print the functions in which they spend their "
	"CPU time, and write the result to a file."
	"\v"
	"The table goes to standard error. It covers COMMAND with all its threads, the children "
	"that it forks, the programs that these execute, and the libraries that they load, until "
	"COMMAND ends. With --pid, it covers the processes from now on, with all their threads, but "
	"no children that exist already, until the processes end or profil gets SIGINT (^C), SIGTERM "
	"or SIGHUP. With --cgroup, it covers in this way the processes that are in a control group or in "
	"one below it, and those that join it, about 0.1 s after they do, until none is left. `profil report' prints more of the result.\n"
	"\n"
	"Clocks: random takes samples at a random point of each interval, so that no program can run in step "
	"with it; timer at even intervals; tick at the scheduler's tick, which adds no interrupt.\n"
	"\n"
	"Exit status: that of COMMAND; 128+N if it was killed by signal N; 127 if it was not found; "
	"126 if it cannot be executed; 125 if profil could not run it, or could not profile it or write "
	"the result and --force was not given. With --pid and --cgroup: 0; 125 if a process cannot be "
	"profiled, or the result cannot be written.\n"
	"\n"
	"See profil-run(1).";

static const struct argp_option options[] = {
	{ "stacks", 'g', NULL, 0,
	  "Also record who has called the functions; needs no frame pointers", 0 },
	{ "output", 'o', "FILE", 0,
	  "Write the result to FILE (default: " RESULTFILE_DEFAULT "); %p is replaced by the process ID of profil", 0 },
	{ "table", 't', "FILE", 0,
	  "Write the table to FILE instead of standard error", 0 },
	{ "no-arguments", KEY_NO_ARGUMENTS, NULL, 0,
	  "Keep no command lines in the result, which is passed on", 0 },
	{ "no-table", KEY_NO_TABLE, NULL, 0, "Print no table", 0 },
	{ "duration", KEY_DURATION, "SECONDS", 0,
	  "End the profile after SECONDS; COMMAND continues", 0 },
	{ "interval", KEY_INTERVAL, "SECONDS", 0,
	  "Write the result so far every SECONDS, and push it (default: 60)", 0 },
	{ "progress", KEY_PROGRESS, "SECONDS", OPTION_ARG_OPTIONAL,
	  "Print time, samples and CPU % every SECONDS (default: " PROGRESS_SECONDS ")", 0 },
	{ "push", KEY_PUSH, "URL", 0,
	  "Push the samples of each interval to Pyroscope (http://HOST:4040) or Parca (http://HOST:7070/api/profiles/writeraw), as pprof", 0 },
	{ "label", KEY_LABEL, "NAME=VALUE", 0, "With --push, add a label", 0 },
	{ "force", KEY_FORCE, NULL, 0,
	  "Run COMMAND even if it cannot be profiled", 0 },
	{ 0 }
};

struct arguments {
	struct profiling_options profiling;
	char *output;		/* memory of the name of the result */
	const char *table;	/* file of the table; NULL: standard error */
	bool no_table;
	struct server server;
};

static void add_label(struct server *server, const char *text, struct argp_state *state)
{
	const char *problem = server_problem_label(text), **label;

	if (problem)
		options_error(state, "--label: invalid '%s': %s", text, problem);
	label = array_append(server->labels, server->nr_labels);
	if (!label)
		failure_exit(EXIT_OWN_FAILURE, "--label", ENOMEM);
	*label = text;
}

/* Standard output is a file of results unless a command or a terminal has it. */
static const char *parse_output(const char *path, const struct profiling_options *profiling,
				struct argp_state *state)
{
	if (profiling->command && !strcmp(path, RESULTFILE_STDIN))
		options_error(state, "--output=- would mix the result with the output of COMMAND: name a file");
	return options_is_stdout(path, state) ? "/dev/stdout" : path;
}

/* Return: the path, to free(), with the ID of this process in place of each "%p". */
static char *insert_pid(const char *path)
{
	char *whole = strdup(path), *rest, *longer;

	while (whole && (rest = strstr(whole, "%p"))) {
		if (asprintf(&longer, "%.*s%d%s", (int)(rest - whole), whole, getpid(), rest + 2) < 0)
			longer = NULL;
		free(whole);
		whole = longer;
	}
	if (!whole)
		failure_exit(EXIT_OWN_FAILURE, path, ENOMEM);
	return whole;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	struct profiling_options *profiling = &arguments->profiling;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = profiling;
		state->child_inputs[1] = &profiling->choice;
		return 0;
	case 'g':
		profiling->attach.stacks = true;
		return 0;
	case 'o':
		free(arguments->output);
		arguments->output = insert_pid(text);
		profiling->output = arguments->output;
		return 0;
	case 't':
		arguments->table = strcmp(text, RESULTFILE_STDIN) ? text : "/dev/stdout";
		return 0;
	case KEY_DURATION:
		profiling->duration_ns = target_parse_seconds(text, state);
		return 0;
	case KEY_INTERVAL:
		profiling->snapshot_ns = target_parse_seconds(text, state);
		profiling->has_interval = true;
		return 0;
	case KEY_PROGRESS:
		profiling->progress_ns = target_parse_seconds(text ? text : PROGRESS_SECONDS,
							      state);
		return 0;
	case KEY_PUSH:
		if (server_problem(text))
			options_error(state, "--push: invalid URL: %s", server_problem(text));
		arguments->server.url = text;
		profiling->push = &arguments->server;
		return 0;
	case KEY_LABEL:
		add_label(&arguments->server, text, state);
		return 0;
	case KEY_NO_ARGUMENTS:
		profiling->no_arguments = true;
		return 0;
	case KEY_NO_TABLE:
		arguments->no_table = true;
		return 0;
	case KEY_FORCE:
		profiling->force = true;
		return 0;
	case ARGP_KEY_END:
		if (arguments->no_table && arguments->table)
			options_error(state, "--no-table and --table exclude each other");
		if (arguments->server.nr_labels && !profiling->push)
			options_error(state, "--label needs --push");
		if (!profiling->command && profiling->force)
			options_error(state, "--force needs a command");
		profiling->output = parse_output(profiling->output, profiling, state);
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
	FILE *out = open_for_table(arguments->table, arguments->profiling.output);

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

int run_main(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ .argp = &target_argp }, { .argp = &table_choice_argp }, { 0 }
	};
	static const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.args_doc = TARGET_ARGS_DOC,
		.doc = doc,
		.children = children,
	};
	struct arguments arguments = {
		.profiling.attach.follow = true,
		.profiling.output = RESULTFILE_DEFAULT,
	};
	struct profiling_options *profiling = &arguments.profiling;
	char why[HTTP_WHY];
	int error, status;

	target_parse(&argp, argc, argv, &arguments);

	if (profiling->push && http_check(profiling->push->url, why))
		failure_exitx(EXIT_OWN_FAILURE, "--push: %s", why);
	if (!arguments.no_table)
		profiling->table = open_table(&arguments);
	if (profiling->choice.table.by == TABLE_BY_CALLER && !profiling->attach.stacks)
		failure_exitx(EXIT_USAGE, "--by=caller needs -g");
	target_finish(profiling);
	profiling->table_name = arguments.table ? arguments.table : "standard error";
	if (profiling->table)
		table_choice_set_style(&profiling->choice, profiling->table, TERMINAL_AUTO);
	error = resultfile_try(profiling->output);
	if (error) {
		resultfile_explain_unwritten(profiling->output, error, "the result");
		profiling->output = NULL;
	}
	/* a pipe takes only one result */
	if (!profiling->has_interval &&
	    (profiling->push ||
	     (profiling->output && snapshot_is_possible(profiling->output))))
		profiling->snapshot_ns = DEFAULT_INTERVAL_NS;
	status = profiling_run(profiling);
	if (profiling->table)
		close_table(profiling->table, arguments.table);
	free(profiling->pids);
	free(arguments.server.labels);
	free(arguments.output);
	return status;
}
