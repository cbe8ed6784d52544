/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where functions begin and end according to unwind information (.eh_frame),
 * which a file keeps when it is stripped of its symbols.
 */
#ifndef PROFIL_EHFRAME_H
#define PROFIL_EHFRAME_H

#include <stdint.h>

#include <libelf.h>

#include "symbol/ranges.h"

/**
 * ehframe_ranges - list the functions that have unwind information
 * @elf:   file of this machine's byte order
 * @bias:  what is added to the file's addresses
 * @set:   gets one range without a name for each; left unfinished
 *
 * A file without .eh_frame has none. What cannot be decoded is left out.
 *
 * Return: 0 or -ENOMEM.
 */
int ehframe_ranges(Elf *elf, uint64_t bias, struct ranges *set);

#endif /* PROFIL_EHFRAME_H */
