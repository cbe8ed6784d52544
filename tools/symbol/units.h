/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Maps addresses to source lines, by debug information (DWARF): finds the compilation unit of an
 * address, and the line in that unit's line table.
 */
#ifndef PROFIL_UNITS_H
#define PROFIL_UNITS_H

#include <stdint.h>

#include <elfutils/libdwfl.h>

#include "symbol/ranges.h"
#include "symbol/text.h"

/**
 * struct units - the compilation units of a file
 * @dwarf:  debug information of the file; NULL: none
 * @bias:   is added to the addresses in it
 * @ranges: addresses of the units' code; @number of each range is the offset of its unit
 * @problem: why some or all of the debug information cannot be read, or that there is none;
 *           NULL: no problem so far
 */
struct units {
	Dwarf *dwarf;
	uint64_t bias;
	struct ranges ranges;
	const char *problem;
};

/**
 * units_read - list the addresses of all units
 * @units:  zeroed by the caller; must be released with units_release(), even on error
 * @text:   the code of the file, with its module; must outlive the units
 *
 * Return: 0 or -ENOMEM.
 */
int units_read(struct units *units, const struct text *text);

/**
 * units_line - find the source line of an address
 * @units:     from units_read()
 * @address:   an address of the module
 * @number:    set to the number of the line, which is at least 1
 * @directory: set to the absolute directory that the file's path is relative to, or NULL
 *
 * Sets @units->problem if the line table is damaged.
 *
 * Return: the file's path, valid as long as the module; NULL: no line.
 */
const char *units_line(struct units *units, uint64_t address, int *number,
		       const char **directory);

/**
 * units_release - free the list of addresses
 * @units: set to zero; may be zero already
 */
void units_release(struct units *units);

#endif /* PROFIL_UNITS_H */
