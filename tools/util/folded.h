/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_FOLDED_H
#define PROFIL_FOLDED_H

#include <stdbool.h>
#include <stddef.h>

/* Between the names of functions that a linker has folded. No symbol of a real program has it. */
#define FOLDED_COMMA	", "

/**
 * folded_next - find the next name of a function, which may be several functions that are folded
 * @rest:   the names, demangled or not; set to those after the name, NULL: it was the last one
 * @length: set to the length of the name
 *
 * A comma in brackets is part of a demangled name.
 *
 * Return: the name, which no 0 ends; NULL: @rest is NULL.
 */
const char *folded_next(const char **rest, size_t *length);

/* Whether a name, of @length bytes, is one of a function's. @names: NULL: it has none */
bool folded_has(const char *names, const char *name, size_t length);

/* Whether a function has several names. */
bool folded_has_several(const char *names);

#endif /* PROFIL_FOLDED_H */
