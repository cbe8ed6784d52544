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
	"Compare results of `profil run' by function: one of each build, or several, with -- between. "
	"One of them may be -, which is standard input."
	"\v"
	"The CPU seconds of the runs are compared, assuming that all did the same work. If they did "
	"not, use --shares.\n"
	"\n"
	"95%-interval is the confidence interval of the change. A * marks a change that exceeds it; on "
	"average, up to 5 % of the functions that have not changed are marked, too. With one run a side, "
	"the interval has the sampling error alone, and two runs of the same program may differ by more. "
	"With several, it has the variance between runs. `profil compare' compares commands.\n"
	"\n"
	"The names of functions are those that were stored at the end of each run. A function that is "
	"in one result only is not marked if the other one has samples of its object without names.\n"
	"\n"
	"Exit status: 0; 1 if a file cannot be read or has no samples; 2 for wrong usage; 3 if the limit of "
	"--fail-above is exceeded; 4 if that cannot be told, with --fail-undecided.\n"
	"\n"
	"See profil-diff(1).";

enum { TOP = 256, MIN_PERCENT, OLD_ROOT, NEW_ROOT, NO_DEMANGLE, COLOR, SHARES,
	FULL_NAMES, FAIL_ABOVE, FAIL_UNDECIDED, JSON, MARKDOWN };

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
	{ "fail-undecided", FAIL_UNDECIDED, NULL, 0,
	  "Exit with status 4 if only the upper end of an interval is above --fail-above", 0 },
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

/* One of the runs */
struct side {
	const char *file;
	const char *root;
	struct result result;
	struct symbols *symbols;
	struct profile profile;
};

/*
 * @sides, @runs: the old ones, then the @nr_new new ones; @nr: of both
 * @after: arguments after --; 0: there is no --
 */
struct arguments {
	struct side *sides;
	struct comparison_side *runs;
	size_t nr;
	size_t nr_new;
	size_t after;
	const char *old_root;
	const char *new_root;
	struct selection selection;
	enum comparison_of of;
	bool keep_mangled;
	bool full_names;
	enum terminal_when color;
	enum form form;
	struct comparison_gate gate;
	bool fail_undecided;
	uint64_t top;
	double min_percent;
};

static void set_form(struct arguments *arguments, enum form form, const struct argp_state *state)
{
	if (arguments->form != TABLE_FORM && arguments->form != form)
		options_error(state, "--json and --markdown exclude each other");
	arguments->form = form;
}

