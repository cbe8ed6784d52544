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
 * @counts:  the samples of each address
 * @nr:      number of addresses
 * @nr_sorted: how many of @counts are in ascending order, from the first one on
 * @slots:   the hash table: 1 plus an index of @counts; 0: unused
 * @bits:    binary logarithm of the number of slots
 * @samples: sum over all addresses
 */
struct counts {
	struct result_count *counts;
	size_t nr;
	size_t nr_sorted;
	uint32_t *slots;
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
int counts_add(struct counts *counts, uint64_t address, uint64_t samples);

/**
 * counts_sort - put the addresses into ascending order
 * @counts: the table
 *
 * Only addresses that have been added since the last call are sorted, and merged with the others.
 * Without memory, nothing is done.
 */
void counts_sort(struct counts *counts);

/**
 * counts_copy - copy all samples
 * @counts: the table
 * @to:     room for counts->nr elements; they are in ascending order after counts_sort()
 */
void counts_copy(const struct counts *counts, struct result_count *to);

/**
 * counts_release - free the memory
 * @counts: set to zero
 */
void counts_release(struct counts *counts);

#endif /* PROFIL_COUNTS_H */
