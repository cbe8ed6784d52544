// SPDX-License-Identifier: GPL-2.0-only
/*
 * profil report - print a result
 */
#define _GNU_SOURCE
#include <argp.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "cmd/functionname.h"
#include "cmd/options.h"
#include "cmd/reading.h"
#include "cmd/table_choice.h"
#include "report/annotate.h"
#include "report/report.h"
#include "report/report_json.h"
#include "result/resultfile.h"
#include "symbol/symbols.h"
#include "util/distribution.h"
#include "util/failure.h"

static const char doc[] =
	"Print a result of `profil run' (default: " RESULTFILE_DEFAULT "; -: standard input)."
	"\v"
	"95%-interval is the confidence interval of the share of CPU time: on average, 95 of 100 such "
	"intervals contain the true share.\n"
	"\n"
	"The names of functions and lines are those that were stored at the end of the run. With "
	"--refresh or --root, they are read from the files of the objects, or from their debug files. "
	"A file is not used if its build-id differs from that of the file that ran.\n"
	"\n"
	"Exit status: 0; 1 if FILE cannot be read or is not a result; 2 for wrong usage.\n"
	"\n"
	"See profil-report(1).";

enum { ANNOTATE = 256, ASM, INLINE, ROOT, NO_DEMANGLE, COLOR, JSON, CALLERS, CALLEES, TREE };

static const struct argp_option options[] = {
	{ "annotate", ANNOTATE, "FUNCTION", 0,
	  "Print the source of FUNCTION with the samples of each line", 0 },
	{ "asm", ASM, NULL, 0,
	  "With --annotate, print instructions with the samples of each, and their source lines", 0 },
	{ "callers", CALLERS, "FUNCTION", 0,
	  "Print who calls FUNCTION, with the samples of FUNCTION and all that it calls (run -g)", 0 },
	{ "callees", CALLEES, "FUNCTION", 0,
	  "Print whom FUNCTION calls, with the samples of these and all that they call (run -g)", 0 },
	{ "inline", INLINE, NULL, 0,
	  "Count samples for inlined functions, not for those that they are inlined into", 0 },
	{ "json", JSON, NULL, 0, "Print JSON", 0 },
	{ "no-demangle", NO_DEMANGLE, NULL, 0,
	  "Print the mangled names of C++, Rust and D functions", 0 },
	{ "root", ROOT, "DIR", 0,
	  "Search for the objects below DIR, for example in a copy of another machine's files", 0 },
	{ "symfs", 0, NULL, OPTION_ALIAS, NULL, 0 },
	{ "tree", TREE, "callees|callers", OPTION_ARG_OPTIONAL,
	  "Print functions below their callers, or with callers above these (run -g)", 0 },
	{ "color", COLOR, "auto|always|never", OPTION_ARG_OPTIONAL,
	  "Use colors and bars (default: auto, on a terminal only)", 0 },
	{ 0 }
};

#define TREE_PERCENT	1	/* with less, a branch of a tree is folded */

struct arguments {
	const char *file;
	struct selection selection;
	const char *root;
	const char *annotate;	/* NULL: a table */
	bool instructions;
	bool json;
	enum terminal_when color;
	struct table_choice choice;
};

static enum table_tree parse_tree(const char *text, struct argp_state *state)
{
	if (!text || !strcmp(text, "callees"))
		return TABLE_OF_CALLEES;
	if (strcmp(text, "callers"))
		options_error(state, "invalid argument '%s' of --tree; expected callees or callers",
			      text);
	return TABLE_OF_CALLERS;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &arguments->choice;
		state->child_inputs[1] = &arguments->selection;
		return 0;
	case ANNOTATE:
		functionname_cut_note(text);
		arguments->annotate = text;
		return 0;
	case ASM:
		arguments->instructions = true;
		return 0;
	case CALLERS:
	case CALLEES:
		if (arguments->choice.table.of)
			options_error(state, "only one of --callers and --callees can be printed");
		arguments->choice.table.of = text;
		arguments->choice.table.is_callees = key == CALLEES;
		return 0;
	case TREE:
		arguments->choice.table.tree = parse_tree(text, state);
		return 0;
	case INLINE:
		arguments->choice.inlined = true;
		return 0;
	case JSON:
		arguments->json = true;
		return 0;
	case NO_DEMANGLE:
		arguments->choice.keep_mangled = true;
		return 0;
	case ROOT:
		arguments->root = text;
		return 0;
	case COLOR:
		arguments->color = options_parse_color(text, state);
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num)
			options_error(state, "only one FILE can be printed: unexpected '%s'", text);
		arguments->file = text;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static bool needs_stacks(const struct arguments *arguments)
{
	const struct table_options *table = &arguments->choice.table;

	return table->of || table->tree || table->by == TABLE_BY_CALLER;
}

