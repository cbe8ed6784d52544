// SPDX-License-Identifier: GPL-2.0-only
/*
 * The addresses that have samples. Each sample is looked up here, so this is a hash table like
 * counts.c: multiplicative, with linear probing; at least a third of the slots is unused.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "top/address_table.h"

#define FIRST_BITS	10
#define MOST_BITS	31	/* indexes have 32 bits */

static size_t nr_slots(const struct address_table *table)
{
	return table->slots ? (size_t)1 << table->bits : 0;
}

/* Return: the slot of an address, or the unused one that it can have. */
static uint32_t *find_slot(const struct address_table *table, const struct named_address *at)
{
	const size_t mask = nr_slots(table) - 1;
	const uint64_t key = at->address ^ at->file << 44;
	size_t i = (size_t)(key * 0x9e3779b97f4a7c15 >> (64 - table->bits));

	for (;; i = (i + 1) & mask) {
		const uint32_t slot = table->slots[i];
		const struct named_address *other = slot ? &table->list[slot - 1].at : NULL;

		if (!other || (other->address == at->address && other->file == at->file))
			return &table->slots[i];
	}
}

static int grow(struct address_table *table)
{
	const unsigned int bits = table->slots ? table->bits + 1 : FIRST_BITS;
	struct counted_address *list;
	uint32_t *slots;
	size_t i;

	if (bits > MOST_BITS)
		return -1;
	slots = calloc((size_t)1 << bits, sizeof(*slots));
	list = reallocarray(table->list, ((size_t)1 << bits) / 3 * 2, sizeof(*list));
	if (list)
		table->list = list;
	if (!slots || !list) {
		free(slots);
		return -1;
	}
	free(table->slots);
	table->slots = slots;
	table->bits = bits;
	for (i = 0; i < table->nr; i++)
		*find_slot(table, &table->list[i].at) = (uint32_t)(i + 1);
	return 0;
}

struct counted_address *address_table_find(struct address_table *table, const struct named_address *at)
{
	uint32_t *slot;

	if (table->nr >= nr_slots(table) / 3 * 2 && grow(table))
		return NULL;
	slot = find_slot(table, at);
	if (!*slot) {
		table->list[table->nr] = (struct counted_address){ .at = *at };
		*slot = (uint32_t)++table->nr;
	}
	return &table->list[*slot - 1];
}

void address_table_release(struct address_table *table)
{
	free(table->slots);
	free(table->list);
	memset(table, 0, sizeof(*table));
}
