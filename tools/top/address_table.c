// SPDX-License-Identifier: GPL-2.0-only
/*
 * The addresses that have samples. Each sample is looked up here.
 */
#include <stdlib.h>
#include <string.h>

#include "top/address_table.h"

static uint32_t *find_slot(const struct address_table *table, const struct named_address *at)
{
	return slots_find(&table->slots, at->address ^ at->file << 44, i,
			  table->list[i].at.address == at->address &&
			  table->list[i].at.file == at->file);
}

struct counted_address *address_table_find(struct address_table *table,
					   const struct named_address *at)
{
	uint32_t *slot;

	if (!slots_make_room(&table->slots, table->list, table->nr, i,
			     find_slot(table, &table->list[i].at)))
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
	free(table->slots.slots);
	free(table->list);
	memset(table, 0, sizeof(*table));
}
