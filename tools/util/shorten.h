/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_SHORTEN_H
#define PROFIL_SHORTEN_H

#include <stddef.h>

#define SHORTEN_MIN	8	/* terminal columns that any name can be shortened to */

/* Explains the numbers of shorten_functions() to the user. */
#define SHORTEN_NUMBERED_NOTE \
	"names that end in ~N are equal if shortened; --full-names prints full names"

/**
 * shorten_function - shorten the name of a function
 * @most: maximal width, as counted by terminal_columns(); at least SHORTEN_MIN
 *
 * These steps are taken until the name fits: the type that a template or Java's method returns is
 * removed, and from names of JavaScript the directories and the kind of code; suffixes of copies
 * that the compiler made, such as "[clone .isra.0]", are removed; parameters become "(...)";
 * arguments of templates become "<...>"; both lists are removed; an ellipsis replaces the
 * namespaces, and then part of the class or the function. Of a line with its function, "queue.cc:12
 * (work(int))", the function is shortened.
 *
 * Return: the shortened name, to be freed with free(); NULL: no memory.
 */
char *shorten_function(const char *name, int most);

/*
 * Remove what the compiler appended to the name of a copy or a part of a function: "f" for
 * "f.isra.0.cold". The next build may have other ones. Return: the name, to be freed with free();
 * NULL: no memory.
 */
char *shorten_copy(const char *name);

/*
 * Remove that, and the brackets of parameters, template arguments and versions of interfaces with
 * what is in them: "std::f" for "std::f[abi:cxx11]<int>(int) const". Return: as above.
 */
char *shorten_bare(const char *name);

/*
 * Shorten the path of a file. An ellipsis replaces the beginning, because paths differ at the end.
 * Return: the shortened path, to be freed with free(); NULL: no memory.
 */
char *shorten_path(const char *path, int most);

/**
 * struct shorten_name - a name in a table
 * @shortened: the shortened name, to be freed with free(); initially NULL
 * @number:    0; or a number that distinguishes it from names with the same shortened form
 */
struct shorten_name {
	const char *full;
	char *shortened;
	size_t number;
};

/**
 * shorten_functions - shorten the names of functions, and keep them distinct
 * @names: @shortened of each is set, or NULL on error; to be freed by the caller in any case
 * @most:  as for shorten_function(), but at least SHORTEN_MIN plus the width of "~" and @nr
 *
 * Different names that would be shortened to the same text get a tilde and a number at the end.
 *
 * Return: how many names got a number, or -ENOMEM.
 */
long shorten_functions(struct shorten_name *names, size_t nr, int most);

#endif /* PROFIL_SHORTEN_H */
