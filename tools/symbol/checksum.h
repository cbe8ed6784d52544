/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_CHECKSUM_H
#define PROFIL_CHECKSUM_H

#include <stdint.h>

#include <libelf.h>

#define CHECKSUM_BYTES	16	/* of MD5 */

/**
 * checksum_find - find the checksum of a source file that was compiled
 * @elf:   the file with the debug information
 * @table: offset of the unit's line table
 * @index: of the source file in this table, as in Dwarf_Files
 *
 * Only DWARF 5 has checksums, and clang writes them.
 *
 * Return: CHECKSUM_BYTES bytes, valid as long as @elf; NULL: there is none.
 */
const unsigned char *checksum_find(Elf *elf, uint64_t table, uint64_t index);

#endif /* PROFIL_CHECKSUM_H */
