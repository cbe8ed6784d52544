// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source lines in the form of functions. The code of a line may be in many places, including
 * functions that it is inlined into. The start of a line is the address at which it was found
 * first; a function may start at the same address.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/lines.h"
#include "util/base_name.h"

/* A line of a function that was found before */
struct seen {
	size_t object;
	struct source_line line;	/* @file: NULL: only the function is known */
	struct function function;
	uint64_t address;
	char *name;
};

struct lines {
	struct symbols *symbols;
	symbols_find_fn *find;
	void *functions;
	symbolize_demangle_fn *demangle;
	void *tree;	/* of struct seen */
};

struct lines *lines_new(struct symbols *symbols, symbols_find_fn *find, void *functions,
			symbolize_demangle_fn *demangle)
{
	struct lines *lines = calloc(1, sizeof(*lines));

	if (!lines)
		return NULL;
	lines->symbols = symbols;
	lines->find = find;
	lines->functions = functions;
	lines->demangle = demangle;
	return lines;
}

static void free_seen(void *data)
{
	struct seen *seen = data;

	free(seen->name);
	free(seen);
}

void lines_free(struct lines *lines)
{
	if (!lines)
		return;
	tdestroy(lines->tree, free_seen);
	free(lines);
}

static int compare(const void *va, const void *vb)
{
	const struct seen *a = va, *b = vb;
	int order;

	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	if (a->line.line != b->line.line)
		return a->line.line < b->line.line ? -1 : 1;
	if (a->function.start != b->function.start)
		return a->function.start < b->function.start ? -1 : 1;
	/* of two functions with one start, one is inlined into the other */
	if (a->function.length != b->function.length)
		return a->function.length < b->function.length ? -1 : 1;
	if (a->function.length && a->function.name != b->function.name) {
		order = memcmp(a->function.name, b->function.name, (size_t)a->function.length);
		if (order)
			return order;
	}
	if (!a->line.file || !b->line.file)
		return !b->line.file - !a->line.file;
	return strcmp(a->line.file, b->line.file);
}

/* Return: the name of a function to be freed with free(); NULL: no memory. */
static char *name_function(const struct lines *lines, const struct function *function)
{
	char *symbol = strndup(function->name, (size_t)function->length), *name;

	if (!symbol || !lines->demangle)
		return symbol;
	name = lines->demangle(symbol);
	if (!name)
		return symbol;
	free(symbol);
	return name;
}

/* Return: FILE:NUMBER (FUNCTION), or less if a part is unknown, to be freed; NULL: no memory. */
static char *make_name(const struct lines *lines, const struct seen *seen)
{
	const struct source_line *line = &seen->line;
	char *function = NULL, number[16] = "?", *name;
	int length;

	if (seen->function.name) {
		function = name_function(lines, &seen->function);
		if (!function || !line->file)
			return function;
	}
	if (line->line)
		snprintf(number, sizeof(number), "%d", line->line);
	length = asprintf(&name, "%s:%s%s%s%s", base_name(line->file), number,
			  function ? " (" : "", function ? function : "", function ? ")" : "");
	free(function);
	return length < 0 ? NULL : name;
}

/* Return: the line of @key, which is added if it is new; NULL: no memory. */
static const struct seen *look_up(struct lines *lines, const struct seen *key)
{
	struct seen **found = tfind(key, &lines->tree, compare), *new;

	if (found)
		return *found;
	new = malloc(sizeof(*new));
	if (!new)
		return NULL;
	*new = *key;
	new->name = make_name(lines, key);
	if (!new->name || !tsearch(new, &lines->tree, compare)) {
		free_seen(new);
		return NULL;
	}
	return new;
}

int lines_find(void *lines, size_t object, uint64_t address, struct function *function)
{
	struct seen key = { .object = object, .address = address };
	struct lines *all = lines;
	const struct seen *seen;
	int has_line, has_function;

	has_line = symbols_line(all->symbols, object, address, &key.line);
	if (has_line < 0)
		return has_line;
	if (!has_line)
		key.line = (struct source_line){ 0 };
	has_function = all->find(all->functions, object, address, &key.function);
	if (has_function < 0)
		return has_function;
	if (!has_function)
		key.function = (struct function){ 0 };
	/* a function without a name has no need for another one */
	if (!has_line && (!has_function || !key.function.name)) {
		*function = key.function;
		return has_function;
	}
	seen = look_up(all, &key);
	if (!seen)
		return -ENOMEM;
	*function = (struct function){
		.start = has_line ? seen->address : key.function.start,
		.end = seen->address + 1,
		.name = seen->name,
		.length = (int)strlen(seen->name),
	};
	return 1;
}
