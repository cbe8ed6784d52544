// SPDX-License-Identifier: GPL-2.0-only
/*
 * Options and file handling that several subcommands share.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "cmd/options.h"
#include "cmd/suggest.h"
#include "compare/turns.h"
#include "result/resultfile.h"
#include "symbol/debuginfod.h"
#include "util/escape.h"
#include "util/failure.h"
#include "util/working.h"

void options_error(const struct argp_state *state, const char *format, ...)
{
	char *message = NULL, *line = NULL;
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&message, format, arguments) >= 0)
		line = escape_line(message);
	va_end(arguments);
	argp_error(state, "%s", line ? line : "invalid usage");
	free(line);
	free(message);
}

/* The options that argp adds, and -h */
static const struct argp_option common_options[] = {
	{ "help", '?', NULL, 0, NULL, 0 },
	{ "usage", 0, NULL, 0, NULL, 0 },
	{ "version", 'V', NULL, 0, NULL, 0 },
	{ NULL, 'h', NULL, 0, NULL, 0 },
	{ 0 }
};

#define MAX_OPTIONS	64

/* Arguments of getopt_long() */
struct getopt_options {
	char letters[1 + 3 * MAX_OPTIONS + 1];
	struct option longs[MAX_OPTIONS + 1];
	size_t nr;
};

static void add_options(struct getopt_options *all, const struct argp_option *option)
{
	int has_arg = no_argument;

	for (; option && (option->name || option->key); option++) {
		if (all->nr == MAX_OPTIONS)
			return;
		/* an alias has the arguments of the option before it */
		if (!(option->flags & OPTION_ALIAS))
			has_arg = !option->arg ? no_argument :
				  option->flags & OPTION_ARG_OPTIONAL ? optional_argument :
									required_argument;
		if (option->key > 0 && option->key < 256)
			sprintf(strchr(all->letters, 0), "%c%.*s", option->key, has_arg, "::");
		if (option->name)
			all->longs[all->nr++] = (struct option){ option->name, has_arg, NULL, 0 };
	}
}

/* Exit with a suggestion, unless @word abbreviates an option: argp handles abbreviations. */
static void refuse_unknown(const struct getopt_options *all, const char *subcommand,
			   const char *word)
{
	size_t length = strcspn(word, "="), i;
	char *name, *escaped, *suggestion;
	struct suggest suggest;

	for (i = 0; i < all->nr; i++)
		if (!strncmp(all->longs[i].name, word, length))
			return;
	name = strndup(word, length);
	if (!name)
		return;
	suggest_begin(&suggest, name);
	for (i = 0; i < all->nr; i++)
		suggest_offer(&suggest, all->longs[i].name);
	suggestion = suggest_words(&suggest, "--");
	escaped = escape_line(name);
	fprintf(stderr, "%s: unknown option --%s%s\nTry `%s --help' for more information.\n",
		subcommand, escaped ? escaped : "", suggestion ? suggestion : "", subcommand);
	exit(argp_err_exit_status);
}

/* Check for unknown options before argp does: its message cannot have suggestions. */
static void check_options(const struct getopt_options *all, int argc, char **argv)
{
	static char help[] = "--help";
	char **copy = calloc((size_t)argc + 1, sizeof(*copy));
	int option;

	if (!copy)
		return;
	memcpy(copy, argv, (size_t)argc * sizeof(*copy));
	optind = 0;
	opterr = 0;
	while ((option = getopt_long(argc, copy, all->letters, all->longs, NULL)) >= 0) {
		if (option == 'h')
			argv[1] = help;
		else if (option == '?' && optopt && !isprint(optopt))
			/* argp would print the control character without escaping it */
			failure_exitx(argp_err_exit_status, "unknown option -%c", optopt);
		else if (option == '?' && !optopt)
			refuse_unknown(all, argv[0], copy[optind - 1] + 2);
	}
	free(copy);
}

void options_parse(const struct argp *argp, int argc, char **argv, unsigned int flags,
		   void *input)
{
	struct getopt_options all = { 0 };
	const struct argp_child *child;

	/* stop at the first operand: the rest belongs to the command */
	if (flags & ARGP_IN_ORDER)
		all.letters[0] = '+';
	add_options(&all, argp->options);
	for (child = argp->children; child && child->argp; child++)
		add_options(&all, child->argp->options);
	add_options(&all, common_options);
	check_options(&all, argc, argv);
	argp_parse(argp, argc, argv, flags, NULL, input);
}

uint64_t options_parse_count(const char *text, struct argp_state *state)
{
	unsigned long long count;
	char *end;

	errno = 0;
	count = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end || errno || !count)
		options_error(state, "invalid number of rows '%s'; expected 1 or more", text);
	return count;
}

double options_parse_percent(const char *text, struct argp_state *state)
{
	double percent;
	char *end;

	percent = strtod(text, &end);
	/* negated, so that NaN is refused too */
	if (end == text || *end || !(percent >= 0 && percent <= 100))
		options_error(state, "invalid percentage '%s'; expected 0 to 100", text);
	return percent;
}

/* Return: a whole number from 1 to INT_MAX; 0: the text is none. */
static uint32_t parse_number(const char *text)
{
	unsigned long number;
	char *end;

	errno = 0;
	number = strtoul(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end || errno || number > INT_MAX)
		return 0;
	return (uint32_t)number;
}

uint32_t options_parse_rate(const char *text, struct argp_state *state)
{
	const uint32_t rate = parse_number(text);

	if (!rate)
		options_error(state, "invalid rate '%s'; expected a whole number of Hz, 1 or more",
			      text);
	return rate;
}

