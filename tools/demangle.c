// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names as programmers wrote them.
 *
 * The C++ library does it, by the one function of its ABI that is meant for others: the
 * symbols' scheme is its own, so it is never behind its compilers, and it is installed
 * wherever C++ programs are. elfutils has no such function, and libiberty comes only as
 * a static library without promises.
 *
 * Rust's symbols are of the same scheme ("legacy", the default of rustc up to now), with
 * a hash behind and other characters spelled out, which is undone here. Those of its
 * newer one ("v0": _R...) are left as they are.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "demangle.h"

/* From the C++ library: <cxxabi.h>, which C cannot include */
char *__cxa_demangle(const char *symbol, char *buffer, size_t *length, int *status);

/* A longer one is no name that anybody wrote, and takes its time. */
#define MAX_SYMBOL	4096

#define RUST_HASH	(sizeof("::h0123456789abcdef") - 1)

static bool ends_in_hash(const char *name)
{
	size_t length = strlen(name), i;
	const char *hash = name + length - RUST_HASH;

	if (length <= RUST_HASH || strncmp(hash, "::h", 3))
		return false;
	for (i = 3; i < RUST_HASH; i++)
		if (!isxdigit((unsigned char)hash[i]) || isupper((unsigned char)hash[i]))
			return false;
	return true;
}

/* What Rust spells out, since the scheme has only letters for it */
static const struct {
	const char *spelled;
	const char *meant;
} escapes[] = {
	{ "$LT$", "<" }, { "$GT$", ">" }, { "$RF$", "&" }, { "$BP$", "*" },
	{ "$LP$", "(" }, { "$RP$", ")" }, { "$SP$", "@" }, { "$C$", "," },
	{ "..", "::" },
};

/* "$u20$" is a space. Return: how much was read of it, or 0: it is none. */
static size_t read_code(const char *from, char *to)
{
	unsigned long code;
	char *end;

	if (strncmp(from, "$u", 2) || !isxdigit((unsigned char)from[2]))
		return 0;
	code = strtoul(from + 2, &end, 16);
	if (*end != '$' || code < ' ' || code > '~')
		return 0;
	*to = (char)code;
	return (size_t)(end + 1 - from);
}

/* In place: nothing becomes longer. */
static void undo_rust(char *name)
{
	char *from = name, *to = name;
	size_t i, nr;

	name[strlen(name) - RUST_HASH] = 0;
	while (*from) {
		/* a name must not begin with a $ */
		if (!strncmp(from, "_$", 2) && (from == name || from[-1] == ':'))
			from++;
		nr = read_code(from, to);
		if (nr) {
			from += nr;
			to++;
			continue;
		}
		for (i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++) {
			nr = strlen(escapes[i].spelled);
			if (!strncmp(from, escapes[i].spelled, nr))
				break;
		}
		if (i < sizeof(escapes) / sizeof(escapes[0])) {
			from += nr;
			nr = strlen(escapes[i].meant);
			memcpy(to, escapes[i].meant, nr);
			to += nr;
		} else {
			*to++ = *from++;
		}
	}
	*to = 0;
}

char *demangle(const char *symbol)
{
	size_t length = strcspn(symbol, "@");
	char bare[MAX_SYMBOL + 1];
	char *name, *whole;
	int status;

	if (strncmp(symbol, "_Z", 2) || length > MAX_SYMBOL)
		return NULL;
	/* it knows nothing of versions */
	memcpy(bare, symbol, length);
	bare[length] = 0;
	name = __cxa_demangle(bare, NULL, NULL, &status);
	if (!name)
		return NULL;
	if (ends_in_hash(name))
		undo_rust(name);
	if (!symbol[length])
		return name;
	whole = realloc(name, strlen(name) + strlen(symbol + length) + 1);
	if (!whole) {
		free(name);
		return NULL;
	}
	return strcat(whole, symbol + length);
}
