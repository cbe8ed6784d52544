/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Libraries that are loaded when they are used. A linked one would take time at each start of the
 * command.
 */
#ifndef PROFIL_LIBRARY_H
#define PROFIL_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* A function or variable of a library, and where its address is to be stored */
struct library_symbol {
	const char *name;
	void **address;
};

/*
 * For a list of functions, #define FUNCTIONS(of) of(first) of(second): pointers with the types of the
 * library's header, as members of a structure, and the symbols that set them in one named `library'
 */
#define LIBRARY_MEMBER(function)	__typeof__(&function) function;
#define LIBRARY_SYMBOL(function)	{ #function, (void **)&library->function },

/*
 * Load a library, which stays until the end of the process. If it lacks a symbol, @missing is its
 * name; NULL: there is no library. Return: whether all addresses are set.
 */
bool library_load(const char *soname, const struct library_symbol *symbols, size_t nr,
		  const char **missing);

#endif /* PROFIL_LIBRARY_H */
