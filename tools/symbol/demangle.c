// SPDX-License-Identifier: GPL-2.0-only
/*
 * Demangles the names of C++ and Rust functions.
 *
 * This uses GCC's libiberty, which demangles C++ by the same code as the C++ library, and both
 * schemes of Rust: "legacy", which is C++ with a hash appended, and "v0" (_R...). Its callbacks
 * get the name in pieces, and it allocates no memory, so it can be stopped at any time.
 */
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "symbol/demangle.h"

/* Longer symbols are not from real programs, and take long to demangle. */
#define MAX_SYMBOL	4096

/* Symbols can refer to parts of themselves, so that the name grows exponentially. */
#define MAX_NAME	65536

#define MAX_DIGITS	2	/* see has_many_lifetimes() */

struct name {
	char text[MAX_NAME];
	size_t length;
	jmp_buf too_long;
};

/* Called by libiberty. longjmp() is the only way to stop it; there is no memory to free. */
static void append(const char *piece, size_t length, void *data)
{
	struct name *name = data;

	/* an empty piece may be NULL */
	if (!length)
		return;
	if (length > sizeof(name->text) - name->length)
		longjmp(name->too_long, 1);
	memcpy(name->text + name->length, piece, length);
	name->length += length;
}

/*
 * In Rust's scheme, FG and DG are followed by a number of lifetimes, in digits of base 62 that
 * end with a _. libiberty counts up to that number before it calls back, which takes days for
 * seven digits. Real programs have few lifetimes. An identifier may happen to contain the same
 * characters; its function then keeps its mangled name.
 */
static bool has_many_lifetimes(const char *symbol)
{
	static const char digits[] =
		"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	const char *at = symbol;

	while ((at = strpbrk(at, "FD"))) {
		at++;
		if (*at == 'G') {
			size_t nr = strspn(at + 1, digits);

			if (nr > MAX_DIGITS && at[1 + nr] == '_')
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
	/* accepts legacy Rust symbols, but not C++ symbols, which look like them */
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
	bool is_rust_v0 = !strncmp(symbol, "_R", 2);

	if ((!is_rust_v0 && strncmp(symbol, "_Z", 2)) || length > MAX_SYMBOL)
		return NULL;
	/* libiberty does not accept versions */
	memcpy(bare, symbol, length);
	bare[length] = 0;
	if (is_rust_v0 && has_many_lifetimes(bare))
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
