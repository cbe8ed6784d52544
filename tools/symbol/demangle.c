// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names as programmers wrote them.
 *
 * GCC's libiberty does it: for C++ it is the code that the C++ library has too, and it knows
 * both of Rust's schemes, that of C++ with a hash behind ("legacy") and its own ("v0":
 * _R...). It gives a name in pieces, without memory of its own, so it can be stopped.
 */
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "symbol/demangle.h"

/* A longer one is no name that anybody wrote, and takes its time. */
#define MAX_SYMBOL	4096

/* Symbols can repeat parts of themselves, and so double what they stand for again and again. */
#define MAX_NAME	65536

#define MOST_DIGITS	2	/* see has_countless_lifetimes() */

struct name {
	char text[MAX_NAME];
	size_t length;
	jmp_buf too_long;
};

/* From the midst of libiberty: it knows no other way to stop, and has nothing to give back */
static void append(const char *piece, size_t length, void *data)
{
	struct name *name = data;

	/* (which may be nowhere) */
	if (!length)
		return;
	if (length > sizeof(name->text) - name->length)
		longjmp(name->too_long, 1);
	memcpy(name->text + name->length, piece, length);
	name->length += length;
}

/*
 * Rust's scheme has a number of lifetimes behind FG or DG, in digits of base 62 with a _ at
 * the end, and libiberty counts them one by one before it gives away anything: of seven
 * digits, for days. Nobody has written more than some. (Within an identifier the same characters
 * mean nothing, and few have them: their function keeps its symbol for a name.)
 */
static bool has_countless_lifetimes(const char *symbol)
{
	static const char digits[] =
		"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	const char *at = symbol;

	while ((at = strpbrk(at, "FD"))) {
		at++;
		if (*at == 'G') {
			size_t nr = strspn(at + 1, digits);

			if (nr > MOST_DIGITS && at[1 + nr] == '_')
				return true;
		}
	}
	return false;
}

static bool find_name(struct name *name, const char *symbol)
{
	name->length = 0;
	if (setjmp(name->too_long))
		return false;
	/* which takes only its own, of those that look like C++'s too */
	if (rust_demangle_callback(symbol, 0, append, name))
		return true;
	name->length = 0;
	return !strncmp(symbol, "_Z", 2) &&
	       cplus_demangle_v3_callback(symbol, DMGL_PARAMS, append, name);
}

char *demangle(const char *symbol)
{
	size_t length = strcspn(symbol, "@"), version = strlen(symbol + length);
	char bare[MAX_SYMBOL + 1];
	struct name name;
	char *whole;
	bool is_rusts = !strncmp(symbol, "_R", 2);

	if ((!is_rusts && strncmp(symbol, "_Z", 2)) || length > MAX_SYMBOL)
		return NULL;
	/* it knows nothing of versions */
	memcpy(bare, symbol, length);
	bare[length] = 0;
	if (is_rusts && has_countless_lifetimes(bare))
		return NULL;
	if (!find_name(&name, bare))
		return NULL;
	whole = malloc(name.length + version + 1);
	if (!whole)
		return NULL;
	memcpy(whole, name.text, name.length);
	memcpy(whole + name.length, symbol + length, version + 1);
	return whole;
}
