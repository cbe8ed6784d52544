/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names by which BOLT knows functions: that of the symbol if it is global. Local symbols of
 * several source files may have the same name, so BOLT adds the file and a number:
 * "name/file.c/1".
 */
#ifndef PROFIL_BOLT_NAMES_H
#define PROFIL_BOLT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libelf.h>

/**
 * struct bolt_name - a symbol
 * @name:        its name, valid as long as the file
 * @file:        name of the source file of a local symbol; empty: unknown, or it is global
 * @number:      of the local symbols with this @name and @file, in ascending order of addresses,
 *               from 1 on; 0: it is global
 * @is_function: it is no data
 */
struct bolt_name {
	uint64_t address;
	const char *name;
	const char *file;
	unsigned int number;
	bool is_function;
};

/* All symbols of a file */
struct bolt_names {
	struct bolt_name *of;	/* by address, functions and global ones first */
	size_t nr;
};

/*
 * Read the symbol table of a file, which must outlive the names. They are zeroed by the caller, and
 * must be released with bolt_names_release(), even on error. Return: 0 or -ENOMEM.
 */
int bolt_names_read(struct bolt_names *names, Elf *elf);

/* Find the function that starts at an address. Return: the function; NULL: none. */
const struct bolt_name *bolt_names_find(const struct bolt_names *names, uint64_t address);

/* Free the list. */
void bolt_names_release(struct bolt_names *names);

#endif /* PROFIL_BOLT_NAMES_H */
