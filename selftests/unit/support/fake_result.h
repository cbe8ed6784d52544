/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A result with everything that is hard to export: names that are not valid text, counts of more
 * than 16 and 32 bits, objects with the same file name, without a build-id, without a file or
 * without samples, and functions without a name.
 */
#ifndef FAKE_RESULT_H
#define FAKE_RESULT_H

#include <result/result.h>
#include <symbol/symbols.h>

#define ODD_PATH	"/bin/o\"d;d <&>\n\xff\xc3\xa9"
#define ODD_NAME	"f;\"g\"\\\t<h&i>\xed\xa0\x80\xc3\xa9 1"
#define ODD_BUILD_ID	"0123456789abcdef0123456789abcdef01234567"
#define ODD_MANGLED	"_ZN3foo3barEv"
#define ODD_DEMANGLED	"foo::bar()"
#define MADE_NAME	"JS:*hot b.js:1:21"

/* Indexes of the objects */
enum { ODD, BIG, LIB_X, OPT_X, UNUSED, VDSO, NR_FAKE_OBJECTS };

/**
 * fake_result - make the fake result
 * @result: filled in; must not be freed, as all of them share static memory
 */
void fake_result(struct result *result);

/**
 * fake_result_made_code - let the last object be code that a program has made
 * @result: from fake_result()
 *
 * One of its two samples, at 0x900, is in a function with the name MADE_NAME.
 */
void fake_result_made_code(struct result *result);

/*
 * Give the fake result stacks: one has a function twice, one has no callers that are known, and one
 * is of two threads. They have fewer samples than the objects.
 */
void fake_result_stacks(struct result *result);

/**
 * fake_find - find a function of the fake result; a symbols_find_fn
 * @symbols:  ignored
 * @object:   index in the result
 * @address:  address in that object
 * @function: filled in if there is one
 *
 * Return: 1 or 0.
 */
int fake_find(void *symbols, size_t object, uint64_t address, struct function *function);

/**
 * fake_demangle - demangle the only mangled name of the fake result
 * @name: any name
 *
 * Return: ODD_DEMANGLED, to be freed by the caller, for ODD_MANGLED; else NULL.
 */
char *fake_demangle(const char *name);

#endif /* FAKE_RESULT_H */
