/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples by address: a hash table.
 */
#ifndef PROFIL_COUNTS_H
#define PROFIL_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "result/result.h"

/**
 * struct counts - samples by address; all zero if empty
 * @slots:   the hash table; a slot is unused if its samples are 0
 * @nr:      number of used slots
 * @bits:    binary logarithm of the number of slots
 * @samples: sum over all addresses
 */
struct counts {
	struct result_count *slots;
	size_t nr;
	unsigned int bits;
	uint64_t samples;
};

/**
 * counts_add - add samples
 * @counts:  the table
 * @address: any address
 * @samples: at least 1
 *
 * Return: 0 or -ENOMEM.
 */
int counts_add(struct counts *counts, uint64_t address, uint32_t samples);

/**
 * counts_copy - copy the used slots
 * @counts: the table
 * @to:     room for counts->nr elements; filled in no particular order
 */
void counts_copy(const struct counts *counts, struct result_count *to);

/**
 * counts_release - free the memory
 * @counts: set to zero
 */
void counts_release(struct counts *counts);

#endif /* PROFIL_COUNTS_H */
