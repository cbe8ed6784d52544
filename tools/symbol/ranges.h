/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sorted ranges of addresses with names, and searches in them. They are used for symbols, unwind
 * information and compilation units.
 */
#ifndef PROFIL_RANGES_H
#define PROFIL_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct range - a range of addresses
 * @end:    end of the range (exclusive)
 * @name:   its name, not terminated by a 0, owned by the caller; NULL: none
 * @length: length of @name in bytes
 * @local:  the name is local to its source file
 * @weak:   another symbol with the name would take its place
 * @rank:   of several ranges with one start, the lowest has the better name
 * @number: for use by the caller
 * @outer, @jump, @depth: private to ranges.c
 */
struct range {
	uint64_t start;
	uint64_t end;
	const char *name;
	int length;
	bool local;
	bool weak;
	uint8_t rank;
	uint64_t number;
	uint32_t outer;
	uint32_t jump;
	uint32_t depth;
};

/**
 * struct ranges - a set of ranges
 * @range:     the ranges; after ranges_finish(), sorted by start, without equal starts
 * @is_sorted: private to ranges.c
 * @joined:    names that belong to the set: those that ranges_join() made
 */
struct ranges {
	struct range *range;
	size_t nr;
	bool is_sorted;
	char **joined;
	size_t nr_joined;
};

/**
 * ranges_add - add a range
 * @set: the set; zeroed before the first call
 * @new: is copied; empty ranges are ignored
 *
 * Return: 0 or -ENOMEM.
 */
int ranges_add(struct ranges *set, const struct range *new);

/**
 * ranges_finish - prepare a set for searches
 * @set: a set to which all ranges were added
 *
 * Ranges with the same start are merged. The result has the end of the longest one, the lowest
 * rank, and the best name: preferably not local, of a low rank, not of an old symbol version,
 * with few leading underscores, and short; among equal names, the one with the lowest number.
 */
void ranges_finish(struct ranges *set);

/*
 * Join the names of functions with one start, of the lowest rank (folded.h): a linker has folded
 * identical code (--icf), and all of its names are true. The best name is the first. Names that say
 * the same stay one: aliases, which differ by underscores, by what follows a dot, by the number of
 * a constructor; and in C also by a version or 64 at the end, or are weak or reserved. Call it
 * before ranges_finish(). Return: 0 or -ENOMEM.
 */
int ranges_join(struct ranges *set);

/*
 * Find the innermost range that contains an address, in the time of a binary search however deeply the
 * ranges are nested. Return: of all ranges that contain it, the one with the highest start; or NULL.
 */
const struct range *ranges_covering(const struct ranges *set, uint64_t address);

/**
 * ranges_below - find the last range that starts at or below an address
 * @address: the address, which the range need not contain
 *
 * Return: the range or NULL.
 */
const struct range *ranges_below(const struct ranges *set, uint64_t address);

/* Find the first range that starts above an address. Return: the range or NULL. */
const struct range *ranges_above(const struct ranges *set, uint64_t address);

/* Free the memory of a set. */
void ranges_release(struct ranges *set);

#endif /* PROFIL_RANGES_H */
