// SPDX-License-Identifier: GPL-2.0-only
/*
 * Single addresses in the form of functions.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/addresses.h"

struct name {
	struct name *next;
	char *text;
};

struct addresses {
	symbols_find_fn *find;
	void *symbols;
	symbolize_demangle_fn *demangle;
	struct name *names;	/* each address is asked for once, so none is searched */
};

struct addresses *addresses_new(symbols_find_fn *find, void *symbols,
				symbolize_demangle_fn *demangle)
{
	struct addresses *addresses = calloc(1, sizeof(*addresses));

	if (!addresses)
		return NULL;
	addresses->find = find;
	addresses->symbols = symbols;
	addresses->demangle = demangle;
	return addresses;
}

void addresses_free(struct addresses *addresses)
{
	struct name *name, *next;

	if (!addresses)
		return;
	for (name = addresses->names; name; name = next) {
		next = name->next;
		free(name->text);
		free(name);
	}
	free(addresses);
}

/* @function: NULL: unknown. Return: the text, to be freed with free(); NULL: no memory. */
static char *make_text(const struct addresses *addresses, uint64_t address,
		       const struct function *function)
{
	char *symbol = NULL, *demangled = NULL, *text;
	int length;

	if (function && function->name) {
		symbol = strndup(function->name, (size_t)function->length);
		if (!symbol)
			return NULL;
		if (addresses->demangle)
			demangled = addresses->demangle(symbol);
	}
	length = asprintf(&text, "0x%" PRIx64 "%s%s", address, symbol ? " " : "",
			  demangled ? demangled : symbol ? symbol : "");
	free(demangled);
	free(symbol);
	return length < 0 ? NULL : text;
}

int addresses_find(void *addresses, size_t object, uint64_t address,
		   struct function *function)
{
	struct addresses *all = addresses;
	struct function around;
	struct name *name;
	int found = all->find(all->symbols, object, address, &around);

	if (found < 0)
		return found;
	name = calloc(1, sizeof(*name));
	if (!name)
		return -ENOMEM;
	name->next = all->names;
	all->names = name;
	name->text = make_text(all, address, found ? &around : NULL);
	if (!name->text)
		return -ENOMEM;
	*function = (struct function){
		.start = address,
		.end = address + 1,
		.name = name->text,
		.length = (int)strlen(name->text),
	};
	return 1;
}
