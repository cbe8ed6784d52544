// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples by address and thread. The slots of a hash table are indexes of an array of parts.
 * Hashing is multiplicative, with linear probing; at least a third of the slots is unused.
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

static size_t most_parts(const struct counts *counts)
{
	return nr_slots(counts) / 3 * 2;
}

/* Return: the slot of an address and a thread, or the unused one that they can have. */
static uint32_t *find_slot(const struct counts *counts, const struct result_part *part)
{
	const size_t mask = nr_slots(counts) - 1;
	const uint64_t key = part->address ^ (uint64_t)part->thread << 40;
	/* 2^64 divided by the golden ratio: neighbours get distant slots */
	size_t i = (size_t)(key * 0x9e3779b97f4a7c15 >> (64 - counts->bits));

	while (counts->slots[i] && result_compare_parts(&counts->parts[counts->slots[i] - 1], part))
		i = (i + 1) & mask;
	return &counts->slots[i];
}

/* Fill the slots, which are unused. */
static void fill_slots(struct counts *counts)
{
	size_t i;

	for (i = 0; i < counts->nr; i++)
		*find_slot(counts, &counts->parts[i]) = (uint32_t)(i + 1);
}

static int grow(struct counts *counts)
{
	const unsigned int bits = counts->slots ? counts->bits + 1 : FIRST_BITS;
	struct result_part *parts;
	uint32_t *slots;

	if (bits > MOST_BITS)
		return -ENOMEM;
	slots = calloc((size_t)1 << bits, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	parts = reallocarray(counts->parts, ((size_t)1 << bits) / 3 * 2, sizeof(*parts));
	if (!parts) {
		free(slots);
		return -ENOMEM;
	}
	free(counts->slots);
	counts->slots = slots;
	counts->parts = parts;
	counts->bits = bits;
	fill_slots(counts);
	return 0;
}

int counts_add(struct counts *counts, const struct result_part *part)
{
	struct result_part *sum;
	uint32_t *slot;

	if (counts->nr >= most_parts(counts) && grow(counts))
		return -ENOMEM;
	slot = find_slot(counts, part);
	if (!*slot) {
		counts->parts[counts->nr] = (struct result_part){
			.address = part->address, .thread = part->thread,
		};
		*slot = (uint32_t)++counts->nr;
	}
	sum = &counts->parts[*slot - 1];
	sum->samples += part->samples;
	sum->system += part->system;
	counts->samples += part->samples;
	counts->system += part->system;
	return 0;
}

int counts_add_at(struct counts *counts, uint64_t address, const struct result_part *part)
{
	struct result_part at = *part;

	at.address = address;
	return counts_add(counts, &at);
}

int counts_add_outside(struct counts *counts, const struct result_part *parts, size_t nr)
{
	int error = 0;
	size_t i;

	for (i = 0; !error && i < nr; i++)
		error = counts_add_at(counts, 0, &parts[i]);
	return error;
}

int counts_add_all(struct counts *counts, const struct counts *from)
{
	int error = 0;
	size_t i;

	for (i = 0; !error && i < from->nr; i++)
		error = counts_add(counts, &from->parts[i]);
	return error;
}

static int compare_parts(const void *a, const void *b)
{
	return result_compare_parts(a, b);
}

/* Merge sorted parts into the sorted ones at the start, from the end. */
static void merge(struct counts *counts, const struct result_part *more, size_t nr_more)
{
	struct result_part *to = counts->parts + counts->nr;
	size_t left = counts->nr_sorted;

	while (nr_more)
		*--to = left && compare_parts(&counts->parts[left - 1], &more[nr_more - 1]) > 0 ?
			counts->parts[--left] : more[--nr_more];
	counts->nr_sorted = counts->nr;
}

int counts_sort(struct counts *counts)
{
	const size_t nr_more = counts->nr - counts->nr_sorted;
	struct result_part *more;

	if (!nr_more)
		return 0;
	more = calloc(nr_more, sizeof(*more));
	if (!more)
		return -ENOMEM;
	memcpy(more, counts->parts + counts->nr_sorted, nr_more * sizeof(*more));
	qsort(more, nr_more, sizeof(*more), compare_parts);
	merge(counts, more, nr_more);
	free(more);
	memset(counts->slots, 0, nr_slots(counts) * sizeof(*counts->slots));
	fill_slots(counts);
	return 0;
}

void counts_release(struct counts *counts)
{
	free(counts->slots);
	free(counts->parts);
	memset(counts, 0, sizeof(*counts));
}
