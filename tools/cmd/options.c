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

#define MAX_OPTIONS	64	/* with a name */
#define MOST_OPTIONS	128

/* All options of a subcommand, for getopt_long(), and as argp has them */
struct getopt_options {
	char letters[1 + 3 * MAX_OPTIONS + 1];
	struct option longs[MAX_OPTIONS + 1];
	size_t nr;
	const struct argp_option *all[MOST_OPTIONS];
	const struct argp_option *of[MOST_OPTIONS];	/* has the argument: itself, or not an alias */
	size_t nr_all;
};

static void add_options(struct getopt_options *all, const struct argp_option *option)
{
	const struct argp_option *of = option;	/* the first one is no alias */
	int has_arg;

	for (; option && (option->name || option->key); option++) {
		if (all->nr == MAX_OPTIONS || all->nr_all == MOST_OPTIONS)
			return;
		/* an alias has the arguments of the option before it */
		if (!(option->flags & OPTION_ALIAS))
			of = option;
		has_arg = !of->arg ? no_argument :
			  of->flags & OPTION_ARG_OPTIONAL ? optional_argument : required_argument;
		if (option->key > 0 && option->key < 256)
			sprintf(strchr(all->letters, 0), "%c%.*s", option->key, has_arg, "::");
		if (option->name)
			all->longs[all->nr++] = (struct option){ option->name, has_arg, NULL, 0 };
		all->all[all->nr_all] = option;
		all->of[all->nr_all++] = of;
	}
}

/*
 * Print all options, a line each: letter, name, argument, a ? if it may be omitted, and what it does,
 * with a tab after each. Completions and the synopses of the manual pages are made of this
 * (completion/options.awk).
 */
static void __attribute__((noreturn)) list_options(const struct getopt_options *all)
{
	size_t i;

	for (i = 0; i < all->nr_all; i++) {
		const struct argp_option *option = all->all[i], *of = all->of[i];

		if (!(option->flags & OPTION_HIDDEN))
			printf("%.*s\t%s\t%s\t%s\t%s\n", option->key > 0 && option->key < 256,
			       (char []){ (char)option->key }, option->name ? option->name : "",
			       of->arg ? of->arg : "",
			       of->flags & OPTION_ARG_OPTIONAL ? "?" : "", of->doc ? of->doc : "");
	}
	exit(fflush(stdout) ? EXIT_NO_RESULT : 0);
}

/* What users of perf and of other profilers type. @option: as it is typed */
static const struct {
	const char *option;
	const char *hint;
} habits[] = {
	{ "-e", "samples are of CPU time, and there are no other events" },
	{ "-d", "--duration=SECONDS ends a profile, --delay=SECONDS is of profil top" },
	{ "-n", "--top=N prints N rows, --runs=N is of profil compare" },
	{ "-s", "--sort=KEY and --by=WHAT order and choose the rows" },
	{ "-v", "there are no more messages; `profil info' checks what is needed" },
	{ "--frequency", "the rate is --rate=HZ" },
	{ "--freq", "the rate is --rate=HZ" },
	{ "--event", "samples are of CPU time, and there are no other events" },
	{ "--verbose", "there are no more messages; `profil info' checks what is needed" },
	{ "--flamegraph", "`profil run -g', then `profil export --folded | flamegraph.pl' draws one" },
};

static const char *habit_of(const char *option)
{
	size_t i;

	for (i = 0; i < sizeof(habits) / sizeof(habits[0]); i++)
		if (!strcmp(option, habits[i].option))
			return habits[i].hint;
	return NULL;
}

/* Return: the subcommand that has a long option, to free(); NULL: none has. */
static char *owner_of(const char *name)
{
	char *command = NULL, *owner = NULL, line[1024];
	FILE *lists;

	/* this program is asked, as completions are: there is one list */
	if (asprintf(&command, "for c in run top report diff compare merge export optimize info; do /proc/%d/exe $c " OPTIONS_LIST " | sed \"s/^/$c\t/\"; done 2>/dev/null",
		     (int)getpid()) < 0)
		return NULL;
	lists = popen(command, "re");
	while (lists && fgets(line, sizeof(line), lists)) {
		char *rest = line, *of = strsep(&rest, "\t"), *found;

		strsep(&rest, "\t");
		found = strsep(&rest, "\t");
		if (!owner && found && !strcmp(found, name))
			owner = strdup(of);
	}
	if (lists)
		pclose(lists);
	free(command);
	return owner;
}

static void __attribute__((noreturn, format(printf, 2, 3)))
refuse(const char *subcommand, const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "%s: ", subcommand);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fprintf(stderr, "\nTry `%s --help' for more information.\n", subcommand);
	exit(argp_err_exit_status);
}

/* Exit with a hint, unless @word, without --, abbreviates an option: argp handles abbreviations. */
static void refuse_long(const struct getopt_options *all, const char *subcommand, const char *word)
{
	size_t length = strcspn(word, "="), i;
	char *name, *escaped, *suggestion;
	struct suggest suggest;

	for (i = 0; i < all->nr; i++)
		if (!strncmp(all->longs[i].name, word, length))
			return;
	if (asprintf(&name, "--%.*s", (int)length, word) < 0)
		return;
	escaped = escape_line(name);
	if (habit_of(name))
		refuse(subcommand, "unknown option %s: %s", name, habit_of(name));
	suggestion = owner_of(name + 2);
	if (suggestion)
		refuse(subcommand, "unknown option %s: it is of profil %s", name, suggestion);
	suggest_begin(&suggest, name + 2);
	for (i = 0; i < all->nr; i++)
		suggest_offer(&suggest, all->longs[i].name);
	suggestion = suggest_words(&suggest, "--");
	refuse(subcommand, "unknown option %s%s", escaped ? escaped : "", suggestion ? suggestion : "");
}

/* Exit with a hint, unless the letter is an option, which lacks its argument. */
static void refuse_letter(const struct getopt_options *all, const char *subcommand, int letter)
{
	const char option[] = { '-', (char)letter, 0 };

	/* argp would print a control character without escaping it */
	if (!isprint(letter))
		failure_exitx(argp_err_exit_status, "unknown option -%c", letter);
	if (!strchr(all->letters, letter) && habit_of(option))
		refuse(subcommand, "unknown option %s: %s", option, habit_of(option));
}

/* Check for unknown options before argp does: its message cannot have hints. */
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
		else if (option == '?' && optopt)
			refuse_letter(all, argv[0], optopt);
		else if (option == '?')
			refuse_long(all, argv[0], copy[optind - 1] + 2);
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
	if (argc == 2 && !strcmp(argv[1], OPTIONS_LIST))
		list_options(&all);
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

bool options_is_stdout(const char *path, const struct argp_state *state)
{
	if (strcmp(path, RESULTFILE_STDIN))
		return false;
	if (isatty(STDOUT_FILENO))
		options_error(state, "--output=- would write the result to the terminal: name a file, or use a pipe");
	return true;
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
