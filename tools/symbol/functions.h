/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From an address to the function that it lies in, in one open file.
 */
#ifndef PROFIL_FUNCTIONS_H
#define PROFIL_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <elfutils/libdwfl.h>

#include "symbol/ranges.h"
#include "symbol/symbols.h"

/**
 * struct functions - the functions of a file
 * @module:  the file
 * @symbols: what symbols with a size cover
 * @labels:  from each symbol without a size to the end of its section
 * @frames:  functions that have unwind information
 */
struct functions {
	Dwfl_Module *module;
	struct ranges symbols;
	struct ranges labels;
	struct ranges frames;
};

/**
 * functions_read - list the functions of a file
 * @functions: zeroed; to be released by functions_release(), whatever is returned
 * @module:    the file; must outlive the functions
 *
 * Return: 0 or -ENOMEM.
 */
int functions_read(struct functions *functions, Dwfl_Module *module);

/**
 * functions_are_stripped - whether only exported functions have names
 * @functions: from functions_read()
 *
 * Return: true if there is no symbol table but the dynamic one.
 */
bool functions_are_stripped(const struct functions *functions);

/**
 * functions_find - the function at an address
 * @functions: from functions_read()
 * @address:   of the module
 * @function:  filled in if there is one; its name is as long-lived as the module
 *
 * By a symbol that covers the address; else the PLT section it lies in; else unwind
 * information, with or without the name of a symbol that has no size.
 *
 * Return: whether there is one.
 */
bool functions_find(const struct functions *functions, uint64_t address,
		    struct function *function);

/**
 * functions_size - how much memory a file's functions take
 * @functions: from functions_read()
 *
 * Return: the number of ranges.
 */
size_t functions_size(const struct functions *functions);

/**
 * functions_release - free what was read
 * @functions: zero afterwards; may have been zero
 */
void functions_release(struct functions *functions);

#endif /* PROFIL_FUNCTIONS_H */
