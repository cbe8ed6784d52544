/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_FUNCTIONNAME_H
#define PROFIL_FUNCTIONNAME_H

#include <stdbool.h>

#include "result/result.h"
#include "symbol/symbols.h"

/* Remove what the table adds to the name of an inlined function. */
void functionname_cut_note(char *word);

/*
 * Whether a word is the end of a qualified name, perhaps without parameters and template arguments:
 * without namespaces, classes or a return type.
 */
bool functionname_has_end(const char *name, const char *word);

/**
 * functionname_find - find the only function with samples that a word can mean
 * @word:         the end of a qualified name; the beginning of a name, a part of it or a similar
 *                one; a name that the table has shortened; or an extended regular expression
 * @keep_mangled: the names are not demangled
 * @others:       set to "; did you mean A or B?", to be freed with free(), or to "" if no
 *                name is similar; NULL: no memory
 *
 * Functions with samples only where they are inlined are among them.
 *
 * Return: its name without parameters, to be freed with free(); NULL: there is none, there are
 * several, or there is no memory.
 */
char *functionname_find(const struct result *result, struct symbols *symbols, const char *word,
			bool keep_mangled, char **others);

#endif /* PROFIL_FUNCTIONNAME_H */
