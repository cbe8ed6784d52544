/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bounds of functions in unwind information (.eh_frame), which stripped files still have.
 */
#ifndef PROFIL_EHFRAME_H
#define PROFIL_EHFRAME_H

#include <stdint.h>

#include <libelf.h>

#include "symbol/ranges.h"

/**
 * ehframe_ranges - list the functions that have unwind information
 * @elf:   a file in this machine's byte order
 * @bias:  is added to the addresses in the file
 * @set:   a range without a name is added for each function; ranges_finish() is not called
 *
 * .eh_frame is found by its section or, in a file without section headers, by the program header
 * PT_GNU_EH_FRAME. Nothing is added for a file without it. Entries that cannot be decoded are
 * skipped.
 *
 * Return: 0 or -ENOMEM.
 */
int ehframe_ranges(Elf *elf, uint64_t bias, struct ranges *set);

#endif /* PROFIL_EHFRAME_H */
