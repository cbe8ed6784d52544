// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples by address and thread.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record/counts.h"

/* Return: the slot of an address and a thread, or the unused one that they can have. */
static uint32_t *find_slot(const struct counts *counts, const struct result_part *part)
{
	return slots_find(&counts->slots, part->address ^ (uint64_t)part->thread << 40, i,
			  !result_compare_parts(&counts->parts[i], part));
}

int counts_add(struct counts *counts, const struct result_part *part)
{
	struct result_part *sum;
	uint32_t *slot;

	if (!slots_make_room(&counts->slots, counts->parts, counts->nr, i,
			     find_slot(counts, &counts->parts[i])))
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
	memset(counts->slots.slots, 0, sizeof(*counts->slots.slots) << counts->slots.bits);
	slots_fill(counts->nr, k, find_slot(counts, &counts->parts[k]));
	return 0;
}

void counts_refresh(struct counts *counts)
{
	size_t i;

	counts->samples = counts->system = 0;
	for (i = 0; i < counts->nr; i++) {
		counts->samples += counts->parts[i].samples;
		counts->system += counts->parts[i].system;
	}
	counts->nr_sorted = counts->nr;
	if (!counts->slots.slots)
		return;
	memset(counts->slots.slots, 0, sizeof(*counts->slots.slots) << counts->slots.bits);
	slots_fill(counts->nr, k, find_slot(counts, &counts->parts[k]));
}

void counts_release(struct counts *counts)
{
	free(counts->slots.slots);
	free(counts->parts);
	memset(counts, 0, sizeof(*counts));
}
