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

/* A line that was found before */
struct seen {
	size_t object;
	struct source_line line;
	uint64_t address;
	char *name;
};

struct lines {
	struct symbols *symbols;
	void *tree;	/* of struct seen */
};

struct lines *lines_new(struct symbols *symbols)
{
	struct lines *lines = calloc(1, sizeof(*lines));

	if (lines)
		lines->symbols = symbols;
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

	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	if (a->line.line != b->line.line)
		return a->line.line < b->line.line ? -1 : 1;
	return strcmp(a->line.file, b->line.file);
}

/* Return: the line of @key, which is added if it is new; NULL: no memory. */
static const struct seen *look_up(struct lines *lines, const struct seen *key)
{
	struct seen **found = tfind(key, &lines->tree, compare), *new;
	char number[16] = "?";

	if (found)
		return *found;
	new = malloc(sizeof(*new));
	if (!new)
		return NULL;
	*new = *key;
	if (key->line.line)
		snprintf(number, sizeof(number), "%d", key->line.line);
	if (asprintf(&new->name, "%s:%s", base_name(key->line.file), number) < 0) {
		free(new);
		return NULL;
	}
	if (!tsearch(new, &lines->tree, compare)) {
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
	int found = symbols_line(all->symbols, object, address, &key.line);

	if (found < 0)
		return found;
	if (!found)
		return symbols_find(all->symbols, object, address, function);
	seen = look_up(all, &key);
	if (!seen)
		return -ENOMEM;
	*function = (struct function){
		.start = seen->address,
		.end = seen->address + 1,
		.name = seen->name,
		.length = (int)strlen(seen->name),
	};
	return 1;
}
