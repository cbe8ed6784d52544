/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Innermost functions, for a profile with inlined functions: each sample is one of the function
 * whose source is executed, wherever the code was inlined.
 */
#ifndef PROFIL_INNERMOST_H
#define PROFIL_INNERMOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "result/result.h"
#include "symbol/symbolize.h"
#include "symbol/symbols.h"

struct innermost;

/* Follow the names of functions, see innermost_find() */
#define INNERMOST_ALL_NOTE	" (inlined)"
#define INNERMOST_SOME_NOTE	" (partly inlined)"

/**
 * innermost_new - prepare to find innermost functions
 * @symbols:  for the files; must outlive the functions
 * @result:   the result of @symbols
 * @demangle: demangles names; NULL: they stay mangled
 * @mark:     names say whether the function's samples are in inlined code
 *
 * Return: functions to be given to innermost_free(); NULL: no memory.
 */
struct innermost *innermost_new(struct symbols *symbols, const struct result *result,
				symbolize_demangle_fn *demangle, bool mark);

/**
 * innermost_find - find the innermost function at an address; a symbols_find_fn
 * @object:    index in result->objects; calls are fast if those for one object follow each other
 * @address:   address of one of the object's counts
 *
 * A function is the same in all its copies in an object, inlined or not, if it has the same name
 * and, unless that is a mangled name, its source is in the same file. Its start is that of the copy
 * that is not inlined, if that has samples, else the lowest address with a sample. With @mark,
 * INNERMOST_ALL_NOTE follows the name if all samples are in inlined code, and INNERMOST_SOME_NOTE
 * if some are.
 *
 * Return: 1; 0: no function; or -ENOMEM.
 */
int innermost_find(void *innermost, size_t object, uint64_t address, struct function *function);

/* Free all functions. */
void innermost_free(struct innermost *innermost);

#endif /* PROFIL_INNERMOST_H */
