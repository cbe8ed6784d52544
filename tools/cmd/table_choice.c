// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which table the user wants: options of `profil run' and `profil report', and the profile that the
 * table shows.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/options.h"
#include "cmd/table_choice.h"
#include "profile/tree_rows.h"
#include "symbol/addresses.h"
#include "symbol/demangle.h"
#include "symbol/innermost.h"
#include "symbol/lines.h"

/* Options without a letter, distinct from those of the commands that have these, too */
enum { BY = 1024, LINES, SORT, TOP, ALL, MIN_PERCENT, FULL_NAMES };

static const struct argp_option options[] = {
	{ "by", BY, "function|line|object|address|process|thread|program|caller", 0,
	  "Print a row for each of these (default: function)", 0 },
	{ "lines", LINES, NULL, 0, "The same as --by=line", 0 },
	{ "sort", SORT, "samples|name|object|address|total", 0, "Sort by this (default: samples)", 0 },
	{ "top", TOP, "N", 0, "Print only the N rows with the most samples, and one row for the rest", 0 },
	{ "all", ALL, NULL, 0, "Print all rows, also those for which a terminal has no room", 0 },
	{ "min-percent", MIN_PERCENT, "P", 0,
	  "Print one row for all those with less than P percent of the samples", 0 },
	{ "percent-limit", 0, NULL, OPTION_ALIAS, NULL, 0 },
	{ "full-names", FULL_NAMES, NULL, 0,
	  "Print all columns and full names, even if lines are longer than the terminal", 0 },
	{ 0 }
};

#define NR(array)	(sizeof(array) / sizeof((array)[0]))

/* Return: the index of @text, the argument of @option, in @words. Exits if it is none of them. */
static size_t parse_word(const char *option, const char *text, const char *const *words,
			 size_t nr, struct argp_state *state)
{
	char expected[128] = "";
	size_t i;

	for (i = 0; i < nr; i++)
		if (!strcmp(text, words[i]))
			return i;
	for (i = 0; i < nr; i++) {
		if (i)
			strcat(expected, i + 1 < nr ? ", " : " or ");
		strcat(expected, words[i]);
	}
	options_error(state, "invalid argument '%s' of %s; expected %s", text, option, expected);
	return 0;
}

static enum table_by parse_by(const char *text, struct argp_state *state)
{
	const char *words[NR_TABLES];
	size_t i;

	for (i = 0; i < NR_TABLES; i++)
		words[i] = table_name((enum table_by)i);
	return (enum table_by)parse_word("--by", text, words, NR_TABLES, state);
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	static const char *const keys[] = {
		[PROFILE_BY_SAMPLES] = "samples",
		[PROFILE_BY_NAME] = "name",
		[PROFILE_BY_OBJECT] = "object",
		[PROFILE_BY_ADDRESS] = "address",
		[PROFILE_BY_TOTAL] = "total",
	};
	struct table_choice *choice = state->input;
	struct table_options *table = &choice->table;

