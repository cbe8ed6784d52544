/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_TEXT_H
#define PROFIL_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include <elfutils/libdwfl.h>

#include "symbol/ranges.h"

/**
 * struct text - the code of a file
 * @has_sections: it has section headers
 * @code:         its executable sections with their names; or its executable segments
 */
struct text {
	Dwfl_Module *module;
	bool has_sections;
	struct ranges code;
};

/**
 * text_read - prepare to ask where a file has code
 * @text:   zeroed by the caller; must be released with text_release(), even on error
 * @module: the file; must outlive the text
 *
 * Return: 0 or -ENOMEM.
 */
int text_read(struct text *text, Dwfl_Module *module);

/* Whether there is code at an address. */
bool text_has_address(const struct text *text, uint64_t address);

/*
 * Find the executable section at an address. Return: the section; its name is valid as long as the
 * module. NULL: there is none, or the file has no section headers.
 */
const struct range *text_section(const struct text *text, uint64_t address);

/**
 * text_has_symbol - whether a symbol is in code
 * @elf:     the file that has the symbol: the module's, or its debug file
 * @bias:    is added to the addresses in @elf
 * @section: index of the symbol's section
 * @address: address of the symbol in the module
 * @end:     set to the end of its section or segment in the module
 */
bool text_has_symbol(const struct text *text, Elf *elf, uint64_t bias, GElf_Word section,
		     uint64_t address, uint64_t *end);

/* Free the list of code. */
void text_release(struct text *text);

#endif /* PROFIL_TEXT_H */
