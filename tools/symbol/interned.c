// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names and paths that outlive the files that they are from.
 */
#define _GNU_SOURCE
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/interned.h"

struct string {
	size_t length;
	char *text;
};

static int compare_strings(const void *va, const void *vb)
{
	const struct string *a = va, *b = vb;

	if (a->length != b->length)
		return a->length < b->length ? -1 : 1;
	return memcmp(a->text, b->text, a->length);
}

const char *interned_text(struct interned *interned, const char *text, size_t length)
{
	const struct string key = { .length = length, .text = (char *)text };
	struct string **found = tfind(&key, &interned->tree, compare_strings), *new;

	if (found)
		return (*found)->text;
	new = malloc(sizeof(*new) + length + 1);
	if (!new)
		return NULL;
	new->length = length;
	new->text = (char *)(new + 1);
	memcpy(new->text, text, length);
	new->text[length] = 0;
	if (!tsearch(new, &interned->tree, compare_strings)) {
		free(new);
		return NULL;
	}
	return new->text;
}

const char *interned_path(struct interned *interned, const char *directory, const char *file)
{
	const char *copy;
	char *path;

	if (!directory)
		return interned_text(interned, file, strlen(file));
	if (asprintf(&path, "%s/%s", directory, file) < 0)
		return NULL;
	copy = interned_text(interned, path, strlen(path));
	free(path);
	return copy;
}

void interned_release(struct interned *interned)
{
	tdestroy(interned->tree, free);
	interned->tree = NULL;
}
