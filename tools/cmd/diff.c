// SPDX-License-Identifier: GPL-2.0-only
/*
 * profil diff - compare two results
 */
#define _GNU_SOURCE
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/options.h"
#include "cmd/reading.h"
#include "profile/comparison.h"
#include "profile/profile.h"
#include "report/comparison_gate.h"
#include "report/comparison_table.h"
#include "report/table.h"
#include "result/resultfile.h"
#include "symbol/symbols.h"
#include "util/failure.h"

static const char doc[] =
	"Compare two results of `profil run' by function. One of them may be -, which is standard "
	"input."
	"\v"
	"The CPU seconds of the two runs are compared, assuming that both did the same work. If they "
	"did not, use --shares.\n"
	"\n"
	"95%-interval is the confidence interval of the change. A * marks a change that exceeds the "
	"sampling error; on average, up to 5 % of the functions that have not changed are marked, too. "
	"Two runs of the same program may also differ by more than the sampling error: compare two of "
	"them first.\n"
	"\n"
	"The names of functions are those that were stored at the end of each run. A function that is "
	"in one result only is not marked if the other one has samples of its object without names.\n"
	"\n"
	"Exit status: 0; 1 if a file cannot be read or has no samples; 2 for wrong usage; 3 if the limit of "
	"--fail-above is exceeded.\n"
	"\n"
	"See profil-diff(1).";

enum { TOP = 256, MIN_PERCENT, OLD_ROOT, NEW_ROOT, NO_DEMANGLE, COLOR, SHARES,
	FULL_NAMES, FAIL_ABOVE, JSON, MARKDOWN };

/* How the comparison is printed */
enum form { TABLE_FORM, JSON_FORM, MARKDOWN_FORM };

static const struct argp_option options[] = {
	{ "top", TOP, "N", 0,
	  "Print only the N rows with the largest changes (default: all; on a terminal, as many as fit)", 0 },
	{ "min-percent", MIN_PERCENT, "P", 0,
	  "Omit rows that changed by less than P percent of OLD's CPU time", 0 },
	{ "percent-limit", 0, NULL, OPTION_ALIAS, NULL, 0 },
	{ "shares", SHARES, NULL, 0, "Compare shares of the CPU time instead of seconds", 0 },
	{ "fail-above", FAIL_ABOVE, "P", 0,
	  "Exit with status 3 if a function, or all together, takes more than P percent of OLD's CPU time more than before, by the lower end of the interval", 0 },
	{ "json", JSON, NULL, 0, "Print JSON", 0 },
	{ "markdown", MARKDOWN, NULL, 0, "Print a table for a pull request", 0 },
	{ "full-names", FULL_NAMES, NULL, 0,
	  "Print all columns and full names, even if lines are longer than the terminal", 0 },
	{ "no-demangle", NO_DEMANGLE, NULL, 0,
	  "Print the mangled names of C++, Rust and D functions", 0 },
	{ "old-root", OLD_ROOT, "DIR", 0, "Read the names of OLD from the objects below DIR", 0 },
	{ "new-root", NEW_ROOT, "DIR", 0, "Read the names of NEW from the objects below DIR", 0 },
	{ "color", COLOR, "auto|always|never", OPTION_ARG_OPTIONAL,
	  "Use colors (default: auto, on a terminal only)", 0 },
	{ 0 }
};

/* One of the two results */
struct side {
	const char *file;
	const char *root;
	struct result result;
	struct symbols *symbols;
	struct profile profile;
};

struct arguments {
	struct side old;
	struct side new;
	struct selection selection;
	enum comparison_of of;
	bool keep_mangled;
	bool full_names;
	enum terminal_when color;
	enum form form;
	struct comparison_gate gate;
	uint64_t top;
	double min_percent;
};

static void set_form(struct arguments *arguments, enum form form, const struct argp_state *state)
{
	if (arguments->form != TABLE_FORM && arguments->form != form)
		options_error(state, "--json and --markdown exclude each other");
	arguments->form = form;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &arguments->selection;
		return 0;
	case TOP:
		arguments->top = options_parse_count(text, state);
		return 0;
	case MIN_PERCENT:
		arguments->min_percent = options_parse_percent(text, state);
		return 0;
	case SHARES:
		arguments->of = COMPARISON_OF_SHARES;
		return 0;
	case OLD_ROOT:
		arguments->old.root = text;
		return 0;
	case NEW_ROOT:
		arguments->new.root = text;
		return 0;
	case FAIL_ABOVE:
		arguments->gate.is_set = true;
		arguments->gate.percent = options_parse_percent(text, state);
		return 0;
	case JSON:
		set_form(arguments, JSON_FORM, state);
		return 0;
	case MARKDOWN:
		set_form(arguments, MARKDOWN_FORM, state);
		return 0;
	case FULL_NAMES:
		arguments->full_names = true;
		return 0;
	case NO_DEMANGLE:
		arguments->keep_mangled = true;
		return 0;
	case COLOR:
		arguments->color = options_parse_color(text, state);
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num == 0)
			arguments->old.file = text;
		else if (state->arg_num == 1)
			arguments->new.file = text;
		else
			options_error(state, "only two files can be compared: unexpected '%s'", text);
		return 0;
	case ARGP_KEY_END:
		if (state->arg_num < 2)
			options_error(state, "two result files are required; `profil run -o FILE COMMAND' writes one");
		if (!strcmp(arguments->old.file, RESULTFILE_STDIN) &&
		    !strcmp(arguments->new.file, RESULTFILE_STDIN))
			options_error(state, "only one of the files can be standard input");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void read_side(struct side *side, const struct arguments *arguments)
{
	options_read_result(side->file, &side->result);
	if (result_select(&side->result, &arguments->selection))
		failure_exit(EXIT_NO_RESULT, options_file_name(side->file), ENOMEM);
}

