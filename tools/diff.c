// SPDX-License-Identifier: GPL-2.0-only
/*
 * profil diff - compare two results
 */
#define _GNU_SOURCE
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "comparison.h"
#include "failure.h"
#include "options.h"
#include "profile.h"
#include "share.h"
#include "symbols.h"
#include "table.h"

static const char doc[] =
	"Compare two results by function: which take more, or less, CPU time."
	"\v"
	"Both runs are taken to have done the same work: what is compared are CPU seconds, the "
	"samples over their rate. Where one did more, --shares compares each function's share of "
	"its run; then a function that has not changed gets a larger share when others take less "
	"time.\n"
	"\n"
	"95%-interval is where the true change is, of which the samples are samples. A * marks "
	"changes that are more than the chance of sampling; of functions that have not changed, "
	"up to 5 % are marked too: of 200, up to 10. That is about these two runs: two runs of "
	"the same program may differ as well, by where its memory is, or what else the machine "
	"does. Compare such two first.\n"
	"\n"
	"A build that is not there any more gives its functions no names. Keep it, and say "
	"where: --old-root.\n"
	"\n"
	"Exit status: 0; 1 if there is nothing to compare; 2 for wrong usage.";

/* Columns before the names, and what is left for these in any case */
#define FIGURES		54
#define LEAST_NAME	24

enum { TOP = 256, MIN_PERCENT, OLD_ROOT, NEW_ROOT, NO_DEMANGLE, COLOR, SHARES };

static const struct argp_option options[] = {
	{ "top", TOP, "N", 0, "Show only the N rows with the greatest changes", 0 },
	{ "min-percent", MIN_PERCENT, "P", 0,
	  "Leave out rows with a change of less than P percent of the CPU time of OLD", 0 },
	{ "shares", SHARES, NULL, 0, "Compare shares of each run's CPU time, not seconds", 0 },
	{ "no-demangle", NO_DEMANGLE, NULL, 0,
	  "Leave names of C++ and Rust as the compiler made them", 0 },
	{ "old-root", OLD_ROOT, "DIR", 0, "Look for the objects of OLD below DIR", 0 },
	{ "new-root", NEW_ROOT, "DIR", 0, "Look for the objects of NEW below DIR", 0 },
	{ "color", COLOR, "WHEN", OPTION_ARG_OPTIONAL,
	  "Colors: auto (the default: on a terminal, unless NO_COLOR is set), always or never", 0 },
	{ 0 }
};

/* One of the two */
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
	enum comparison_of of;
	bool keep_mangled;
	enum terminal_when color;
	uint64_t top;
	double min_percent;
};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
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
			argp_error(state, "two files are compared");
		return 0;
	case ARGP_KEY_END:
		if (state->arg_num < 2)
			argp_error(state, "two files are needed: `profil run -o FILE COMMAND' makes one");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void open_side(struct side *side, const struct arguments *arguments)
{
	int error = -ENOMEM;

	options_read_result(side->file, &side->result);
	side->symbols = symbols_new(&side->result, side->root);
	if (side->symbols)
		error = profile_make(&side->profile, &side->result, symbols_find,
				     side->symbols);
	if (error)
		failure_exit(EXIT_NO_RESULT, side->file, -error);
	if (!side->profile.samples)
		failure_exitx(EXIT_NO_RESULT, "%s has no samples, and nothing to compare: let the command run longer, or take a higher --rate",
		     side->file);
	if (!arguments->keep_mangled)
		profile_demangle(&side->profile);
}

static void close_side(struct side *side)
{
	profile_release(&side->profile);
	symbols_free(side->symbols);
	result_release(&side->result);
}

static void print_side(const char *what, const struct side *side)
{
	const struct result *result = &side->result;
	size_t i;

	printf("# %s: ", what);
	terminal_print_name(stdout, side->file);
	printf(": %" PRIu64 " samples at %.6g Hz = %.*f s of CPU\n",
	       side->profile.samples, result_rate(result), table_decimals(result->rate),
	       result_seconds(result, side->profile.samples));
	for (i = 0; i < result->nr_objects; i++) {
		const char *problem = symbols_problem(side->symbols, i);

		if (!problem)
			continue;
		printf("# %s: ", what);
		terminal_print_name(stdout, result->objects[i].path);
		printf(": %s: no function names (--%s-root says where the files are that ran)\n",
		       problem, what);
	}
}