/* What needs stacks shows nothing. */
static void explain_no_stack(const struct result *result, const struct arguments *arguments)
{
	if (result->nr_stack_parts)
		failure_warnx("%s: no function with the name %s is in the call stacks; `profil report --all --sort=total %s' lists those that are",
			      options_file_name(arguments->file), arguments->choice.table.of,
			      arguments->file);
	else
		failure_warnx("%s: it has no call stacks: record them with `profil run -g'",
			      options_file_name(arguments->file));
}

static int show_table(const struct result *result, struct symbols *symbols,
		      const struct arguments *arguments)
{
	struct profile profile = { 0 };
	const struct report report = {
		.result = result,
		.profile = &profile,
		.symbols = symbols,
		.table = arguments->choice.table,
		.selection = selection_is_all(&arguments->selection) ?
			     NULL : &arguments->selection,
		.of_file = true,
		.records = DISTRIBUTION_RECORDS,
	};
	int error = table_choice_make(&arguments->choice, &profile, result, symbols);

	if (error == -ENOENT || (!result->nr_stack_parts && needs_stacks(arguments))) {
		explain_no_stack(result, arguments);
		exit(EXIT_NO_RESULT);
	}
	if (!error)
		error = arguments->json ? report_print_json(stdout, &report) :
					  report_print(stdout, &report);
	profile_release(&profile);
	return error;
}

/* Return: a name for what is not in a file, an object or a function in one; NULL: none. */
static const char *find_without_file(const struct result *result, const char *name)
{
	size_t i, j;

	for (i = 0; i < result->nr_objects; i++) {
		const struct result_object *object = &result->objects[i];

		if (result_is_file(object))
			continue;
		if (!strcmp(object->path, name))
			return name;
		for (j = 0; j < object->nr_functions; j++)
			if (!strcmp(object->functions[j].name, name) ||
			    functionname_has_end(object->functions[j].name, name))
				return object->functions[j].name;
	}
	return NULL;
}

/* @others: similar names, from functionname_find(), or NULL */
static void explain_no_function(const struct result *result, struct symbols *symbols,
				const struct arguments *arguments, const char *others)
{
	failure_warnx("%s: no function with the name %s has samples%s",
		      options_file_name(arguments->file), arguments->annotate,
		      others ? others : "");
	if (!others || !*others)
		failure_warnx("`profil report %s' lists the functions with samples",
			      arguments->file);
	/* the name may be missing because a file cannot be read */
	options_warn_symbols(result, symbols);
}

static long annotate(const struct result *result, struct symbols *symbols,
		     const struct arguments *arguments, const char *function)
{
	return annotate_print(stdout, result, symbols, &(struct annotate_options){
		.function = function,
		.inlined = arguments->choice.inlined,
		.instructions = arguments->instructions,
		.all = arguments->choice.table.top == TABLE_ALL_ROWS,
		.keep_mangled = arguments->choice.keep_mangled,
		.root = arguments->root,
		.style = arguments->choice.table.style,
	});
}

