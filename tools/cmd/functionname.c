// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the function that a user means who has not typed its name. The first of these ways that
 * finds any function decides: an expression that names match, names that begin with the word,
 * similar names.
 */
#define _GNU_SOURCE
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/functionname.h"
#include "cmd/suggest.h"
#include "profile/profile.h"
#include "symbol/demangle.h"
#include "symbol/innermost.h"

#define ELLIPSIS	"..."	/* as in util/shorten.c */

/* The candidates, which differ by more than their parameters */
struct search {
	const char *word;
	regex_t expressions[2];
	size_t nr_expressions;
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

static void offer(struct search *search, const struct profile *profile)
{
	size_t i;

	for (i = 0; i < profile->nr_rows; i++) {
		const char *name = profile->rows[i].function;

		if (!profile->rows[i].is_symbol)
			continue;
		if (matches(search, name))
			suggest_keep(&search->matching, name);
		if (!strncmp(name, search->word, strlen(search->word)))
			suggest_keep(&search->beginning, name);
		suggest_offer(&search->similar, name);
	}
}

/* Return: the name of the only function, and @others is set otherwise. */
static char *choose(const struct search *search, char **others)
{
	const struct suggest *const ways[] = {
		&search->matching, &search->beginning, &search->similar,
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
	symbolize_demangle_fn *demangle_name = keep_mangled ? NULL : demangle;
	struct innermost *innermost = innermost_new(symbols, result, demangle_name, false);
	struct profile profile = { 0 }, inlined = { 0 };
	struct search search = { .word = word };
	char *name = NULL;

	*others = NULL;
	suggest_begin(&search.matching, word);
	suggest_begin(&search.beginning, word);
	suggest_begin(&search.similar, word);
	if (!innermost || profile_make(&profile, result, symbols_find, symbols) ||
	    profile_make(&inlined, result, innermost_find, innermost))
		goto out;
	if (demangle_name)
		profile_demangle(&profile);
	compile(&search);
	offer(&search, &profile);
	offer(&search, &inlined);
	name = choose(&search, others);
	while (search.nr_expressions)
		regfree(&search.expressions[--search.nr_expressions]);
out:
	profile_release(&profile);
	profile_release(&inlined);
	innermost_free(innermost);
	return name;
}
