// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which of some names a mistyped word may mean.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/suggest.h"
#include "util/terminal.h"

/* Of what is compared letter by letter */
#define LONGEST		64

#define UNLIKE		((size_t)-1)

void suggest_begin(struct suggest *suggest, const char *word)
{
	memset(suggest, 0, sizeof(*suggest));
	suggest->word = word;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * How many letters have to be added, left out, changed, or exchanged with the next one
 * (Damerau and Levenshtein, where no letter is moved twice): at most LONGEST in each.
 */
static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
	size_t rows[3][LONGEST + 1];
	size_t *before = rows[0], *last = rows[1], *row = rows[2], *oldest;
	size_t i, j;

	for (j = 0; j <= b_length; j++)
		last[j] = j;
	for (i = 1; i <= a_length; i++) {
		row[0] = i;
		for (j = 1; j <= b_length; j++) {
			row[j] = last[j - 1] + (a[i - 1] != b[j - 1]);
			row[j] = least(row[j], least(last[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = least(row[j], before[j - 2] + 1);
		}
		oldest = before;
		before = last;
		last = row;
		row = oldest;
	}
	return last[b_length];
}

/* "(anonymous namespace)::name" begins with one. */
static size_t length_of(const char *name)
{
	return *name ? 1 + strcspn(name + 1, "(") : 0;
}

/* Return: the less, the more they are alike; or UNLIKE. */
static size_t rank_of(const char *word, const char *name, size_t length)
{
	size_t word_length = strlen(word);

	if (word_length <= LONGEST && length <= LONGEST) {
		size_t letters = distance(word, word_length, name, length);

		/* of a third or more it is another word */
		if (3 * letters <= word_length)
			return letters;
	}
	return *word && strcasestr(name, word) ? LONGEST : UNLIKE;
}

void suggest_offer(struct suggest *suggest, const char *name)
{
	size_t length = length_of(name), i;
	size_t rank = rank_of(suggest->word, name, length);

	if (rank == UNLIKE)
		return;
	/* functions that differ in their parameters */
	for (i = 0; i < suggest->nr; i++)
		if (suggest->names[i].length == length &&
		    !memcmp(suggest->names[i].name, name, length))
			return;
	if (suggest->nr < SUGGEST_MOST)
		suggest->nr++;
	else if (suggest->names[SUGGEST_MOST - 1].rank <= rank)
		return;
	for (i = suggest->nr - 1; i && suggest->names[i - 1].rank > rank; i--)
		suggest->names[i] = suggest->names[i - 1];
	suggest->names[i].name = name;
	suggest->names[i].length = length;
	suggest->names[i].rank = rank;
}

static void print_name(FILE *out, const char *name, size_t length)
{
	char *part = strndup(name, length);

	if (part)
		terminal_print_name(out, part);
	free(part);
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
