/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names of the stubs by which a file calls functions of other files: "memcmp@plt".
 */
#ifndef PROFIL_PLT_H
#define PROFIL_PLT_H

#include <stdbool.h>
#include <stdint.h>

#include <libelf.h>

#include "symbol/ranges.h"

/* Find the function of the file that starts at an address. Return: NULL: there is none. */
typedef const struct range *plt_find_fn(const void *data, uint64_t start);

/**
 * plt_section - find out if a section has stubs
 * @name:  of the section
 *
 * Return: the name of those of its code that belong to no function; NULL: it is another section.
 */
const char *plt_section(const char *name);

/* Whether the name of a symbol is that of a stub, or of a section with stubs. */
bool plt_has_name(const char *symbol);

/**
 * plt_read - find the stubs of a file, and what they call
 * @stubs: zeroed by the caller; must be released with ranges_release(), even on error
 * @elf:   the file
 * @bias:  is added to the addresses in the file
 * @find:  finds functions of the file itself, of which the one to use is chosen when it is loaded
 * @data:  first argument of @find
 *
 * A stub jumps to an address in a slot of the GOT, and the relocation of this slot has the name. So
 * it does not matter which linker has made the stubs, in which order, and for what protection.
 * Those of machines other than x86 and arm64 are not found.
 *
 * Return: 0 or -ENOMEM.
 */
int plt_read(struct ranges *stubs, Elf *elf, uint64_t bias, plt_find_fn *find, const void *data);

#endif /* PROFIL_PLT_H */
