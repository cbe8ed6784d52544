/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the narrowest of overlapping intervals. They are used for functions with the code that was
 * inlined into them. (ranges.h finds the one that starts last.)
 */
#ifndef PROFIL_NARROWEST_H
#define PROFIL_NARROWEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct narrowest_interval;
struct narrowest_piece;

/**
 * struct narrowest - a set of intervals
 * @intervals: those that were added; freed by narrowest_finish()
 * @nr:        number of intervals
 * @pieces:    set by narrowest_finish(): the narrowest intervals from each address to the next
 * @nr_pieces: number of pieces
 */
struct narrowest {
	struct narrowest_interval *intervals;
	size_t nr;
	struct narrowest_piece *pieces;
	size_t nr_pieces;
};

/**
 * narrowest_add - add an interval
 * @set:   the set; zeroed before the first call
 * @end:   end of the interval (exclusive); an empty one is ignored
 * @owner: is found by the addresses
 *
 * Return: 0 or -ENOMEM.
 */
int narrowest_add(struct narrowest *set, uint64_t start, uint64_t end, size_t owner);

/**
 * narrowest_finish - prepare a set for searches
 * @set: a set to which all intervals were added
 *
 * The time is that of sorting, however the intervals overlap.
 *
 * Return: 0 or -ENOMEM.
 */
int narrowest_finish(struct narrowest *set);

/**
 * narrowest_find - find the narrowest interval that contains an address
 * @owner:   set to its owner; of several intervals of the same length, to the highest owner
 *
 * Return: whether there is one.
 */
bool narrowest_find(const struct narrowest *set, uint64_t address, size_t *owner);

/* Free the memory of a set. */
void narrowest_release(struct narrowest *set);

#endif /* PROFIL_NARROWEST_H */
