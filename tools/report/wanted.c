// SPDX-License-Identifier: GPL-2.0-only
/*
 * The code that a user means by the name or an address of a function.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "report/wanted.h"
#include "symbol/demangle.h"
#include "symbol/symbolize.h"
#include "util/folded.h"
#include "util/shorten.h"

/* A name that was compared with the wanted one: demangling takes long */
struct compared_name {
	const char *text;	/* identifies the name: symbols keep one copy of each */
	bool is_wanted;
};

bool wanted_is_named(const struct wanted *wanted, const char *symbol)
{
	char *name = wanted->keep_mangled ? NULL : demangle(symbol);
	char *bare = wanted->bare ? shorten_bare(name ? name : symbol) : NULL;
	char *original = wanted->bare ? shorten_copy(name ? name : symbol) : NULL;
	const bool found = demangle_is_named(symbol, wanted->name) ||
			   (name && demangle_is_named(name, wanted->name)) ||
			   (bare && !strcmp(bare, wanted->name)) ||
			   (original && demangle_is_named(original, wanted->name));

	free(original);
	free(bare);
	free(name);
	return found;
}

/* The same for each name of a function, and all together. Return: 1, 0 or -ENOMEM. */
static int compare_symbol(const struct wanted *wanted, const char *text, size_t length)
{
	char *all = strndup(text, length), *symbol;
	const char *rest = all, *name;
	bool found;

	if (!all)
		return -ENOMEM;
	found = wanted_is_named(wanted, all);
	while (!found && (name = folded_next(&rest, &length))) {
		symbol = strndup(name, length);
		found = symbol && wanted_is_named(wanted, symbol);
		free(symbol);
	}
	free(all);
	return found;
}

static int compare_names(const void *va, const void *vb)
{
	const struct compared_name *a = va, *b = vb;

	return (uintptr_t)a->text < (uintptr_t)b->text ? -1 :
	       (uintptr_t)a->text > (uintptr_t)b->text;
}

/* The same for a name from the symbols. */
static int is_wanted(struct wanted *wanted, const char *text, size_t length)
{
	struct compared_name **found, *new;
	int is_same;

	found = tfind(&(struct compared_name){ .text = text }, &wanted->names, compare_names);
	if (found)
		return (*found)->is_wanted;
	is_same = compare_symbol(wanted, text, length);
	if (is_same < 0)
		return is_same;
	new = malloc(sizeof(*new));
	if (!new)
		return -ENOMEM;
	*new = (struct compared_name){ text, is_same };
	if (!tsearch(new, &wanted->names, compare_names)) {
		free(new);
		return -ENOMEM;
	}
	return is_same;
}

/* Whether the wanted name is an address in a function. */
static bool has_address(const struct wanted *wanted, const struct function *function)
{
	unsigned long long address;
	char *end;

	if (strncmp(wanted->name, "0x", 2))
		return false;
	errno = 0;
	address = strtoull(wanted->name, &end, 16);
	return !*end && !errno && address >= function->start && address < function->end;
}

int wanted_count_frames(struct wanted *wanted, const struct source_frame *frames, size_t nr)
{
	int found = 0;

	while (!found && nr > 1) {
		const char *function = frames[--nr - 1].function;

		found = function ? is_wanted(wanted, function, strlen(function)) : 0;
	}
	return found > 0 ? (int)nr : found;
}

/* The same for code that is inlined at an address. Return: an enum belonging, or -ENOMEM. */
static int find_inlined(struct wanted *wanted, struct symbols *symbols, size_t object,
			uint64_t address)
{
	struct source_frame frames[SYMBOLS_MAX_FRAMES];
	size_t nr;
	int found = symbols_frames(symbols, object, address, frames, &nr);

	if (found == 1)
		found = wanted_count_frames(wanted, frames, nr);
	return found < 0 ? found : found ? BELONGS_INLINED : BELONGS_NOT;
}

int wanted_find(struct wanted *wanted, struct symbols *symbols, size_t object, uint64_t address,
		struct function *function)
{
	int found = symbols_find(symbols, object, address, function), is_same = 0;

	if (found < 0)
		return found;
	if (!found) {
		*function = (struct function){ .start = address, .end = address + 1 };
		is_same = !strcmp(wanted->name, SYMBOLIZE_REST);
	}
	if (function->name)
		is_same = is_wanted(wanted, function->name, (size_t)function->length);
	if (!is_same)
		is_same = has_address(wanted, function);
	if (is_same)
		return is_same < 0 ? is_same : BELONGS_OWN;
	return wanted->inlined ? find_inlined(wanted, symbols, object, address) : BELONGS_NOT;
}

void wanted_release(struct wanted *wanted)
{
	tdestroy(wanted->names, free);
	wanted->names = NULL;
}
