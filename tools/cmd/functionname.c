// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the function that a user means who has not typed its name. The first of these ways that
 * finds any function decides: names that end with the word, an expression that names match, names
 * that begin with the word, similar names.
 */
#define _GNU_SOURCE
#include <regex.h>
#include <search.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/functionname.h"
#include "cmd/suggest.h"
#include "profile/profile.h"
#include "symbol/demangle.h"
#include "symbol/innermost.h"
#include "util/array.h"
#include "util/folded.h"
#include "util/shorten.h"

#define ELLIPSIS	"..."	/* as in util/shorten.c */

/* The candidates, which differ by more than their parameters */
struct search {
	const char *word;
	symbolize_demangle_fn *demangle;	/* NULL: names stay mangled */
	regex_t expressions[2];
	size_t nr_expressions;
	char **names;		/* that are offered */
	size_t nr_names;
	struct suggest ending;
	struct suggest matching;
	struct suggest beginning;
	struct suggest similar;
};

void functionname_cut_note(char *word)
{
	static const char *const notes[] = { INNERMOST_ALL_NOTE, INNERMOST_SOME_NOTE };
	const size_t length = strlen(word);
	size_t i;

	for (i = 0; i < sizeof(notes) / sizeof(notes[0]); i++) {
		const size_t note = strlen(notes[i]);

		if (length > note && !strcmp(word + length - note, notes[i])) {
			word[length - note] = 0;
			return;
		}
	}
}

/*
 * The expression for a shortened name: anything may be at an ellipsis, template arguments in front
 * of "::", a type in front, and these, parameters and "[clone .cold]" at the end and before a
 * blank. Return: NULL: no memory.
 */
static char *make_expression(const char *word)
{
	const size_t length = strcspn(word, "~");
	const char *end = word + strlen(word);
	char *expression = NULL;
	size_t bytes;
	FILE *out = open_memstream(&expression, &bytes);

	if (!out)
		return NULL;
	/* the number of shorten_functions() */
	if (word[length] && length + 1 + strspn(word + length + 1, "0123456789") == strlen(word))
		end = word + length;
	/* the type in front of a function is shortened, too */
	fputs("^(.* )?", out);
	while (word < end) {
		if (!strncmp(word, ELLIPSIS, strlen(ELLIPSIS))) {
			fputs(".*", out);
			word += strlen(ELLIPSIS);
			continue;
		}
		if (!strncmp(word, "::", 2))
			fputs("(<.*>)?", out);
		/* a backslash before other characters has a meaning of its own */
		if (strchr(".[]()*+?{}|^$\\", *word))
			putc('\\', out);
		if (*word == ' ')
			fputs(".*", out);
		putc(*word++, out);
	}
	fputs("(<.*>)?([ .(].*)?$", out);
	if (!fclose(out))
		return expression;
	free(expression);
	return NULL;
}

static void add_expression(struct search *search, const char *text)
{
	if (!regcomp(&search->expressions[search->nr_expressions], text, REG_EXTENDED | REG_NOSUB))
		search->nr_expressions++;
}

/* A word with "::" can be both, a shortened name and an expression. */
static void compile(struct search *search)
{
	const bool has_ellipsis = strstr(search->word, ELLIPSIS);
	const bool is_short = has_ellipsis || strstr(search->word, "::") ||
			      strchr(search->word, '~');
	char *made = is_short ? make_expression(search->word) : NULL;

	if (made)
		add_expression(search, made);
	if (!has_ellipsis && strpbrk(search->word, "*?+[]^$|\\"))
		add_expression(search, search->word);
	free(made);
}

/* The end of an expression is that of the name, or of its parameters. */
static bool matches(const struct search *search, const char *name)
{
	const size_t length = suggest_name_length(name);
	size_t i;

	for (i = 0; i < search->nr_expressions; i++) {
		const regex_t *expression = &search->expressions[i];
		regmatch_t bounds = { .rm_eo = (regoff_t)length };

		if (!regexec(expression, name, 0, NULL, 0) ||
		    !regexec(expression, name, 1, &bounds, REG_STARTEND))
			return true;
	}
	return false;
}

static bool has_end(const char *name, const char *word)
{
	const size_t length = strlen(name), end = strlen(word);

	return end && length >= end && !strcmp(name + length - end, word) &&
	       (length == end || strchr(":./ ", name[length - end - 1]));
}

/* Remove the namespaces that the source does not name: std::string is std::__cxx11::string. */
static void drop_inline_namespaces(char *name)
{
	static const char *const namespaces[] = { "::__cxx11::", "::__1::", "::_V2::" };
	size_t i;

	for (i = 0; i < sizeof(namespaces) / sizeof(namespaces[0]); i++) {
		const size_t length = strlen(namespaces[i]);
		char *at = name;

		while ((at = strstr(at, namespaces[i])))
			memmove(at + 2, at + length, strlen(at + length) + 1);
	}
}

