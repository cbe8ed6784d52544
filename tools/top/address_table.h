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

/**
 * struct counted_address - an address with samples
 * @row:     its row; until its function is known, that of its file
 * @samples: those that were counted until then
 * @system:  how many of these are in the kernel
 * @recent:  what they have added to @row->recent
 */
struct counted_address {
	struct named_address at;
	struct row *row;
	uint64_t samples;
	uint64_t system;
	double recent;
};

/**
 * struct address_table - all addresses with samples; all zero if empty
 * @list:  in the order of their first samples
 * @slots: of @list
 */
struct address_table {
	struct counted_address *list;
	size_t nr;
	struct slots slots;
};

/*
 * Find an address, or add it. Return: its place, valid until the next call, whose row is NULL if it
 * is new; NULL: no memory.
 */
struct counted_address *address_table_find(struct address_table *table, const struct named_address *at);

/* Free the memory. */
void address_table_release(struct address_table *table);

#endif /* PROFIL_ADDRESS_TABLE_H */