/* Return: 0 or -ENOMEM. */
static int open_side(struct side *side, const struct arguments *arguments)
{
	int error = -ENOMEM;

	side->symbols = symbols_new(&side->result, side->root);
	if (side->symbols)
		error = profile_make(&side->profile, &side->result, symbols_find,
				     side->symbols);
	if (error)
		return error;
	if (!side->profile.samples)
		failure_exitx(EXIT_NO_RESULT, "%s has no samples to compare: let the command run longer, or use a higher --rate",
			      options_file_name(side->file));
	if (!arguments->keep_mangled)
		profile_demangle(&side->profile);
	return 0;
}

static void close_side(struct side *side)
{
	profile_release(&side->profile);
	symbols_free(side->symbols);
}

static void print_side(FILE *out, const char *what, const char *root_option,
		       const struct side *side)
{
	const struct result *result = &side->result;
	int digits = table_decimals(result->rate);
	size_t i;

	fprintf(out, "# %s: ", what);
	terminal_print_name(out, options_file_name(side->file));
	fprintf(out, ": %" PRIu64 " samples at %.6g Hz = %.*f s of CPU time\n",
		side->profile.samples, result_rate(result), digits,
		result_seconds(result, side->profile.samples));
	if (result->lost)
		fprintf(out, "# %s: %" PRIu64 " samples (%.*f s) were lost and are not in the table\n",
			what, result->lost, digits, result_seconds(result, result->lost));
	for (i = 0; i < result->nr_objects; i++) {
		char *text = symbols_explain(side->symbols, i, root_option);

		if (!text)
			continue;
		fprintf(out, "# %s: ", what);
		terminal_print_name(out, text);
		putc('\n', out);
		free(text);
	}
}

static int print_table(const struct comparison *comparison, const struct arguments *arguments,
		       struct comparison_table table)
{
	char *head = NULL;
	size_t length;
	FILE *out = open_memstream(&head, &length);

	if (!out)
		return -ENOMEM;
	table.style = terminal_style(stdout, arguments->color);
	if (arguments->full_names)
		table.style.columns = table.style.name = 0;
	print_side(out, "old", "--old-root", &arguments->old);
	print_side(out, "new", "--new-root", &arguments->new);
	if (fclose(out)) {
		free(head);
		return -ENOMEM;
	}
	table.lines_above = terminal_print_text(stdout, &table.style, head);
	free(head);
	return comparison_print(stdout, comparison, &table);
}

static int print(const struct comparison *comparison, const struct arguments *arguments,
		 const struct comparison_side sides[2])
{
	const char *const names[] = {
		options_file_name(arguments->old.file), options_file_name(arguments->new.file),
	};
	const uint32_t old_rate = sides[0].result->rate, new_rate = sides[1].result->rate;
	const struct comparison_table table = {
		.decimals = table_decimals(old_rate > new_rate ? old_rate : new_rate),
		.top = arguments->top,
		.min_percent = arguments->min_percent,
	};

	switch (arguments->form) {
	case JSON_FORM:
		comparison_print_json(stdout, comparison, names, sides, &table, &arguments->gate);
		return 0;
	case MARKDOWN_FORM:
		return comparison_print_markdown(stdout, comparison, &table, &arguments->gate);
	default:
		return print_table(comparison, arguments, table);
	}
}

/* Print what exceeds the limit. Return: whether something does. */
static bool is_slower(const struct comparison *comparison, const struct comparison_gate *gate)
{
	if (!comparison_fails(comparison, gate))
		return false;
	failure_warnx("slower by more than --fail-above=%g permits:", gate->percent);
	comparison_explain_failure(stderr, comparison, gate);
	return true;
}

/* Return: an exit status, or ENOMEM. */
static int compare(void *data)
{
	struct arguments *arguments = data;
	const struct comparison_side sides[] = {
		{ &arguments->old.result, &arguments->old.profile },
		{ &arguments->new.result, &arguments->new.profile },
	};
	struct comparison comparison = { 0 };
	bool fails = false;
	int error;

	error = open_side(&arguments->old, arguments);
	if (!error)
		error = open_side(&arguments->new, arguments);
	if (!error)
		error = comparison_make(&comparison, &sides[0], &sides[1], arguments->of);
	if (!error)
		error = print(&comparison, arguments, sides);
	if (!error)
		fails = is_slower(&comparison, &arguments->gate);
	comparison_release(&comparison);
	close_side(&arguments->old);
	close_side(&arguments->new);
	if (error)
		return -error;
	if (fflush(stdout) || ferror(stdout))
		failure_exit(EXIT_NO_RESULT, "standard output", errno);
	return fails ? EXIT_SLOWER : 0;
}

static bool needs_files(const struct side *side)
{
	return symbols_need_files(&side->result, side->root);
}

int diff_main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.args_doc = "OLD NEW",
		.doc = doc,
		.children = options_of_results,
	};
	struct arguments arguments = { 0 };
	int status;

	argp_err_exit_status = EXIT_USAGE;
	options_parse(&argp, argc, argv, 0, &arguments);
	read_side(&arguments.old, &arguments);
	read_side(&arguments.new, &arguments);
	status = needs_files(&arguments.old) || needs_files(&arguments.new) ?
		 reading_run(compare, &arguments) : compare(&arguments);
	result_release(&arguments.old.result);
	result_release(&arguments.new.result);
	if (status == ENOMEM)
		failure_exit(EXIT_NO_RESULT, "the two results", ENOMEM);
	return status;
}
