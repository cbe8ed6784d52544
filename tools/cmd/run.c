// SPDX-License-Identifier: GPL-2.0-only
/*
 * profil run - run a command and profile it, or profile processes that run already
 *
 * This file has the options, and opens the file of the table.
 */
#define _GNU_SOURCE
#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rate.h>

#include <linux/profil.h>

#include "cmd/commands.h"
#include "cmd/options.h"
#include "cmd/outcome.h"
#include "cmd/profiling.h"
#include "cmd/table_choice.h"
#include "record/signals.h"
#include "result/resultfile.h"
#include "util/clock_name.h"
#include "util/failure.h"
#include "util/time_ns.h"

/* Options without a letter */
enum { KEY_NO_FOLLOW = 256, KEY_PROGRESS, KEY_FORCE, KEY_DURATION, KEY_INTERVAL,
	KEY_CGROUP, KEY_NO_TABLE, KEY_CALL_GRAPH };

#define DEFAULT_INTERVAL_NS	(60 * NS_PER_S)
#define HIGHEST_RATE		"max"	/* as an argument of --rate */

#define PROGRESS_SECONDS	"2"	/* default interval of --progress */
#define MIN_SECONDS		0.1	/* of the arguments of options */
#define MAX_SECONDS		86400.0

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
	"126 if it cannot be executed; 125 if profil could not run it, or could not profile it and "
	"--force was not given. With --pid and --cgroup: 0; 125 if a process cannot be profiled, or the result "
	"cannot be written.\n"
	"\n"
	"See profil-run(1).";

static const struct argp_option options[] = {
	{ "rate", 'r', "HZ", 0,
	  "Take HZ samples per second of CPU time; " HIGHEST_RATE ": as many as the kernel permits (default: PROFIL_RATE, or 100)", 0 },
	{ NULL, 'F', NULL, OPTION_ALIAS, NULL, 0 },
	{ "clock", 'c', "CLOCK", 0,
	  "Sampling clock: random, timer or tick (default: random)", 0 },
	{ "output", 'o', "FILE", 0,
	  "Write the result to FILE (default: " RESULTFILE_DEFAULT ")", 0 },
	{ "table", 't', "FILE", 0,
	  "Write the table to FILE instead of standard error", 0 },
	{ "no-table", KEY_NO_TABLE, NULL, 0, "Print no table", 0 },
	{ "no-follow", KEY_NO_FOLLOW, NULL, 0,
	  "Do not profile programs that the processes execute", 0 },
	{ "no-inherit", 0, NULL, OPTION_ALIAS, NULL, 0 },
	{ "pid", 'p', "PID[,PID...]", 0,
	  "Profile these processes, instead of a COMMAND", 0 },
	{ "cgroup", KEY_CGROUP, "PATH", 0,
	  "Profile the processes of this control group (version 2), and those that join it", 0 },
	{ "duration", KEY_DURATION, "SECONDS", 0,
	  "End the profile after SECONDS; COMMAND continues", 0 },
	{ "interval", KEY_INTERVAL, "SECONDS", 0,
	  "Write the result so far every SECONDS (default: 60)", 0 },
	{ "progress", KEY_PROGRESS, "SECONDS", OPTION_ARG_OPTIONAL,
	  "Print samples and top functions every SECONDS (default: " PROGRESS_SECONDS ")", 0 },
	{ "force", KEY_FORCE, NULL, 0,
	  "Run COMMAND even if it cannot be profiled", 0 },
	/* of perf, to name what is to be typed instead */
	{ "all-cpus", 'a', NULL, OPTION_HIDDEN, NULL, 0 },
	{ "call-graph", KEY_CALL_GRAPH, "MODE", OPTION_HIDDEN, NULL, 0 },
	{ NULL, 'g', NULL, OPTION_HIDDEN, NULL, 0 },
	{ 0 }
};

struct arguments {
	struct profiling_options profiling;
	const char *table;	/* file of the table; NULL: standard error */
	bool no_table;
};

