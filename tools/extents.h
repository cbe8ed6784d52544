/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Named ranges of addresses, and the questions that attribution asks of them.
 * Nothing in here knows where the ranges come from.
 */
#ifndef PROFIL_EXTENTS_H
#define PROFIL_EXTENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct extent - what one name stands for
 * @start:  first address
 * @end:    first address behind it
 * @name:   not ended by a 0; NULL if it has none. Stays the caller's
 * @length: of @name in bytes
 * @local:  the name is known in its own source file only
 * @number: the caller's
 * @outer:  private to extents.c
 */
struct extent {
	uint64_t start;
	uint64_t end;
	const char *name;
	int length;
	bool local;
	uint64_t number;
	size_t outer;
};

/**
 * struct extents - a set of extents
 * @extent:    after extents_finish(): sorted by start, no two with the same
 * @nr:        number of them
 * @allocated: room in @extent
 */
struct extents {
	struct extent *extent;
	size_t nr;
	size_t allocated;
};

/**
 * extents_add - add one
 * @set: zeroed before the first
 * @new: copied; an empty one is left out
 *
 * Return: 0 or -ENOMEM.
 */
int extents_add(struct extents *set, const struct extent *new);

/**
 * extents_finish - make a set ready for questions
 * @set: all extents are added
 *
 * Of several with the same start one is left, as long as the longest, with the
 * name that a programmer would know it by: not a local one, not a version that
 * is no longer the default, few leading underscores, short; and the lowest number.
 */
void extents_finish(struct extents *set);

/**
 * extents_covering - the innermost extent that an address lies in
 * @set:     finished
 * @address: in question
 *
 * Return: the one with the highest start, or NULL.
 */
const struct extent *extents_covering(const struct extents *set,
				      uint64_t address);

/**
 * extents_below - the last extent that starts at or below an address
 * @set:     finished
 * @address: in question, covered by it or not
 *
 * Return: the extent or NULL.
 */
const struct extent *extents_below(const struct extents *set,
				   uint64_t address);

/**
 * extents_above - the first extent that starts above an address
 * @set:     finished
 * @address: in question
 *
 * Return: the extent or NULL.
 */
const struct extent *extents_above(const struct extents *set,
				   uint64_t address);

/**
 * extents_release - free a set's memory
 * @set: zero afterwards
 */
void extents_release(struct extents *set);

#endif /* PROFIL_EXTENTS_H */
