/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples by address and thread: a hash table. A part takes 38 to 76 bytes, the fewest when the table
 * is full: 32 itself, and a slot of 4 bytes for each two thirds of a part that there is room for.
 */
#ifndef PROFIL_COUNTS_H
#define PROFIL_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "result/result.h"
#include "util/slots.h"

/**
 * struct counts - samples by address and thread; all zero if empty
 * @parts:   the samples of each address and thread
 * @nr_sorted: how many of @parts are in the order of results, from the first one on
 * @slots:   of @parts
 * @samples: sum over all parts
 * @system: how many of these are in the kernel
 */
struct counts {
	struct result_part *parts;
	size_t nr;
	size_t nr_sorted;
	struct slots slots;
	uint64_t samples;
	uint64_t system;
};

/**
 * counts_add - add samples
 * @part:   samples of a thread at an address
 *
 * Return: 0 or -ENOMEM.
 */
int counts_add(struct counts *counts, const struct result_part *part);

/**
 * counts_add_at - add samples at another address
 * @address: takes the place of that of @part
 *
 * Return: 0 or -ENOMEM.
 */
int counts_add_at(struct counts *counts, uint64_t address, const struct result_part *part);

/**
 * counts_add_outside - add samples that are outside all objects, at the address 0
 * @parts:  the samples; their addresses are of no importance
 *
 * Return: 0 or -ENOMEM.
 */
int counts_add_outside(struct counts *counts, const struct result_part *parts, size_t nr);

/* Add the samples of another table. Return: 0 or -ENOMEM. */
int counts_add_all(struct counts *counts, const struct counts *from);

/*
 * Put the parts into the order of results. Only parts that have been added since the last call are
 * sorted, and merged with the others. Return: 0; -ENOMEM: nothing is done.
 */
int counts_sort(struct counts *counts);

/* The parts, which are sorted, have been folded (fold.h). */
void counts_refresh(struct counts *counts);

/* Free the memory. */
void counts_release(struct counts *counts);

#endif /* PROFIL_COUNTS_H */
