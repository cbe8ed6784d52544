// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suggests names for a mistyped word.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/suggest.h"
#include "util/shorten.h"
#include "util/terminal.h"

/* The longest names that are compared letter by letter */
#define MAX_LENGTH	64

#define NOT_SIMILAR	((size_t)-1)

void suggest_begin(struct suggest *suggest, const char *word)
{
	memset(suggest, 0, sizeof(*suggest));
	suggest->word = word;
}

static size_t min(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * The Damerau-Levenshtein distance, restricted to one transposition per letter: the number of
 * letters to insert, delete, replace, or swap with the next one. Both lengths are at most
 * MAX_LENGTH.
 */
static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
	size_t rows[3][MAX_LENGTH + 1];
	size_t *before = rows[0], *last = rows[1], *row = rows[2], *oldest;
	size_t i, j;

	for (j = 0; j <= b_length; j++)
		last[j] = j;
	for (i = 1; i <= a_length; i++) {
		row[0] = i;
		for (j = 1; j <= b_length; j++) {
			row[j] = last[j - 1] + (a[i - 1] != b[j - 1]);
			row[j] = min(row[j], min(last[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = min(row[j], before[j - 2] + 1);
		}
		oldest = before;
		before = last;
		last = row;
		row = oldest;
	}
	return last[b_length];
}

static bool ends_in_operator(const char *name, const char *end)
{
	const size_t length = strlen("operator");

	return (size_t)(end - name) >= length && !strncmp(end - length, "operator", length);
}

size_t suggest_name_length(const char *name)
{
	const char *close = strrchr(name, ')'), *open = close;
	size_t depth = 0;

	for (; open && open > name; open--) {
		if (*open == ')')
			depth++;
		else if (*open == '(' && !--depth)
			break;
	}
	/* no brackets, or a namespace, or an operator without its parameters */
	if (!open || open == name || close[1] == ':' || ends_in_operator(name, open))
		return strlen(name);
	return (size_t)(open - name);
}

/* Return: smaller for more similar names; or NOT_SIMILAR. */
static size_t find_rank(const char *word, const char *name, size_t length)
{
	size_t word_length = strlen(word);

	if (word_length <= MAX_LENGTH && length <= MAX_LENGTH) {
		size_t letters = distance(word, word_length, name, length);

		/* a third of the letters may differ */
		if (3 * letters <= word_length)
			return letters;
	}
	return *word && strcasestr(name, word) ? MAX_LENGTH : NOT_SIMILAR;
}

static void insert(struct suggest *suggest, const char *name, size_t length, size_t rank)
{
	size_t i;

	/* only once, for functions that differ only in their parameters */
	for (i = 0; i < suggest->nr; i++)
		if (suggest->names[i].length == length &&
		    !memcmp(suggest->names[i].name, name, length))
			return;
	if (suggest->nr < SUGGEST_MAX)
		suggest->nr++;
	else if (suggest->names[SUGGEST_MAX - 1].rank <= rank)
		return;
	for (i = suggest->nr - 1; i && suggest->names[i - 1].rank > rank; i--)
		suggest->names[i] = suggest->names[i - 1];
	suggest->names[i].name = name;
	suggest->names[i].length = length;
	suggest->names[i].rank = rank;
}

void suggest_offer(struct suggest *suggest, const char *name)
{
	const size_t length = suggest_name_length(name);
	const size_t rank = find_rank(suggest->word, name, length);

	if (rank != NOT_SIMILAR)
		insert(suggest, name, length, rank);
}

void suggest_keep(struct suggest *suggest, const char *name)
{
	insert(suggest, name, suggest_name_length(name), 0);
}

char *suggest_only(const struct suggest *suggest)
{
	return suggest->nr == 1 ? strndup(suggest->names[0].name, suggest->names[0].length) : NULL;
}

/* A name of C++ may fill a screen. What it is shortened to is accepted, too. */
static void print_name(FILE *out, const char *name, size_t length)
{
	char *shortened = shorten_function(name, TERMINAL_NAME);

	if (!shortened)
		return;
	shortened[strcmp(shortened, name) ? suggest_name_length(shortened) : length] = 0;
	terminal_print_name(out, shortened);
	free(shortened);
}

char *suggest_words(const struct suggest *suggest, const char *before)
{
	char *words = NULL;
	size_t bytes, i;
	FILE *out = open_memstream(&words, &bytes);

	for (i = 0; out && i < suggest->nr; i++) {
		const char *between = i + 1 < suggest->nr ? ", " : " or ";

		fprintf(out, "%s%s", i ? between : "; did you mean ", before);
		print_name(out, suggest->names[i].name, suggest->names[i].length);
	}
	if (out && suggest->nr)
		fputc('?', out);
	if (!out || fclose(out) || !words) {
		free(words);
		return calloc(1, 1);
	}
	return words;
}
