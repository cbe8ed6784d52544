// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names that fit into a column. Of C++ names and such, what is in brackets gives way first:
 * it is long, and the names of the function and its class are what readers look for.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/escape.h"
#include "util/shorten.h"
#include "util/terminal.h"

#define ELLIPSIS	"..."
#define DOTS		((int)sizeof(ELLIPSIS) - 1)

#define OPERATOR	"operator"

/* Where a folded name is being made, which is no longer than the whole */
struct copy {
	char *end;
	char before;	/* what the next character follows: 'a' for any of an identifier */
};

static void take(struct copy *copy, const char *text, size_t length)
{
	memcpy(copy->end, text, length);
	copy->end += length;
}

static bool is_identifier(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* Return: bytes of "operator<<" and such at the start of @name, with a blank behind; or 0. */
static size_t find_operator(const char *name)
{
	size_t length = strlen(OPERATOR);

	if (strncmp(name, OPERATOR, length))
		return 0;
	if (!strncmp(name + length, "()", 2) || !strncmp(name + length, "[]", 2))
		return length + 2;
	if (!strspn(name + length, "<>=!+-*/%^&|~,"))
		return 0;
	length += strspn(name + length, "<>=!+-*/%^&|~,");
	return name[length] == ' ' && name[length + 1] == '<' ? length + 1 : length;
}

/* Return: the bracket that closes the one at @open; NULL: none does. */
static const char *find_close(const char *open)
{
	size_t round = 0, pointed = 0;
	const char *at;

	for (at = open; *at; at++) {
		if (*at == '(')
			round++;
		else if (*at == ')' && round)
			round--;
		else if (*at == '<' && !round)
			pointed++;
		else if (*at == '>' && !round && at[-1] != '-' && pointed)
			pointed--;
		if (!round && !pointed)
			return at;
	}
	return NULL;
}

/* What of a name gives way, one after the other */
enum step {
	PARAMETERS,	/* f<int>(...) */
	TEMPLATES,	/* f<...>(...) */
	LISTS,		/* f */
	NR_STEPS,
};

/* "(int, char)" of a function, "<int>" of a class; and not "(anonymous namespace)" */
static bool is_list(char open, char before, enum step step)
{
	if (open == '(')
		return before == 'a' || before == '>' || before == ')' || before == ']' ||
		       before == '}';
	return open == '<' && step >= TEMPLATES && before == 'a';
}

static void take_list(struct copy *copy, const char *open, const char *close, enum step step)
{
	if (step == LISTS)
		return;
	take(copy, open, 1);
	if (close - open > DOTS + 1)
		take(copy, ELLIPSIS, DOTS);
	else
		take(copy, open + 1, (size_t)(close - open - 1));
	take(copy, close, 1);
}

static void cut_end(struct copy *copy, const char *start, const char *end)
{
	size_t length = strlen(end);

	if ((size_t)(copy->end - start) > length && !memcmp(copy->end - length, end, length))
		copy->end -= length;
}

/* Return: @name without what gives way up to a step, to free(); NULL: no memory. */
static char *collapse(const char *name, enum step step)
{
	char *folded = calloc(strlen(name) + 1, 1);
	struct copy copy = { .end = folded };
	bool is_whole = true;

	if (!folded)
		return NULL;
	while (*name) {
		size_t length = copy.before == 'a' ? 0 : find_operator(name);
		const char *close = NULL;

		if (is_whole && is_list(*name, copy.before, step)) {
			close = find_close(name);
			/* what is not closed is nothing that is known here, nor what follows */
			is_whole = close;
		}
		if (close) {
			take_list(&copy, name, close, step);
			copy.before = *close;
			name = close + 1;
			continue;
		}
		copy.before = length || is_identifier(*name) ? 'a' : *name;
		length += !length;
		take(&copy, name, length);
		name += length;
	}
	if (step == LISTS) {
		cut_end(&copy, folded, " const");
		cut_end(&copy, folded, " ");
	}
	*copy.end = 0;
	return folded;
}

/* Return: @name with an ellipsis after @head columns of @most, to free(); or NULL. */
static char *elide(const char *name, int most, int head)
{
	int left = terminal_columns(name), taken = 0;
	const char *end = name, *tail;
	char *folded;

	while (*end) {
		const char *next = end;
		int columns = escape_columns(&next);

		if (taken + columns > head)
			break;
		taken += columns;
		end = next;
	}
	left -= taken;
	for (tail = end; *tail && left > most - taken - DOTS; )
		left -= escape_columns(&tail);
	if (asprintf(&folded, "%.*s%s%s", (int)(end - name), name, ELLIPSIS, tail) < 0)
		return NULL;
	return folded;
}

char *shorten_path(const char *path, int most)
{
	return terminal_columns(path) <= most ? strdup(path) : elide(path, most, 0);
}

char *shorten_function(const char *name, int most)
{
	char *folded = strdup(name);
	int step;

	for (step = 0; folded && terminal_columns(folded) > most; step++) {
		char *before = folded;

		folded = step < NR_STEPS ? collapse(name, (enum step)step) :
					   elide(before, most, (most - DOTS) / 3);
		free(before);
	}
	return folded;
}

static int compare_folded(const void *va, const void *vb)
{
	const struct shorten_name *const *a = va, *const *b = vb;
	int order = strcmp((*a)->folded, (*b)->folded);

	return order ? order : strcmp((*a)->whole, (*b)->whole);
}

/*
 * Move those that share their folded text with another name to the front. Return: how many
 * they are.
 */
static size_t find_shared(struct shorten_name **names, size_t nr)
{
	size_t first, next, shared = 0;

	qsort(names, nr, sizeof(struct shorten_name *), compare_folded);
	for (first = 0; first < nr; first = next) {
		for (next = first + 1; next < nr; next++)
			if (strcmp(names[first]->folded, names[next]->folded))
				break;
		if (!strcmp(names[first]->whole, names[next - 1]->whole))
			continue;
		memmove(names + shared, names + first, (next - first) * sizeof(*names));
		shared += next - first;
	}
	return shared;
}

/* Return: 0 or -ENOMEM. */
static int shorten_again(struct shorten_name *name, int most)
{
	free(name->folded);
	name->folded = shorten_function(name->whole, most);
	return name->folded ? 0 : -ENOMEM;
}

/* Number the different ones among those with one folded text, which @most has room for. */
static int number(struct shorten_name **names, size_t nr, int most)
{
	size_t i, among = 0;
	int error = 0;

	for (i = 0; !error && i < nr; i++)
		error = shorten_again(names[i], most);
	if (error)
		return error;
	qsort(names, nr, sizeof(struct shorten_name *), compare_folded);
	for (i = 0; i < nr; i++) {
		if (!i || strcmp(names[i - 1]->folded, names[i]->folded))
			among = 1;
		else if (strcmp(names[i - 1]->whole, names[i]->whole))
			among++;
		names[i]->number = among;
	}
	for (i = 0; !error && i < nr; i++) {
		char *text = NULL;

		if (asprintf(&text, "%s~%zu", names[i]->folded, names[i]->number) < 0)
			return -ENOMEM;
		free(names[i]->folded);
		names[i]->folded = text;
	}
	return 0;
}

long shorten_functions(struct shorten_name *names, size_t nr, int most)
{
	struct shorten_name **order = calloc(nr + 1, sizeof(*order));
	size_t shared = 0, i;
	int error = order ? 0 : -ENOMEM;

	for (i = 0; !error && i < nr; i++) {
		order[i] = &names[i];
		error = shorten_again(&names[i], most);
	}
	if (!error)
		shared = find_shared(order, nr);
	if (shared)
		error = number(order, shared, most - snprintf(NULL, 0, "~%zu", shared));
	free(order);
	return error ? error : (long)shared;
}
