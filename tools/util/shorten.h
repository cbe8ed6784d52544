/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shortens names to fit into a column of a table.
 */
#ifndef PROFIL_SHORTEN_H
#define PROFIL_SHORTEN_H

#include <stddef.h>

#define SHORTEN_MIN	8	/* terminal columns that any name can be shortened to */

/* Explains the numbers of shorten_functions() to the user. */
#define SHORTEN_NUMBERED_NOTE \
	"names that end in ~N are shortened alike; --full-names shows them in full"

/**
 * shorten_function - shorten the name of a function
 * @name: demangled name
 * @most: maximal width, as counted by terminal_columns(); at least SHORTEN_MIN
 *
 * These steps are taken until the name fits: parameters become "(...)"; arguments of templates
 * become "<...>"; both are removed; part of the middle becomes an ellipsis.
 *
 * Return: the shortened name, to be given to free(); NULL: no memory.
 */
char *shorten_function(const char *name, int most);

/**
 * shorten_path - shorten the path of a file
 * @path: path of the file
 * @most: as for shorten_function()
 *
 * The beginning becomes an ellipsis, because paths differ at the end.
 *
 * Return: the shortened path, to be given to free(); NULL: no memory.
 */
char *shorten_path(const char *path, int most);

/**
 * struct shorten_name - a name in a table
 * @full:      the full name
 * @shortened: the shortened name, to be given to free(); initially NULL
 * @number:    0; or a number that distinguishes it from names that are shortened alike
 */
struct shorten_name {
	const char *full;
	char *shortened;
	size_t number;
};

/**
 * shorten_functions - shorten the names of functions, and keep them distinct
 * @names: @shortened of each is set by shorten_function(), whatever is returned
 * @nr:    number of names
 * @most:  as for shorten_function(), but at least SHORTEN_MIN plus the width of "~" and @nr
 *
 * Different names that would be shortened to the same text end in a tilde and a number.
 *
 * Return: the number of names that end so, or -ENOMEM.
 */
long shorten_functions(struct shorten_name *names, size_t nr, int most);

#endif /* PROFIL_SHORTEN_H */
