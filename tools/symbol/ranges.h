/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Named ranges of addresses, and the questions that symbolized asks of them.
 * Nothing in here knows where the ranges come from.
 */
#ifndef PROFIL_RANGES_H
#define PROFIL_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct range - what one name stands for
 * @start:  first address
 * @end:    first address behind it
 * @name:   not ended by a 0; NULL if it has none. Stays the caller's
 * @length: of @name in bytes
 * @local:  the name is known in its own source file only
 * @number: the caller's
 * @outer:  private to ranges.c
 */
struct range {
	uint64_t start;
	uint64_t end;
	const char *name;
	int length;
	bool local;
	uint64_t number;
	size_t outer;
};

/**
 * struct ranges - a set of ranges
 * @range:    after ranges_finish(): sorted by start, no two with the same
 * @nr:        number of them
 * @allocated: room in @range
 */
struct ranges {
	struct range *range;
	size_t nr;
	size_t allocated;
};

/**
 * ranges_add - add one
 * @set: zeroed before the first
 * @new: copied; an empty one is left out
 *
 * Return: 0 or -ENOMEM.
 */
int ranges_add(struct ranges *set, const struct range *new);

/**
 * ranges_finish - make a set ready for questions
 * @set: all ranges are added
 *
 * Of several with the same start one is left, as long as the longest, with the
 * name that a programmer would know it by: not a local one, not a version that
 * is no longer the default, few leading underscores, short; and the lowest number.
 */
void ranges_finish(struct ranges *set);

/**
 * ranges_covering - the innermost range that an address lies in
 * @set:     finished
 * @address: in question
 *
 * Return: the one with the highest start, or NULL.
 */
const struct range *ranges_covering(const struct ranges *set,
				      uint64_t address);

/**
 * ranges_below - the last range that starts at or below an address
 * @set:     finished
 * @address: in question, covered by it or not
 *
 * Return: the range or NULL.
 */
const struct range *ranges_below(const struct ranges *set,
				   uint64_t address);

/**
 * ranges_above - the first range that starts above an address
 * @set:     finished
 * @address: in question
 *
 * Return: the range or NULL.
 */
const struct range *ranges_above(const struct ranges *set,
				   uint64_t address);

/**
 * ranges_release - free a set's memory
 * @set: zero afterwards
 */
void ranges_release(struct ranges *set);

#endif /* PROFIL_RANGES_H */