	switch (key) {
	case BY:
		table->by = parse_by(text, state);
		return 0;
	case LINES:
		table->by = TABLE_BY_LINE;
		return 0;
	case SORT:
		table->order = (enum profile_order)parse_word("--sort", text, keys, NR(keys), state);
		return 0;
	case TOP:
		table->top = options_parse_count(text, state);
		return 0;
	case ALL:
		table->top = TABLE_ALL_ROWS;
		return 0;
	case MIN_PERCENT:
		table->min_percent = options_parse_percent(text, state);
		return 0;
	case FULL_NAMES:
		choice->full_names = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp table_choice_argp = { .options = options, .parser = parse_option };

void table_choice_set_style(struct table_choice *choice, FILE *out, enum terminal_when color)
{
	choice->table.style = terminal_style(out, color);
	if (choice->full_names)
		choice->table.style.columns = choice->table.style.name = 0;
}

/* What finds the functions */
struct finder {
	symbols_find_fn *find;
	void *data;
};

static int make_lines(struct profile *profile, const struct result *result,
		      struct symbols *symbols, const struct finder *finder,
		      symbolize_demangle_fn *demangle_name)
{
	struct lines *lines = lines_new(symbols, finder->find, finder->data, demangle_name);
	int error = lines ? profile_make(profile, result, lines_find, lines) : -ENOMEM;

	lines_free(lines);
	return error;
}

static int make_addresses(struct profile *profile, const struct result *result,
			  const struct finder *finder, symbolize_demangle_fn *demangle_name)
{
	struct addresses *addresses = addresses_new(finder->find, finder->data, demangle_name);
	int error = addresses ? profile_make(profile, result, addresses_find, addresses) : -ENOMEM;

	addresses_free(addresses);
	return error;
}

/* Add what the stacks tell about the functions. */
static int add_totals(struct profile *profile, const struct result *result,
		      const struct finder *finder)
{
	struct calls calls;
	int error = calls_find(&calls, result, finder->find, finder->data, NULL);

	if (!error)
		error = profile_add_totals(profile, &calls);
	calls_release(&calls);
	return error;
}

/* Make the profile of functions and their callers, or a tree of them. */
static int make_tree(struct profile *profile, const struct result *result,
		     const struct finder *finder, const struct table_choice *choice)
{
	const bool is_pairs = choice->table.by == TABLE_BY_CALLER;
	const struct call_tree_view view = {
		.is_callers = is_pairs || choice->table.tree == TABLE_OF_CALLERS,
		.is_once = true, .depth = is_pairs ? 2 : 0,
	};
	const double least = choice->table.min_percent;
	struct call_tree tree = { 0 };
	struct calls calls;
	int error = calls_find(&calls, result, finder->find, finder->data,
			       choice->keep_mangled ? NULL : demangle);

	if (!error)
		error = call_tree_make(&tree, &calls, &view);
	if (!error)
		error = is_pairs ? tree_rows_make_pairs(profile, &calls, &tree) :
				   tree_rows_make(profile, &calls, &tree, &view, least);
	call_tree_release(&tree);
	calls_release(&calls);
	return error;
}

static int make_functions(struct profile *profile, const struct result *result,
			  const struct finder *finder, const struct table_choice *choice)
{
	int error;

	if (result->nr_stack_parts && (choice->table.tree || choice->table.by == TABLE_BY_CALLER))
		return make_tree(profile, result, finder, choice);
	if (choice->table.of) {
		error = profile_make_neighbours(profile, result, finder->find, finder->data,
						choice->table.of, choice->table.is_callees);
	} else {
		error = profile_make(profile, result, finder->find, finder->data);
		/* stacks are not of inlined functions */
		if (!error && result->nr_stack_parts && !choice->inlined)
			error = add_totals(profile, result, finder);
	}
	if (!error && !choice->keep_mangled)
		profile_demangle(profile);
	return error;
}

static int make_found(struct profile *profile, const struct result *result,
		      struct symbols *symbols, const struct finder *finder,
		      const struct table_choice *choice)
{
	symbolize_demangle_fn *demangle_name = choice->keep_mangled ? NULL : demangle;

	switch (choice->table.by) {
	case TABLE_BY_ADDRESS:
		return make_addresses(profile, result, finder, demangle_name);
	case TABLE_BY_LINE:
		return make_lines(profile, result, symbols, finder, demangle_name);
	default:
		return make_functions(profile, result, finder, choice);
	}
}

/* The same with inlined functions, which innermost_find() demangles, because it adds a note. */
static int make_inlined(struct profile *profile, const struct result *result,
			struct symbols *symbols, const struct table_choice *choice)
{
	struct innermost *innermost = innermost_new(symbols, result,
						    choice->keep_mangled ? NULL : demangle,
						    choice->table.by == TABLE_BY_FUNCTION);
	const struct finder finder = { innermost_find, innermost };
	int error = innermost ? make_found(profile, result, symbols, &finder, choice) : -ENOMEM;

	innermost_free(innermost);
	return error;
}

int table_choice_make(const struct table_choice *choice, struct profile *profile,
		      const struct result *result, struct symbols *symbols)
{
	const struct finder finder = { symbols_find, symbols };

	switch (choice->table.by) {
	case TABLE_BY_PROCESS:
	case TABLE_BY_THREAD:
	case TABLE_BY_PROGRAM:
		return 0;
	case TABLE_BY_OBJECT:
		return profile_make_objects(profile, result);
	default:
		return choice->inlined ?
			make_inlined(profile, result, symbols, choice) :
			make_found(profile, result, symbols, &finder, choice);
	}
}
