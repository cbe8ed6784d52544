// SPDX-License-Identifier: GPL-2.0-only
/*
 * The addresses that have samples. Each sample is looked up here, so this is a hash table like
 * counts.c: multiplicative, with linear probing; at least a third of the slots is unused.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "top/places.h"

#define FIRST_BITS	10
#define MOST_BITS	31	/* indexes have 32 bits */

static size_t nr_slots(const struct places *places)
{
	return places->slots ? (size_t)1 << places->bits : 0;
}

/* Return: the slot of an address, or the unused one that it can have. */
static uint32_t *find_slot(const struct places *places, const struct names_address *at)
{
	const size_t mask = nr_slots(places) - 1;
	const uint64_t key = at->address ^ at->file << 44;
	size_t i = (size_t)(key * 0x9e3779b97f4a7c15 >> (64 - places->bits));

	for (;; i = (i + 1) & mask) {
		const uint32_t slot = places->slots[i];
		const struct names_address *other = slot ? &places->list[slot - 1].at : NULL;

		if (!other || (other->address == at->address && other->file == at->file))
			return &places->slots[i];
	}
}

static int grow(struct places *places)
{
	const unsigned int bits = places->slots ? places->bits + 1 : FIRST_BITS;
	struct place *list;
	uint32_t *slots;
	size_t i;

	if (bits > MOST_BITS)
		return -1;
	slots = calloc((size_t)1 << bits, sizeof(*slots));
	list = reallocarray(places->list, ((size_t)1 << bits) / 3 * 2, sizeof(*list));
	if (list)
		places->list = list;
	if (!slots || !list) {
		free(slots);
		return -1;
	}
	free(places->slots);
	places->slots = slots;
	places->bits = bits;
	for (i = 0; i < places->nr; i++)
		*find_slot(places, &places->list[i].at) = (uint32_t)(i + 1);
	return 0;
}

struct place *places_find(struct places *places, const struct names_address *at)
{
	uint32_t *slot;

	if (places->nr >= nr_slots(places) / 3 * 2 && grow(places))
		return NULL;
	slot = find_slot(places, at);
	if (!*slot) {
		places->list[places->nr] = (struct place){ .at = *at };
		*slot = (uint32_t)++places->nr;
	}
	return &places->list[*slot - 1];
}

void places_release(struct places *places)
{
	free(places->slots);
	free(places->list);
	memset(places, 0, sizeof(*places));
}