/* All files are known: those after -- are new, unless there are none before it. */
static void set_sides(struct arguments *arguments, const struct argp_state *state)
{
	const bool is_list = arguments->after && arguments->after < arguments->nr;
	size_t nr_stdin = 0, i;

	if (arguments->nr < 2)
		options_error(state, "two result files are required; `profil run -o FILE COMMAND' writes one");
	if (arguments->nr > 2 && !is_list)
		options_error(state, "for several results of a build, write -- between OLD... and NEW...");
	arguments->nr_new = is_list ? arguments->after : 1;
	for (i = 0; i < arguments->nr; i++) {
		arguments->sides[i].root = i < arguments->nr - arguments->nr_new ?
					   arguments->old_root : arguments->new_root;
		nr_stdin += !strcmp(arguments->sides[i].file, RESULTFILE_STDIN);
	}
	if (nr_stdin > 1)
		options_error(state, "only one of the files can be standard input");
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
		arguments->old_root = text;
		return 0;
	case NEW_ROOT:
		arguments->new_root = text;
		return 0;
	case FAIL_ABOVE:
		arguments->gate.is_set = true;
		arguments->gate.percent = options_parse_percent(text, state);
		return 0;
	case FAIL_UNDECIDED:
		arguments->fail_undecided = true;
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
		arguments->sides[arguments->nr++].file = text;
		return 0;
	case ARGP_KEY_END:
		set_sides(arguments, state);
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

static void print_side(FILE *out, bool is_new, const struct side *side)
{
	const char *what = is_new ? "new" : "old";
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
		char *text = symbols_explain(side->symbols, i,
					     is_new ? "--new-root" : "--old-root");

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
	size_t length, i;
	FILE *out = open_memstream(&head, &length);

	if (!out)
		return -ENOMEM;
	table.style = terminal_style(stdout, arguments->color);
	if (arguments->full_names)
		table.style.columns = table.style.name = 0;
	for (i = 0; i < arguments->nr; i++)
		print_side(out, i >= comparison->nr_old, &arguments->sides[i]);
	if (fclose(out)) {
		free(head);
		return -ENOMEM;
	}
	table.lines_above = terminal_print_text(stdout, &table.style, head);
	free(head);
	return comparison_print(stdout, comparison, &table);
}

static int print(const struct comparison *comparison, const struct arguments *arguments)
{
	const struct side *old = arguments->sides, *new = old + comparison->nr_old;
	const char *const names[] = { options_file_name(old->file), options_file_name(new->file) };
	const struct comparison_side sides[] = {
		arguments->runs[0], arguments->runs[comparison->nr_old],
	};
	struct comparison_table table = {
		.top = arguments->top,
		.min_percent = arguments->min_percent,
	};
	size_t i;

	for (i = 0; i < arguments->nr; i++) {
		const int decimals = table_decimals(arguments->sides[i].result.rate);

		table.decimals = decimals > table.decimals ? decimals : table.decimals;
	}
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

/* Print what exceeds the limit, or may exceed it. Return: the exit status. */
static int judge(const struct comparison *comparison, const struct arguments *arguments)
{
	const struct comparison_gate *gate = &arguments->gate;
	const bool fails = comparison_fails(comparison, gate);

	if (fails)
		failure_warnx("slower by more than --fail-above=%g permits:", gate->percent);
	else if (comparison_undecided(comparison, gate))
		failure_warnx("not known to be slower by more than --fail-above=%g permits, nor not to be; more samples (--rate) or runs (OLD... -- NEW...) tell:",
			      gate->percent);
	else
		return 0;
	comparison_explain_failure(stderr, comparison, gate);
	if (fails)
		return EXIT_SLOWER;
	return arguments->fail_undecided ? EXIT_UNDECIDED : 0;
}

/* Return: an exit status, or ENOMEM. */
static int compare(void *data)
{
	struct arguments *arguments = data;
	const size_t nr_old = arguments->nr - arguments->nr_new;
	struct comparison_side *runs = arguments->runs;
	struct comparison comparison = { 0 };
	int error = 0, status = 0;
	size_t i;

	for (i = 0; !error && i < arguments->nr; i++) {
		error = open_side(&arguments->sides[i], arguments);
		runs[i].result = &arguments->sides[i].result;
		runs[i].profile = &arguments->sides[i].profile;
	}
	runs[0].more = &runs[1];
	runs[0].nr_more = nr_old - 1;
	runs[nr_old].more = &runs[nr_old + 1];
	runs[nr_old].nr_more = arguments->nr_new - 1;
	if (!error)
		error = comparison_make(&comparison, &runs[0], &runs[nr_old], arguments->of);
	if (!error)
		error = print(&comparison, arguments);
	if (!error)
		status = judge(&comparison, arguments);
	comparison_release(&comparison);
	for (i = 0; i < arguments->nr; i++)
		close_side(&arguments->sides[i]);
	if (error)
		return -error;
	if (fflush(stdout) || ferror(stdout))
		failure_exit(EXIT_NO_RESULT, "standard output", errno);
	return status;
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
		.args_doc = "OLD NEW\nOLD... -- NEW...",
		.doc = doc,
		.children = options_of_results,
	};
	struct arguments arguments = { 0 };
	bool needs = false;
	size_t i;
	int status, at;

	for (at = 1; at < argc && strcmp(argv[at], "--"); at++)
		;
	if (at < argc)
		arguments.after = (size_t)(argc - at - 1);
	arguments.sides = calloc((size_t)argc + 1, sizeof(*arguments.sides));
	arguments.runs = calloc((size_t)argc + 1, sizeof(*arguments.runs));
	if (!arguments.sides || !arguments.runs)
		failure_exit(EXIT_NO_RESULT, "diff", ENOMEM);
	argp_err_exit_status = EXIT_USAGE;
	options_parse(&argp, argc, argv, 0, &arguments);
	for (i = 0; i < arguments.nr; i++) {
		read_side(&arguments.sides[i], &arguments);
		needs |= needs_files(&arguments.sides[i]);
	}
	status = needs ? reading_run(compare, &arguments) : compare(&arguments);
	for (i = 0; i < arguments.nr; i++)
		result_release(&arguments.sides[i].result);
	free(arguments.sides);
	free(arguments.runs);
	if (status == ENOMEM)
		failure_exit(EXIT_NO_RESULT, "the results", ENOMEM);
	return status;
}
