// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples by address. Hashing is multiplicative, with linear probing; at least a third of the
 * slots is unused.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record/counts.h"

#define FIRST_BITS	6

static size_t nr_slots(const struct counts *counts)
{
	return counts->slots ? (size_t)1 << counts->bits : 0;
}

/* Return: the slot of an address, or the unused one that it can have. */
static struct result_count *find_slot(const struct counts *counts, uint64_t address)
{
	const size_t mask = nr_slots(counts) - 1;
	/* 2^64 divided by the golden ratio: neighbours get distant slots */
	size_t i = (size_t)(address * 0x9e3779b97f4a7c15 >> (64 - counts->bits));

	while (counts->slots[i].samples && counts->slots[i].address != address)
		i = (i + 1) & mask;
	return &counts->slots[i];
}

static int grow(struct counts *counts)
{
	struct counts larger = {
		.bits = counts->slots ? counts->bits + 1 : FIRST_BITS,
		.nr = counts->nr,
		.samples = counts->samples,
	};
	size_t i;

	larger.slots = calloc((size_t)1 << larger.bits, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	for (i = 0; i < nr_slots(counts); i++)
		if (counts->slots[i].samples)
			*find_slot(&larger, counts->slots[i].address) = counts->slots[i];
	free(counts->slots);
	*counts = larger;
	return 0;
}

int counts_add(struct counts *counts, uint64_t address, uint32_t samples)
{
	struct result_count *slot;

	if (counts->nr >= nr_slots(counts) / 3 * 2 && grow(counts))
		return -ENOMEM;
	slot = find_slot(counts, address);
	counts->nr += !slot->samples;
	slot->address = address;
	slot->samples += samples;
	counts->samples += samples;
	return 0;
}

void counts_copy(const struct counts *counts, struct result_count *to)
{
	size_t i;

	for (i = 0; i < nr_slots(counts); i++)
		if (counts->slots[i].samples)
			*to++ = counts->slots[i];
}

void counts_release(struct counts *counts)
{
	free(counts->slots);
	memset(counts, 0, sizeof(*counts));
}
