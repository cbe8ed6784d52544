/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bounds of functions in unwind information (.eh_frame), which stripped files still have.
 */
#ifndef PROFIL_EHFRAME_H
#define PROFIL_EHFRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libelf.h>

#include "symbol/ranges.h"

/**
 * struct ehframe - the unwind information of a file
 * @ident:      of the file: e_ident[]
 * @address:    of @data
 * @bias:       is added to the addresses in the file
 * @table:      the sorted table of .eh_frame_hdr; NULL: there is none
 * @table_base: what its entries are relative to
 * @ranges:     the functions, if there is no table
 */
struct ehframe {
	const unsigned char *ident;
	Elf_Data *data;
	uint64_t address;
	uint64_t bias;
	const uint8_t *table;
	uint64_t table_base;
	size_t nr_entries;
	struct ranges ranges;
};

/**
 * ehframe_read - prepare to search the functions that have unwind information
 * @frames: zeroed by the caller; must be released with ehframe_release(), even on error
 * @elf:    a file in this machine's byte order; must outlive @frames
 * @bias:   is added to the addresses in the file
 *
 * .eh_frame is found by its section or, in a file without section headers, by the program header
 * PT_GNU_EH_FRAME. Nothing is found in a file without it. Entries that cannot be decoded are
 * skipped.
 *
 * Return: 0 or -ENOMEM.
 */
int ehframe_read(struct ehframe *frames, Elf *elf, uint64_t bias);

/**
 * ehframe_covering - find the function that contains an address
 * @found:   its range, without a name
 *
 * Return: whether there is one.
 */
bool ehframe_covering(const struct ehframe *frames, uint64_t address, struct range *found);

/* Find the first function that starts above an address. Return: whether there is one. */
bool ehframe_above(const struct ehframe *frames, uint64_t address, uint64_t *start);

/* Free the list of functions. */
void ehframe_release(struct ehframe *frames);

#endif /* PROFIL_EHFRAME_H */
