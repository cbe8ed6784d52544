/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_FUNCTIONS_H
#define PROFIL_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <elfutils/libdwfl.h>

#include "symbol/ehframe.h"
#include "symbol/symbols.h"
#include "symbol/symtab.h"
#include "symbol/text.h"

/**
 * struct functions - the functions of a file
 * @text:    where it has code
 * @elf:     the file itself, not its debug file
 * @bias:    is added to the addresses in @elf
 * @stubs:   by which it calls functions of other files, if @has_stubs: they have been read
 */
struct functions {
	struct text text;
	struct symtab symtab;
	struct ehframe frames;
	Elf *elf;
	uint64_t bias;
	bool has_stubs;
	struct ranges stubs;
};

/**
 * functions_read - list the functions of a file
 * @functions: zeroed by the caller; must be released with functions_release(), even on error
 * @module:    the file; must outlive the functions
 *
 * Return: 0 or -ENOMEM.
 */
int functions_read(struct functions *functions, Dwfl_Module *module);

/**
 * functions_find - find the function at an address
 * @function:  filled in if there is one; its name is valid as long as the module
 *
 * The function is a symbol whose size includes the address; else a stub of a PLT, or the section of
 * stubs; else a symbol of another type than those of code, whose size includes it; else a
 * symbol without a size; else it is from unwind information. It has the name of any symbol at its
 * start.
 *
 * Return: whether there is a function.
 */
bool functions_find(struct functions *functions, uint64_t address, struct function *function);

/* The number of ranges, which determines the memory used. */
size_t functions_size(const struct functions *functions);

/* Free the lists. */
void functions_release(struct functions *functions);

#endif /* PROFIL_FUNCTIONS_H */
