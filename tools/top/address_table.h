/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The addresses that have samples, and the row that each belongs to: a hash table.
 */
#ifndef PROFIL_ADDRESS_TABLE_H
#define PROFIL_ADDRESS_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "top/name_reader.h"
#include "top/rows.h"
#include "util/slots.h"

/* An address with samples */
struct counted_address {
	struct named_address at;
	struct row *row;	/* its row; until its function is known, that of its file */
	uint64_t samples;	/* those that were counted until then */
	uint64_t system;	/* how many of these are in the kernel */
	double recent;		/* what they have added to @row->recent */
};

/* All addresses with samples; all zero if empty */
struct address_table {
	struct counted_address *list;	/* in the order of their first samples */
	size_t nr;
	struct slots slots;		/* of @list */
};

/*
 * Find an address, or add it. Return: its place, valid until the next call, whose row is NULL if it
 * is new; NULL: no memory.
 */
struct counted_address *address_table_find(struct address_table *table, const struct named_address *at);

/* Free the memory. */
void address_table_release(struct address_table *table);

#endif /* PROFIL_ADDRESS_TABLE_H */
