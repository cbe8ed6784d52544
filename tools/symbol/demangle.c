// SPDX-License-Identifier: GPL-2.0-only
/*
 * Demangles the names of C++, Rust and D functions.
 *
 * This uses GCC's libiberty, which demangles C++ by the same code as the C++ library, and both
 * schemes of Rust: "legacy", which is C++ with a hash appended, and "v0" (_R...). Its callbacks
 * get the name in pieces, and it allocates no memory, so it can be stopped at any time. For D, it
 * has no callbacks, so only symbols are demangled that cannot take long.
 *
 * The names of other languages (Ada, Pascal, ...) are not demangled: C has names like them.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "symbol/demangle.h"
#include "util/folded.h"

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

/*
 * The name of a D symbol doubles with two references to earlier parts (Q), and libiberty tries
 * all lengths of symbols that are arguments of templates, so that the time is exponential in
 * nested templates and in the digits of the lengths. These limits keep both small.
 */
static bool is_simple_d(const char *symbol)
{
	enum { MAX_LENGTH = 1024, MAX_REFERENCES = 24, MAX_TEMPLATES = 8, MAX_LENGTH_DIGITS = 4 };
	size_t references = 0, templates = 0, digits = 0;
	const char *at;

	for (at = symbol; *at; at++) {
		references += *at == 'Q';
		templates += !strncmp(at, "__T", 3) || !strncmp(at, "__U", 3);
		digits = *at >= '0' && *at <= '9' ? digits + 1 : 0;
		if (digits > MAX_LENGTH_DIGITS)
			return false;
	}
	return at - symbol <= MAX_LENGTH && references <= MAX_REFERENCES &&
	       templates <= MAX_TEMPLATES;
}

static bool find_d_name(struct name *name, const char *symbol)
{
	char *text = is_simple_d(symbol) ? dlang_demangle(symbol, 0) : NULL;
	bool fits = text && strlen(text) <= sizeof(name->text);

	if (fits) {
		name->length = strlen(text);
		memcpy(name->text, text, name->length);
	}
	free(text);
	return fits;
}

static char *demangle_one(const char *symbol)
{
	size_t length = strcspn(symbol, "@"), version = strlen(symbol + length);
	char bare[MAX_SYMBOL + 1];
	struct name name;
	char *whole;
	bool is_rust_v0 = !strncmp(symbol, "_R", 2), is_d = !strncmp(symbol, "_D", 2);

	if ((!is_rust_v0 && !is_d && strncmp(symbol, "_Z", 2)) || length > MAX_SYMBOL)
		return NULL;
	/* libiberty does not accept versions */
	memcpy(bare, symbol, length);
	bare[length] = 0;
	if (is_rust_v0 && has_many_lifetimes(bare))
		return NULL;
	if (is_d ? !find_d_name(&name, bare) : !find_name(&name, bare))
		return NULL;
	whole = malloc(name.length + version + 1);
	if (!whole)
		return NULL;
	memcpy(whole, name.text, name.length);
	memcpy(whole + name.length, symbol + length, version + 1);
	return whole;
}

/* Print a name unless it was printed: what differs may be a hash. Return: whether it is mangled. */
static bool print_once(FILE *out, const char *printed, const char *symbol, size_t length)
{
	char *copy = strndup(symbol, length), *name = copy ? demangle_one(copy) : NULL;
	const char *shown = name ? name : copy;
	const bool is_mangled = name;

	if (shown && !folded_has(printed, shown, strlen(shown)))
		fprintf(out, "%s%s", ftell(out) ? FOLDED_COMMA : "", shown);
	fflush(out);
	free(name);
	free(copy);
	return is_mangled;
}

/* Demangle the names of a folded function (ranges_join()). Return: NULL: none is mangled. */
static char *demangle_all(const char *symbols)
{
	bool is_mangled = false;
	char *text = NULL;
	const char *symbol;
	size_t size, length;
	FILE *out = open_memstream(&text, &size);

	while (out && (symbol = folded_next(&symbols, &length)))
		is_mangled |= print_once(out, text, symbol, length);
	if (out && !fclose(out) && is_mangled)
		return text;
	free(text);
	return NULL;
}

bool demangle_is_named(const char *name, const char *wanted)
{
	const size_t length = strlen(wanted);

	return !strncmp(name, wanted, length) && (!name[length] || name[length] == '(');
}

char *demangle(const char *symbol)
{
	return folded_has_several(symbol) ? demangle_all(symbol) : demangle_one(symbol);
}