bool functionname_has_end(const char *name, const char *word)
{
	char *bare = shorten_bare(name), *whole = strndup(name, suggest_name_length(name));
	bool ends = bare && whole && (has_end(bare, word) || has_end(whole, word));

	if (bare && !ends) {
		drop_inline_namespaces(bare);
		ends = has_end(bare, word);
	}
	free(bare);
	free(whole);
	return ends;
}

/* Keep a name that is offered. Return: the name; NULL: no memory. */
static char *keep(struct search *search, char *name)
{
	char **names = name ? array_append(search->names, search->nr_names) : NULL;

	if (names)
		*names = name;
	else
		free(name);
	return names ? name : NULL;
}

static void offer_name(struct search *search, const char *name)
{
	/* of all template arguments */
	const char *bare = functionname_has_end(name, search->word) ?
			   keep(search, shorten_bare(name)) : NULL;

	if (bare)
		suggest_keep(&search->ending, bare);
	if (matches(search, name))
		suggest_keep(&search->matching, name);
	if (!strncmp(name, search->word, strlen(search->word)))
		suggest_keep(&search->beginning, name);
	suggest_offer(&search->similar, name);
}

static void offer_own(struct search *search, const struct profile *profile)
{
	size_t i, length;

	for (i = 0; i < profile->nr_rows; i++) {
		const char *rest = profile->rows[i].function, *name;

		if (!profile->rows[i].is_symbol)
			continue;
		while ((name = folded_next(&rest, &length))) {
			char *one = keep(search, strndup(name, length));

			if (one)
				offer_name(search, one);
		}
	}
}

/* Symbols keep one copy of each name. */
static int compare_pointers(const void *a, const void *b)
{
	return (uintptr_t)a < (uintptr_t)b ? -1 : (uintptr_t)a > (uintptr_t)b;
}

/* Offer the functions that are inlined at an address. @offered: a tree of their names */
static void offer_inlined_at(struct search *search, struct symbols *symbols, size_t object,
			     uint64_t address, void **offered)
{
	struct source_frame frames[SYMBOLS_MAX_FRAMES];
	size_t nr = 0, i;

	if (symbols_frames(symbols, object, address, frames, &nr) != 1)
		return;
	for (i = 0; i + 1 < nr; i++) {
		const char *symbol = frames[i].function;
		char *name;

		if (!symbol || tfind(symbol, offered, compare_pointers) ||
		    !tsearch(symbol, offered, compare_pointers))
			continue;
		name = search->demangle ? search->demangle(symbol) : NULL;
		name = keep(search, name ? name : strdup(symbol));
		if (name)
			offer_name(search, name);
	}
}

static void keep_all(void *name)
{
	(void)name;
}

static void offer_inlined(struct search *search, const struct result *result,
			  struct symbols *symbols)
{
	void *offered = NULL;
	size_t i, count;

	for (i = 0; i < result->nr_objects; i++)
		for (count = 0; count < result->objects[i].nr_counts; count++)
			offer_inlined_at(search, symbols, i,
					 result->objects[i].counts[count].address, &offered);
	tdestroy(offered, keep_all);
}

/* Return: the name of the only function, and @others is set otherwise. */
static char *choose(const struct search *search, char **others)
{
	const struct suggest *const ways[] = {
		&search->ending, &search->matching, &search->beginning, &search->similar,
	};
	char *name;
	size_t i = 0;

	while (i + 1 < sizeof(ways) / sizeof(ways[0]) && !ways[i]->nr)
		i++;
	name = suggest_only(ways[i]);
	if (!name)
		*others = suggest_words(ways[i], "");
	return name;
}

char *functionname_find(const struct result *result, struct symbols *symbols, const char *word,
			bool keep_mangled, char **others)
{
	struct search search = { .word = word, .demangle = keep_mangled ? NULL : demangle };
	struct profile profile = { 0 };
	char *name = NULL;

	*others = NULL;
	suggest_begin(&search.ending, word);
	suggest_begin(&search.matching, word);
	suggest_begin(&search.beginning, word);
	suggest_begin(&search.similar, word);
	if (profile_make(&profile, result, symbols_find, symbols))
		goto out;
	if (!keep_mangled)
		profile_demangle(&profile);
	compile(&search);
	offer_own(&search, &profile);
	offer_inlined(&search, result, symbols);
	name = choose(&search, others);
	while (search.nr_expressions)
		regfree(&search.expressions[--search.nr_expressions]);
out:
	while (search.nr_names)
		free(search.names[--search.nr_names]);
	free(search.names);
	profile_release(&profile);
	return name;
}
