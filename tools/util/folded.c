// SPDX-License-Identifier: GPL-2.0-only
/*
 * The names of functions that a linker has folded, as one name.
 */
#include <ctype.h>
#include <string.h>

#include "util/folded.h"

/* Return: length of an operator's name whose end looks like a bracket; 0: there is none. */
static size_t find_operator(const char *names, const char *at)
{
	static const char *const ends[] = {
		"<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">",
	};
	const size_t length = strlen("operator");
	size_t i;

	if (strncmp(at, "operator", length) ||
	    (at > names && (isalnum((unsigned char)at[-1]) || at[-1] == '_')))
		return 0;
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (!strncmp(at + length, ends[i], strlen(ends[i])))
			return length + strlen(ends[i]);
	return 0;
}

const char *folded_next(const char **rest, size_t *length)
{
	const char *const name = *rest, *at = name;
	size_t depth = 0;

	if (!name)
		return NULL;
	while (*at && (depth || strncmp(at, FOLDED_COMMA, strlen(FOLDED_COMMA)))) {
		const size_t operator = find_operator(name, at);

		if (strchr("([{<", *at))
			depth++;
		else if (strchr(")]}>", *at) && depth)
			depth--;
		at += operator ? operator : 1;
	}
	*length = (size_t)(at - name);
	*rest = *at ? at + strlen(FOLDED_COMMA) : NULL;
	return name;
}

bool folded_has(const char *names, const char *name, size_t length)
{
	const char *one;
	size_t bytes;

	while ((one = folded_next(&names, &bytes)))
		if (bytes == length && !memcmp(one, name, length))
			return true;
	return false;
}

bool folded_has_several(const char *names)
{
	size_t length;

	folded_next(&names, &length);
	return names;
}
