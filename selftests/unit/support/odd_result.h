/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A result with everything that is hard to export: names that are not valid text, counts of more
 * than 16 and 32 bits, objects with the same file name, without a build-id, without a file or
 * without samples, and functions without a name.
 */
#ifndef ODD_RESULT_H
#define ODD_RESULT_H

#include <result/result.h>
#include <symbol/symbols.h>

#define ODD_PATH	"/bin/o\"d;d <&>\n\xff\xc3\xa9"
#define ODD_NAME	"f;\"g\"\\\t<h&i>\xed\xa0\x80\xc3\xa9 1"
#define ODD_BUILD_ID	"0123456789abcdef0123456789abcdef01234567"
#define ODD_MANGLED	"_ZN3foo3barEv"
#define ODD_DEMANGLED	"foo::bar()"

/* Indexes of the objects */
enum { ODD, BIG, LIB_X, OPT_X, UNUSED, VDSO, NR_ODD_OBJECTS };

/**
 * odd_result - make the odd result
 * @result: filled in; must not be freed, as all odd results share static memory
 */
void odd_result(struct result *result);

/**
 * odd_find - find a function of the odd result; a symbols_find_fn
 * @symbols:  ignored
 * @object:   index in the result
 * @address:  address in that object
 * @function: filled in if there is one
 *
 * Return: 1 or 0.
 */
int odd_find(void *symbols, size_t object, uint64_t address, struct function *function);

/**
 * odd_demangle - demangle the only mangled name of the odd result
 * @name: any name
 *
 * Return: ODD_DEMANGLED, to be freed by the caller, for ODD_MANGLED; else NULL.
 */
char *odd_demangle(const char *name);

#endif /* ODD_RESULT_H */