static uint32_t parse_clock(const char *text, struct argp_state *state)
{
	uint32_t i;

	for (i = PROFIL_CLOCK_TICK; i <= PROFIL_CLOCK_RANDOM; i++)
		if (!strcmp(text, clock_name(i)))
			return i;
	options_error(state, "invalid clock '%s'; expected random, timer or tick", text);
	return PROFIL_CLOCK_AUTO;
}

static uint32_t default_clock(void)
{
	const uint32_t clock = attach_default_clock();

	if (clock != PROFIL_CLOCK_RANDOM)
		failure_warnx("the kernel has no high-resolution timers, so its tick takes the samples: the shares of a program in step with the tick are wrong (boot without highres=off)");
	return clock;
}

/* Return: a time in ns. */
static uint64_t parse_seconds(const char *text, struct argp_state *state)
{
	double seconds;
	char *end;

	seconds = strtod(text, &end);
	if (end == text || *end || !(seconds >= MIN_SECONDS && seconds <= MAX_SECONDS))
		options_error(state, "invalid time '%s'; expected %g to %.0f seconds", text,
			      MIN_SECONDS, MAX_SECONDS);
	return (uint64_t)(seconds * NS_PER_S);
}

static void add_pid(struct profiling_options *profiling, pid_t pid)
{
	size_t i;

	for (i = 0; i < profiling->nr_pids; i++)
		if (profiling->pids[i] == pid)
			return;
	profiling->pids = reallocarray(profiling->pids, profiling->nr_pids + 1,
				       sizeof(*profiling->pids));
	if (!profiling->pids)
		failure_exit(EXIT_OWN_FAILURE, "--pid", ENOMEM);
	profiling->pids[profiling->nr_pids++] = pid;
}

static void parse_pids(const char *text, struct profiling_options *profiling,
		       struct argp_state *state)
{
	const char *rest = text;
	char *end;

	do {
		unsigned long pid = strtoul(rest, &end, 10);

		if (*rest < '0' || *rest > '9' || !pid || pid > INT_MAX || (*end && *end != ','))
			options_error(state, "invalid process IDs '%s'; expected numbers, separated by commas",
				      text);
		add_pid(profiling, (pid_t)pid);
		rest = end + 1;
	} while (*end);
}

/* Whether a word is a number: a process ID, as in -p $(pidof COMMAND) */
static bool is_pid(const char *word)
{
	return *word && !word[strspn(word, "0123456789")];
}

/* Standard output is a file of results unless a command or a terminal has it. */
static const char *parse_output(const char *path, const struct profiling_options *profiling,
				struct argp_state *state)
{
	if (strcmp(path, RESULTFILE_STDIN))
		return path;
	if (profiling->command)
		options_error(state, "--output=- would mix the result with the output of COMMAND: name a file");
	if (isatty(STDOUT_FILENO))
		options_error(state, "--output=- would write the result to the terminal: name a file, or use a pipe");
	return "/dev/stdout";
}

