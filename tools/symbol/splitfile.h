/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_SPLITFILE_H
#define PROFIL_SPLITFILE_H

#include <stdbool.h>

#include <elfutils/libdwfl.h>

/**
 * splitfile_is_safe - whether libdw may open the file of a unit
 * @module: the file that has the unit; its user data is a struct debugfile
 * @unit:   the unit's entry, of type DW_UT_skeleton
 *
 * libdw opens any path that the debug information contains, and opening a pipe blocks. It does not
 * know the root directory of the search.
 *
 * Return: true if there is no root directory, and no path that libdw tries is something else than a
 * regular file.
 */
bool splitfile_is_safe(Dwfl_Module *module, Dwarf_Die *unit);

#endif /* PROFIL_SPLITFILE_H */
