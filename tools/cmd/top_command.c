// SPDX-License-Identifier: GPL-2.0-only
/*
 * profil top - show live where programs spend their CPU time
 *
 * This file has the options, and opens the terminal.
 */
#define _GNU_SOURCE
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "cmd/options.h"
#include "cmd/profiling.h"
#include "cmd/target.h"
#include "result/resultfile.h"
#include "top/top.h"
#include "util/failure.h"
#include "util/time_ns.h"

/* Options without a letter */
enum { KEY_ONCE = 256, KEY_BY, KEY_SORT, KEY_TOP };

#define DEFAULT_DELAY_NS	(NS_PER_S / 2)	/* of the screen */
#define DEFAULT_ONCE_NS		(2 * NS_PER_S)	/* of --once */

static const char doc[] =
	"Run COMMAND, or attach to processes, and show live in which functions, threads and programs "
	"they spend their CPU time. A FILE with a result of `profil run' is shown in the same way."
	"\v"
	"Enter shows the source lines of a function, i its instructions, ? all keys. q leaves: the "
	"programs go on, COMMAND too. What COMMAND reads from the terminal or writes to it is /dev/null. "
	"w writes a result of all samples so far.\n"
	"\n"
	"Exit status: that of COMMAND if it has ended, as of `profil run'; 0 if the user has left it; 125 if "
	"there is no profile or no terminal.\n"
	"\n"
	"See profil-top(1).";

static const struct argp_option options[] = {
	{ "delay", 'd', "SECONDS", 0,
	  "Renew the screen every SECONDS (default: 0.5); with --once, profile for SECONDS (default: 2)", 0 },
	{ "once", KEY_ONCE, NULL, 0,
	  "Print one table to standard output, for scripts, and leave", 0 },
	{ "output", 'o', "FILE", 0,
	  "The key w writes the result to FILE (default: " RESULTFILE_DEFAULT ")", 0 },
	{ "by", KEY_BY, "function|thread|program", 0,
	  "Begin with a row for each of these (default: function)", 0 },
	{ "sort", KEY_SORT, "cpu|total|system|name|object", 0, "Sort by this (default: cpu)", 0 },
	{ "top", KEY_TOP, "N", 0, "With --once, print N rows (default: all)", 0 },
	{ 0 }
};

struct arguments {
	struct profiling_options profiling;
	struct top_options top;
	bool is_once;
};

/* Return: the index of a word among those of @name. */
static size_t parse_word(const char *text, const char *(*name)(size_t index), const char *option,
			 const char *expected, struct argp_state *state)
{
	size_t i;

	for (i = 0; name(i); i++)
		if (!strcmp(text, name(i)))
			return i;
	options_error(state, "invalid %s '%s'; expected %s", option, text, expected);
	return 0;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	struct top_options *top = &arguments->top;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &arguments->profiling;
		return 0;
	case 'd':
		top->delay_ns = target_parse_seconds(text, state);
		return 0;
	case 'o':
		top->output = text;
		return 0;
	case KEY_ONCE:
		arguments->is_once = true;
		return 0;
	case KEY_BY:
		top->by = (enum paint_by)parse_word(text, paint_by_name, "--by",
						    "function, thread or program", state);
		return 0;
	case KEY_SORT:
		top->order = (enum rows_order)parse_word(text, paint_order_name, "--sort",
							 "cpu, total, system, name or object", state);
		return 0;
	case KEY_TOP:
		top->most = options_parse_count(text, state);
		return 0;
	case ARGP_KEY_END:
		if (top->most && !arguments->is_once)
			options_error(state, "--top needs --once: the screen has as many rows as fit");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Standard output is for the command, so its screen is the terminal that it was started from. */
static int open_terminal(const struct arguments *arguments)
{
	int fd = STDOUT_FILENO;

	if (arguments->profiling.command) {
		fd = open("/dev/tty", O_RDWR | O_CLOEXEC);
		if (fd < 0)
			failure_exitx(EXIT_OWN_FAILURE, "no live view: there is no terminal: %s (%s): use --once, or start it from a terminal",
				      strerror(errno), strerrorname_np(errno));
	}
	if (!isatty(fd))
		failure_exitx(EXIT_OWN_FAILURE, "no live view: standard output is not a terminal: %s (%s): use --once, or remove the pipe or the redirection",
			      strerror(errno), strerrorname_np(errno));
	return fd;
}

/* Return: the exit status. */
static int show_file(const struct top_options *top, const char *path)
{
	struct result result;
	char why[SCREEN_WHY];
	int error;

	options_read_result(path, &result);
	error = top_show_stored(top, &result, path, why);
	if (error)
		failure_warnx("%s: no view: %s", path, why);
	result_release(&result);
	return error ? EXIT_OWN_FAILURE : 0;
}

int top_main(int argc, char **argv)
{
	static const struct argp_child children[] = { { .argp = &target_argp }, { 0 } };
	static const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.args_doc = TARGET_ARGS_DOC "\nFILE",
		.doc = doc,
		.children = children,
	};
	struct arguments arguments = {
		.profiling.attach.follow = true,
		.top = { .terminal = -1, .out = stdout, .output = RESULTFILE_DEFAULT },
	};
	struct profiling_options *profiling = &arguments.profiling;
	struct top_options *top = &arguments.top;
	const char *file = NULL;
	int status;

	target_parse(&argp, argc, argv, &arguments);
	if (profiling->command && !profiling->command[1] &&
	    resultfile_is_result(profiling->command[0])) {
		file = profiling->command[0];
		profiling->command = NULL;
	} else {
		target_finish(profiling);
	}
	if (!arguments.is_once)
		top->terminal = open_terminal(&arguments);
	else
		profiling->duration_ns = top->delay_ns ? top->delay_ns : DEFAULT_ONCE_NS;
	if (!top->delay_ns)
		top->delay_ns = DEFAULT_DELAY_NS;
	profiling->progress_ns = top->delay_ns < TOP_TICK_NS ? top->delay_ns : TOP_TICK_NS;
	profiling->top = top;
	status = file ? show_file(top, file) : profiling_run(profiling);
	free(profiling->pids);
	if (fflush(stdout) || ferror(stdout))
		failure_exit(EXIT_OWN_FAILURE, "standard output", errno);
	return status;
}
