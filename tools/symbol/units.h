/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_UNITS_H
#define PROFIL_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#include <elfutils/libdwfl.h>

#include "symbol/ranges.h"
#include "symbol/text.h"

/**
 * struct units - the compilation units of a file
 * @text:   the code of the file
 * @dwarf:  debug information of the file; NULL: none
 * @bias:   is added to the addresses in it
 * @ranges: addresses of the units' code; @number of each range is the offset of its unit
 * @problem: why some or all of the debug information cannot be read, or that there is none;
 *           NULL: no problem so far
 */
struct units {
	const struct text *text;
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
 * units_find - find the unit that has the code at an address
 * @unit:    set to its entry; with split DWARF, to the one that has the line table
 *
 * Return: whether there is one.
 */
bool units_find(const struct units *units, uint64_t address, Dwarf_Die *unit);

/**
 * units_line - find the source line of an address
 * @number:    set to the number of the line; 0: code that the compiler generated for no line
 * @directory: set to the absolute directory that the file's path is relative to, or NULL
 *
 * Sets @units->problem if the line table is damaged.
 *
 * Return: the file's path, valid as long as the module; NULL: no line.
 */
const char *units_line(struct units *units, uint64_t address, int *number,
		       const char **directory);

/**
 * units_file - find a source file of the unit that has the code at an address
 * @number:    of the file, from 0
 * @directory: as in units_line()
 *
 * Return: the file's path, as in units_line(); NULL: the unit has no file with this number.
 */
const char *units_file(const struct units *units, uint64_t address, size_t number,
		       const char **directory);

/* Find the checksum of this file, which is valid as long as the module. Return: NULL: none. */
const unsigned char *units_checksum(const struct units *units, uint64_t address, size_t number);

/**
 * units_directory - find the directory that the path of a source file is relative to
 * @unit: entry of the unit that names the file
 * @file: path of the file, from libdw
 *
 * Up to DWARF 4, paths are relative to the directory in which the unit was compiled, and libdw
 * returns them as they are. A relative directory, which -ffile-prefix-map makes, is not used:
 * DWARF 5 paths include it.
 *
 * Return: an absolute path, valid as long as the module; NULL: none.
 */
const char *units_directory(Dwarf_Die *unit, const char *file);

/* Free the list of addresses. */
void units_release(struct units *units);

#endif /* PROFIL_UNITS_H */
