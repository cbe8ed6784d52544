// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples by address. The slots of a hash table are indexes of an array of counts. Hashing is
 * multiplicative, with linear probing; at least a third of the slots is unused.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record/counts.h"

#define FIRST_BITS	6
#define MOST_BITS	31	/* indexes have 32 bits */

static size_t nr_slots(const struct counts *counts)
{
	return counts->slots ? (size_t)1 << counts->bits : 0;
}

static size_t most_counts(const struct counts *counts)
{
	return nr_slots(counts) / 3 * 2;
}

/* Return: the slot of an address, or the unused one that it can have. */
static uint32_t *find_slot(const struct counts *counts, uint64_t address)
{
	const size_t mask = nr_slots(counts) - 1;
	/* 2^64 divided by the golden ratio: neighbours get distant slots */
	size_t i = (size_t)(address * 0x9e3779b97f4a7c15 >> (64 - counts->bits));

	while (counts->slots[i] && counts->counts[counts->slots[i] - 1].address != address)
		i = (i + 1) & mask;
	return &counts->slots[i];
}

/* Fill the slots, which are unused. */
static void fill_slots(struct counts *counts)
{
	size_t i;

	for (i = 0; i < counts->nr; i++)
		*find_slot(counts, counts->counts[i].address) = (uint32_t)(i + 1);
}

static int grow(struct counts *counts)
{
	struct counts larger = *counts;

	larger.bits = counts->slots ? counts->bits + 1 : FIRST_BITS;
	if (larger.bits > MOST_BITS)
		return -ENOMEM;
	larger.slots = calloc((size_t)1 << larger.bits, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	larger.counts = reallocarray(counts->counts, most_counts(&larger), sizeof(*larger.counts));
	if (!larger.counts) {
		free(larger.slots);
		return -ENOMEM;
	}
	fill_slots(&larger);
	free(counts->slots);
	*counts = larger;
	return 0;
}

int counts_add(struct counts *counts, uint64_t address, uint64_t samples)
{
	uint32_t *slot;

	if (counts->nr >= most_counts(counts) && grow(counts))
		return -ENOMEM;
	slot = find_slot(counts, address);
	if (!*slot) {
		counts->counts[counts->nr] = (struct result_count){ .address = address };
		*slot = (uint32_t)++counts->nr;
	}
	counts->counts[*slot - 1].samples += samples;
	counts->samples += samples;
	return 0;
}

static int compare_addresses(const void *va, const void *vb)
{
	const struct result_count *a = va, *b = vb;

	return a->address < b->address ? -1 : a->address > b->address;
}

/* Merge sorted counts into the sorted ones at the start, from the end. */
static void merge(struct counts *counts, const struct result_count *more, size_t nr_more)
{
	struct result_count *to = counts->counts + counts->nr;
	size_t left = counts->nr_sorted;

	while (nr_more)
		*--to = left && counts->counts[left - 1].address > more[nr_more - 1].address ?
			counts->counts[--left] : more[--nr_more];
	counts->nr_sorted = counts->nr;
}

void counts_sort(struct counts *counts)
{
	const size_t nr_more = counts->nr - counts->nr_sorted;
	struct result_count *more;

	if (!nr_more)
		return;
	more = calloc(nr_more, sizeof(*more));
	if (!more)
		return;
	memcpy(more, counts->counts + counts->nr_sorted, nr_more * sizeof(*more));
	qsort(more, nr_more, sizeof(*more), compare_addresses);
	merge(counts, more, nr_more);
	free(more);
	memset(counts->slots, 0, nr_slots(counts) * sizeof(*counts->slots));
	fill_slots(counts);
}

void counts_copy(const struct counts *counts, struct result_count *to)
{
	if (counts->nr)
		memcpy(to, counts->counts, counts->nr * sizeof(*to));
}

void counts_release(struct counts *counts)
{
	free(counts->slots);
	free(counts->counts);
	memset(counts, 0, sizeof(*counts));
}
