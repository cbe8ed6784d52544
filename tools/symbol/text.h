/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a file has code: by its sections, or by its segments if it has no section headers.
 */
#ifndef PROFIL_TEXT_H
#define PROFIL_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include <elfutils/libdwfl.h>

#include "symbol/ranges.h"

/**
 * struct text - the code of a file
 * @module:   the file
 * @segments: its executable segments, if it has no section headers; else empty
 */
struct text {
	Dwfl_Module *module;
	struct ranges segments;
};

/**
 * text_read - prepare to ask where a file has code
 * @text:   zeroed by the caller; must be released with text_release(), even on error
 * @module: the file; must outlive the text
 *
 * Return: 0 or -ENOMEM.
 */
int text_read(struct text *text, Dwfl_Module *module);

/**
 * text_has_address - whether there is code at an address
 * @text:    from text_read()
 * @address: an address of the module
 */
bool text_has_address(const struct text *text, uint64_t address);

/**
 * text_has_symbol - whether a symbol is in code
 * @text:    from text_read()
 * @elf:     the file that has the symbol: the module's, or its debug file
 * @bias:    is added to the addresses in @elf
 * @section: index of the symbol's section
 * @address: address of the symbol in the module
 * @end:     set to the end of its section or segment in the module
 */
bool text_has_symbol(const struct text *text, Elf *elf, uint64_t bias, GElf_Word section,
		     uint64_t address, uint64_t *end);

/**
 * text_release - free the list of segments
 * @text: set to zero; may be zero already
 */
void text_release(struct text *text);

#endif /* PROFIL_TEXT_H */
