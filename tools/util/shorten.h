/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names that fit into a column of a table.
 */
#ifndef PROFIL_SHORTEN_H
#define PROFIL_SHORTEN_H

#include <stddef.h>

#define SHORTEN_LEAST	8	/* columns that any name can be made to fit into */

/* Explains the numbers of shorten_functions() to the user. */
#define FOLD_NUMBERED_NOTE \
	"names that end in ~N are shortened alike; --full-names shows them in full"

/**
 * shorten_function - the name of a function
 * @name: demangled
 * @most: columns that it may take, as terminal_columns() counts; at least SHORTEN_LEAST
 *
 * What does not fit loses first the parameters in "(...)", then also the arguments of
 * templates in "<...>", then these brackets, and at last some of its middle, in place of which
 * is an ellipsis.
 *
 * Return: to be given to free(); NULL: no memory.
 */
char *shorten_function(const char *name, int most);

/**
 * shorten_path - the name of a file
 * @path: in question
 * @most: as for shorten_function()
 *
 * What does not fit loses its beginning, as paths differ at the end.
 *
 * Return: to be given to free(); NULL: no memory.
 */
char *shorten_path(const char *path, int most);

/**
 * struct shorten_name - one of the names of a table
 * @whole:  as it is
 * @folded: as it is shown, to be given to free(); NULL before
 * @number: 0; else the one by which it differs from others that are folded alike
 */
struct shorten_name {
	const char *whole;
	char *folded;
	size_t number;
};

/**
 * shorten_functions - the names of functions, and no two of them alike
 * @names: shorten_function() makes @folded of each @whole, whatever is returned
 * @nr:    number of them
 * @most:  as for shorten_function(), and enough for the number of a row besides
 *
 * Different names that would be folded alike end in a tilde and a number.
 *
 * Return: how many end so, or -ENOMEM.
 */
long shorten_functions(struct shorten_name *names, size_t nr, int most);

#endif /* PROFIL_SHORTEN_H */