unsigned int options_parse_runs(const char *text, struct argp_state *state)
{
	const uint32_t runs = parse_number(text);

	if (runs < TURNS_MIN_PAIRS || runs > TURNS_MAX_PAIRS)
		options_error(state, "invalid number of runs '%s'; expected %d to %d", text,
			      TURNS_MIN_PAIRS, TURNS_MAX_PAIRS);
	return runs;
}

enum terminal_when options_parse_color(const char *text, struct argp_state *state)
{
	enum terminal_when when = TERMINAL_ALWAYS;

	if (text && !terminal_parse_when(text, &when))
		options_error(state, "invalid argument '%s' of --color; expected auto, always or never",
			      text);
	return when;
}

enum { NO_DEBUGINFOD = 512, REFRESH };

static error_t parse_fetching(int key, char *text, struct argp_state *state)
{
	(void)text;
	switch (key) {
	case NO_DEBUGINFOD:
		/* any value except NULL, the initial one */
		state->hook = state;
		return 0;
	case REFRESH:
		symbols_prefer_files();
		return 0;
	case ARGP_KEY_END:
		working_show(STDERR_FILENO);
		if (!state->hook)
			debuginfod_allow();
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

enum { PROGRAM = 640, PROCESS, THREAD, OBJECT };

static int32_t parse_pid(const char *text, struct argp_state *state)
{
	const uint32_t pid = parse_number(text);

	if (!pid)
		options_error(state, "invalid process ID '%s' of --process", text);
	return (int32_t)pid;
}

static error_t parse_selection(int key, char *text, struct argp_state *state)
{
	struct selection *selection = state->input;

	switch (key) {
	case PROGRAM:
		selection->program = text;
		return 0;
	case PROCESS:
		selection->process = parse_pid(text, state);
		return 0;
	case THREAD:
		selection->thread = text;
		return 0;
	case OBJECT:
		selection->object = text;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option selecting[] = {
	{ "program", PROGRAM, "PROGRAM", 0,
	  "Only samples of processes that ran PROGRAM: a path, a file name or a pattern (*, ?)", 0 },
	{ "process", PROCESS, "PID", 0, "Only samples of the process PID", 0 },
	{ "thread", THREAD, "THREAD", 0,
	  "Only samples of threads with the name or the ID THREAD; may be a pattern", 0 },
	{ "object", OBJECT, "OBJECT", 0,
	  "Only samples in OBJECT: a path, a file name or a pattern", 0 },
	{ 0 }
};

static const struct argp_option fetching[] = {
	{ "refresh", REFRESH, NULL, 0,
	  "Read names and lines from the files again, instead of those that were stored at the end of the run", 0 },
	{ "no-debuginfod", NO_DEBUGINFOD, NULL, 0,
	  "Do not fetch debug information from the servers in DEBUGINFOD_URLS", 0 },
	{ 0 }
};

const struct argp options_selecting = { .options = selecting, .parser = parse_selection };
const struct argp options_fetching = { .options = fetching, .parser = parse_fetching };

const struct argp_child options_of_results[] = {
	{ .argp = &options_selecting },
	{ .argp = &options_fetching },
	{ 0 }
};

static const char *remedy(int error)
{
	switch (error) {
	case ENOENT:
		return "`profil COMMAND' writes one";
	case EACCES:
	case EPERM:
		return "get read permission from its owner";
	case ENOMEM:
		return "end other programs, or raise the memory limit (ulimit -v)";
	default:
		return "see open(2) and read(2)";
	}
}

const char *options_file_name(const char *path)
{
	return strcmp(path, RESULTFILE_STDIN) ? path : "standard input";
}

const char *options_result_output(const char *path, struct argp_state *state)
{
	if (strcmp(path, RESULTFILE_STDIN))
		return path;
	if (isatty(STDOUT_FILENO))
		options_error(state, "--output=- would write the result to the terminal: name a file, or use a pipe");
	return "/dev/stdout";
}

void options_read_result(const char *path, struct result *result)
{
	const char *why = NULL, *name = options_file_name(path);
	int error = resultfile_read(path, result, &why);

	if (error == -EBADMSG)
		failure_exitx(EXIT_NO_RESULT, "%s: %s", name, why);
	if (error)
		failure_exitx(EXIT_NO_RESULT, "%s: %s (%s): %s", name, strerror(-error),
			      strerrorname_np(-error), remedy(-error));
}

void options_select(const char *path, struct result *result, const struct selection *selection)
{
	const char *name = options_file_name(path);

	if (selection_is_all(selection))
		return;
	if (result_select(result, selection))
		failure_exit(EXIT_NO_RESULT, name, ENOMEM);
	if (!result_samples(result))
		failure_exitx(EXIT_NO_RESULT, "%s: no samples are selected; `profil report' lists the programs with --by program, and so on: process, thread, object",
			      name);
}

/* @text: is freed; NULL: no warning */
static void warn_free(char *text)
{
	if (text)
		failure_warnx("%s", text);
	free(text);
}

void options_warn_symbols(const struct result *result, const struct symbols *symbols)
{
	size_t i;

	for (i = 0; i < result->nr_objects; i++)
		warn_free(symbols_explain(symbols, i, "--root"));
}

void options_warn_lines(const struct result *result, const struct symbols *symbols)
{
	size_t i;

	for (i = 0; i < result->nr_objects; i++)
		warn_free(symbols_explain_lines(symbols, i));
}
