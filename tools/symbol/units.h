/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Source lines by debug information (DWARF): the compilation unit that an address lies in,
 * and the line in the line table of that unit.
 */
#ifndef PROFIL_UNITS_H
#define PROFIL_UNITS_H

#include <stdint.h>

#include <elfutils/libdwfl.h>

#include "symbol/ranges.h"

/**
 * struct units - the compilation units of a file
 * @dwarf:  its debug information; NULL: it has none
 * @bias:   what is added to the addresses in it
 * @ranges: the addresses that units have code at; the number of each is its unit
 */
struct units {
	Dwarf *dwarf;
	uint64_t bias;
	struct ranges ranges;
};

/**
 * units_read - list the addresses of all units
 * @units:  zeroed; to be released by units_release(), whatever is returned
 * @module: the file; must outlive the units
 *
 * Return: 0 or -ENOMEM.
 */
int units_read(struct units *units, Dwfl_Module *module);

/**
 * units_line - the line at an address
 * @units:   from units_read()
 * @address: of the module
 * @number:  gets the line's number, which is 1 or more
 * @directory: gets the absolute directory that the file's path begins in; NULL: none
 *
 * Return: its file, as long-lived as the module; NULL: there is no line.
 */
const char *units_line(const struct units *units, uint64_t address, int *number,
		       const char **directory);

/**
 * units_release - free what was read
 * @units: zero afterwards; may have been zero
 */
void units_release(struct units *units);

#endif /* PROFIL_UNITS_H */