/* What the rows are shown with: percent of shares; and what is all, the old run's time */
struct scale {
	const struct comparison *comparison;
	double by;
	double all;
	int decimals;
};

static struct scale find_scale(const struct comparison *comparison,
			       const struct arguments *arguments)
{
	const struct result *old = &arguments->old.result, *new = &arguments->new.result;
	struct scale scale = { .comparison = comparison, .by = 100, .all = 1, .decimals = 2 };
	size_t i;

	if (arguments->of == COMPARISON_OF_SHARES)
		return scale;
	scale.by = 1;
	scale.all = 0;
	for (i = 0; i < comparison->nr_rows; i++)
		scale.all += comparison->rows[i].old;
	scale.decimals = table_decimals(old->rate > new->rate ? old->rate : new->rate);
	return scale;
}

static double row_percent(const void *of, size_t i)
{
	const struct scale *scale = of;

	return 100 * fabs(scale->comparison->rows[i].change) / scale->all;
}

static void print_row(const struct comparison_row *row, const struct scale *scale,
		      const struct terminal_style *style)
{
	enum terminal_color color = TERMINAL_PLAIN;
	const int decimals = scale->decimals;
	const double by = scale->by;
	char interval[64];
	int most = 0;

	/* so that a line does not go on in the next, as far as that is readable */
	if (style->columns) {
		most = style->columns - FIGURES - 2 - (int)strlen(row->object);
		if (most < LEAST_NAME)
			most = LEAST_NAME;
	}
	if (row->is_real)
		color = row->change > 0 ? TERMINAL_HOT : TERMINAL_LESS;
	snprintf(interval, sizeof(interval), "%+.*f..%+.*f", decimals, by * row->interval.low,
		 decimals, by * row->interval.high);
	printf("  %9.*f %9.*f ", decimals, by * row->old, decimals, by * row->new);
	terminal_begin(stdout, style, color);
	printf("%+9.*f%c", decimals, by * row->change, row->is_real ? '*' : ' ');
	terminal_end(stdout, style);
	printf(" %-18s  ", interval);
	terminal_print_cut(stdout, row->function, most);
	fputs("  ", stdout);
	terminal_print_name(stdout, row->object);
	putchar('\n');
}

static void print(const struct comparison *comparison, const struct arguments *arguments)
{
	const char *unit = arguments->of == COMPARISON_OF_SHARES ? "percent" : "seconds";
	struct terminal_style style = terminal_style(stdout, arguments->color);
	const struct scale scale = find_scale(comparison, arguments);
	size_t shown = table_count_shown(comparison->nr_rows, arguments->top,
					 arguments->min_percent, row_percent, &scale);
	size_t real = 0, i;

	for (i = 0; i < comparison->nr_rows; i++)
		real += comparison->rows[i].is_real;
	print_side("old", &arguments->old);
	print_side("new", &arguments->new);
	printf("# %zu of %zu functions changed by more than the chance of sampling (*); had none changed,\n"
	       "# up to 5 %% would be marked: %.0f. Two runs of the same program may differ by more\n"
	       "#\n",
	       real, comparison->nr_rows, 0.05 * (double)comparison->nr_rows);
	printf("# %9s %9s %9s  %-18s  function  object\n", "old", "new", unit,
	       "95%-interval");
	for (i = 0; i < shown; i++)
		print_row(&comparison->rows[i], &scale, &style);
	if (shown < comparison->nr_rows)
		printf("# and %zu more functions\n", comparison->nr_rows - shown);
}

int diff_main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.args_doc = "OLD NEW",
		.doc = doc,
	};
	struct arguments arguments = { 0 };
	struct comparison comparison;
	int error;

	argp_err_exit_status = EXIT_USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	open_side(&arguments.old, &arguments);
	open_side(&arguments.new, &arguments);
	error = comparison_make(&comparison,
		&(struct comparison_side){ &arguments.old.result, &arguments.old.profile },
		&(struct comparison_side){ &arguments.new.result, &arguments.new.profile },
		arguments.of);
	if (!error)
		print(&comparison, &arguments);
	comparison_release(&comparison);
	close_side(&arguments.old);
	close_side(&arguments.new);
	if (error)
		failure_exit(EXIT_NO_RESULT, "the two results", -error);
	if (fflush(stdout) || ferror(stdout))
		failure_exit(EXIT_NO_RESULT, "standard output", errno);
	return 0;
}