/* Exit if the options exclude each other. */
static void check(const struct arguments *arguments, struct argp_state *state)
{
	const struct profiling_options *profiling = &arguments->profiling;
	const bool has_pids = profiling->nr_pids;

	if (arguments->no_table && arguments->table)
		options_error(state, "--no-table and --table exclude each other");
	if (profiling->command && has_pids)
		options_error(state, "--pid and a command exclude each other: remove one of them");
	if (profiling->cgroup && (profiling->command || has_pids))
		options_error(state, "--cgroup excludes a command and --pid: remove one of them");
	if (!profiling->command && !profiling->cgroup && !has_pids)
		argp_usage(state);
	if (!profiling->command && profiling->force)
		options_error(state, "--force needs a command");
	if (profiling->cgroup && !profiling->attach.follow)
		options_error(state, "--cgroup and --no-follow exclude each other: the programs that a process executes are in its control group");
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	struct profiling_options *profiling = &arguments->profiling;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &profiling->choice;
		return 0;
	case 'r':
	case 'F':
		profiling->attach.rate = strcmp(text, HIGHEST_RATE) ?
			options_parse_rate(text, state) : PROFIL_HIGHEST_RATE;
		return 0;
	case 'a':
		options_error(state, "profil profiles processes: --cgroup=/ is the whole machine, if root asks");
		return 0;
	case 'g':
	case KEY_CALL_GRAPH:
		options_error(state, "profil counts for functions, not for their callers: `perf record -g' records call stacks");
		return 0;
	case 'c':
		profiling->attach.clock = parse_clock(text, state);
		return 0;
	case 'o':
		profiling->output = text;
		return 0;
	case 't':
		arguments->table = text;
		return 0;
	case 'p':
		parse_pids(text, profiling, state);
		return 0;
	case KEY_CGROUP:
		if (!*text)
			options_error(state, "--cgroup needs the path of a control group; / is the whole machine");
		profiling->cgroup = text;
		return 0;
	case KEY_DURATION:
		profiling->duration_ns = parse_seconds(text, state);
		return 0;
	case KEY_INTERVAL:
		profiling->snapshot_ns = parse_seconds(text, state);
		profiling->has_interval = true;
		return 0;
	case KEY_PROGRESS:
		profiling->progress_ns = parse_seconds(text ? text : PROGRESS_SECONDS, state);
		return 0;
	case KEY_NO_TABLE:
		arguments->no_table = true;
		return 0;
	case KEY_FORCE:
		profiling->force = true;
		return 0;
	case KEY_NO_FOLLOW:
		profiling->attach.follow = false;
		return 0;
	case ARGP_KEY_ARG:
		if (profiling->nr_pids && is_pid(text)) {
			parse_pids(text, profiling, state);
			return 0;
		}
		/* all arguments after the command belong to it */
		profiling->command = &state->argv[state->next - 1];
		state->next = state->argc;
		return 0;
	case ARGP_KEY_END:
		check(arguments, state);
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
	static const struct argp_child children[] = { { .argp = &table_choice_argp }, { 0 } };
	static const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.args_doc = "COMMAND [ARG...]\n-p PID[,PID...]\n--cgroup=PATH",
		.doc = doc,
		.children = children,
	};
	struct arguments arguments = {
		.profiling.attach.follow = true,
		.profiling.output = RESULTFILE_DEFAULT,
	};
	struct profiling_options *profiling = &arguments.profiling;
	int error, status;

	/* a closed pipe on standard error must not change the exit status */
	signals_ignore(SIGPIPE);
	/* a signal just after the end of the command must not prevent writing the result */
	signals_ignore(SIGUSR1);
	/* write whole lines, so that the command's output does not split them */
	setvbuf(stderr, NULL, _IOLBF, 0);
	argp_err_exit_status = EXIT_OWN_FAILURE;
	options_parse(&argp, argc, argv, ARGP_IN_ORDER, &arguments);

	if (!arguments.no_table)
		profiling->table = open_table(&arguments);
	if (profiling->attach.clock == PROFIL_CLOCK_AUTO)
		profiling->attach.clock = default_clock();
	profiling->table_name = arguments.table ? arguments.table : "standard error";
	if (profiling->table)
		table_choice_set_style(&profiling->choice, profiling->table, TERMINAL_AUTO);
	error = resultfile_try(profiling->output);
	if (error) {
		outcome_explain_unwritten(profiling->output, error);
		profiling->output = NULL;
	}
	/* a pipe takes only one result */
	if (!profiling->has_interval && profiling->output &&
	    outcome_takes_snapshots(profiling->output))
		profiling->snapshot_ns = DEFAULT_INTERVAL_NS;
	status = profiling_run(profiling);
	if (profiling->table)
		close_table(profiling->table, arguments.table);
	free(profiling->pids);
	return status;
}
