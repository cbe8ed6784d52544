/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The functions of a Go program, from the table that Go's runtime needs for its stack traces. A
 * stripped program has it too.
 */
#ifndef PROFIL_GOPCLNTAB_H
#define PROFIL_GOPCLNTAB_H

#include <stddef.h>
#include <stdint.h>

#include "symbol/ranges.h"
#include "symbol/text.h"

/**
 * gopclntab_ranges - list the functions of a Go program
 * @text: the code of the file, with its module; the names are valid as long as the module
 * @set:  a range with a name is added for each function; ranges_finish() is not called
 *
 * Nothing is added for another program, or if the table is damaged.
 *
 * Return: 0 or -ENOMEM.
 */
int gopclntab_ranges(const struct text *text, struct ranges *set);

/**
 * gopclntab_decode - list the functions in a table
 * @bytes: the table, in this machine's byte order; the names are valid as long as it
 * @size:  size in bytes; the table may end earlier
 * @base:  address of the code that the table's addresses are relative to, in the versions where
 *         it has one; 0: the address in the table
 * @bias:  is added to all addresses
 * @set:   a range with a name is added for each function; ranges_finish() is not called
 *
 * The versions are those of Go 1.2, 1.16, 1.18 and 1.20. Entries outside @size are skipped.
 *
 * Return: 0; -ENOEXEC: not a table; or -ENOMEM.
 */
int gopclntab_decode(const void *bytes, size_t size, uint64_t base, uint64_t bias,
		     struct ranges *set);

#endif /* PROFIL_GOPCLNTAB_H */
