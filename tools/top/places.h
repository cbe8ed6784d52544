/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The addresses that have samples, and the row that each belongs to: a hash table.
 */
#ifndef PROFIL_TOP_PLACES_H
#define PROFIL_TOP_PLACES_H

#include <stddef.h>
#include <stdint.h>

#include "top/names.h"
#include "top/rows.h"

/**
 * struct place - an address with samples
 * @at:      the address
 * @row:     its row; until its function is known, that of its file
 * @samples: those that were counted until then
 * @system:  how many of these are in the kernel
 * @recent:  what they have added to @row->recent
 */
struct place {
	struct names_address at;
	struct row *row;
	uint64_t samples;
	uint64_t system;
	double recent;
};

/**
 * struct places - all addresses with samples; all zero if empty
 * @list:  in the order of their first samples
 * @nr:    number of addresses
 * @slots: the hash table: 1 plus an index of @list; 0: unused
 * @bits:  binary logarithm of the number of slots
 */
struct places {
	struct place *list;
	size_t nr;
	uint32_t *slots;
	unsigned int bits;
};

/**
 * places_find - find an address, or add it
 * @places: all addresses
 * @at:     the address
 *
 * Return: its place, valid until the next call, whose row is NULL if it is new; NULL: no memory.
 */
struct place *places_find(struct places *places, const struct names_address *at);

/**
 * places_release - free the memory
 * @places: set to zero
 */
void places_release(struct places *places);

#endif /* PROFIL_TOP_PLACES_H */
