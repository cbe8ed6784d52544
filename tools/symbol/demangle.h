/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_DEMANGLE_H
#define PROFIL_DEMANGLE_H

#include <stdbool.h>

/**
 * demangle - demangle a symbol
 * @symbol: as in the file, possibly with a version ("@..."), or several of ranges_join()
 *
 * Return: the demangled name with the version, to be freed with free(); NULL: the symbol is not
 * mangled, or no memory.
 */
char *demangle(const char *symbol);

/* Whether a name is a wanted one. The user may omit the parameters of a C++ function. */
bool demangle_is_named(const char *name, const char *wanted);

#endif /* PROFIL_DEMANGLE_H */