/* Annotate the only function that the user can mean. Return: as annotate_print(). */
static long annotate_similar(const struct result *result, struct symbols *symbols,
			     const struct arguments *arguments)
{
	const char *without_file = find_without_file(result, arguments->annotate);
	char *others, *name;
	long nr = 0;

	if (without_file) {
		failure_warnx("%s: %s is code without a file, so there %s for it",
			      options_file_name(arguments->file), without_file,
			      arguments->instructions ? "are no instructions" : "is no source");
		return 0;
	}
	name = functionname_find(result, symbols, arguments->annotate,
				 arguments->choice.keep_mangled, &others);
	if (name)
		nr = annotate(result, symbols, arguments, name);
	if (!nr)
		explain_no_function(result, symbols, arguments, others);
	free(others);
	free(name);
	return nr;
}

static int show_source(const struct result *result, struct symbols *symbols,
		       const struct arguments *arguments)
{
	long nr = annotate(result, symbols, arguments, arguments->annotate);

	if (!nr)
		nr = annotate_similar(result, symbols, arguments);
	if (!nr)
		exit(EXIT_NO_RESULT);
	return nr < 0 ? (int)nr : 0;
}

/* Arguments of show() */
struct showing {
	const struct arguments *arguments;
	const struct result *result;
};

/* Return: 0; or ENOMEM. */
static int show(void *data)
{
	const struct showing *showing = data;
	const struct arguments *arguments = showing->arguments;
	struct symbols *symbols = symbols_new(showing->result, arguments->root);
	int error;

	if (!symbols)
		return ENOMEM;
	error = arguments->annotate ? show_source(showing->result, symbols, arguments) :
				      show_table(showing->result, symbols, arguments);
	symbols_free(symbols);
	if (!error && (fflush(stdout) || ferror(stdout)))
		failure_exit(EXIT_NO_RESULT, "standard output", errno);
	return -error;
}

/* Return: the exit status. */
static int show_result(const struct arguments *arguments)
{
	struct result result;
	int status;

	options_read_result(arguments->file, &result);
	options_select(arguments->file, &result, &arguments->selection);
	/* to annotate, files are read, too */
	status = arguments->annotate || symbols_need_files(&result, arguments->root) ?
		 reading_run(show, &(struct showing){ arguments, &result }) :
		 show(&(struct showing){ arguments, &result });
	result_release(&result);
	if (status > EXIT_NO_RESULT)
		failure_exit(EXIT_NO_RESULT, options_file_name(arguments->file), status);
	return status;
}

/* What shows stacks excludes what it would not change. */
static void check_stacks(struct arguments *arguments)
{
	struct table_options *table = &arguments->choice.table;

	if (!needs_stacks(arguments))
		return;
	if (arguments->annotate || arguments->choice.inlined ||
	    !!table->of + !!table->tree + (table->by != TABLE_BY_FUNCTION) > 1)
		failure_exitx(EXIT_USAGE, "--callers, --callees, --tree and --by exclude each other; the first three and --by=caller exclude --annotate and --inline");
	if (!table->tree)
		return;
	if (table->order || (table->top && table->top != TABLE_ALL_ROWS))
		failure_exitx(EXIT_USAGE, "--tree excludes --sort and --top");
	if (!table->top && table->min_percent <= 0)
		table->min_percent = TREE_PERCENT;
	table->top = TABLE_ALL_ROWS;
}

int report_main(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ .argp = &table_choice_argp },
		{ .argp = &options_selecting },
		{ .argp = &options_fetching },
		{ 0 }
	};
	static const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.args_doc = "[FILE]",
		.doc = doc,
		.children = children,
	};
	struct arguments arguments = { .file = RESULTFILE_DEFAULT };

	argp_err_exit_status = EXIT_USAGE;
	options_parse(&argp, argc, argv, 0, &arguments);
	if (arguments.json && arguments.annotate)
		failure_exitx(EXIT_USAGE, "--json and --annotate exclude each other");
	check_stacks(&arguments);
	if (arguments.instructions && !arguments.annotate)
		failure_exitx(EXIT_USAGE, "--asm needs --annotate=FUNCTION");
	table_choice_set_style(&arguments.choice, stdout, arguments.color);
	return show_result(&arguments);
}
