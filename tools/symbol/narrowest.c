// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the narrowest of overlapping intervals. All starts and ends cut the addresses into pieces.
 * The intervals take the pieces that they contain and that are still free, the narrowest interval
 * first. Pieces that were taken are skipped by links, which are shortened on the way, so that
 * the total time is almost linear even if all intervals overlap.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/narrowest.h"
#include "util/array.h"

#define NONE	SIZE_MAX

struct narrowest_interval {
	uint64_t start;
	uint64_t end;
	size_t owner;
};

/* From @start to the start of the next piece */
struct narrowest_piece {
	uint64_t start;
	size_t owner;	/* NONE: in no interval */
};

int narrowest_add(struct narrowest *set, uint64_t start, uint64_t end, size_t owner)
{
	struct narrowest_interval *interval;

	if (start >= end)
		return 0;
	interval = array_append(set->intervals, set->nr);
	if (!interval)
		return -ENOMEM;
	*interval = (struct narrowest_interval){ start, end, owner };
	return 0;
}

static int compare_intervals(const void *va, const void *vb)
{
	const struct narrowest_interval *a = va, *b = vb;
	const uint64_t a_length = a->end - a->start, b_length = b->end - b->start;

	if (a_length != b_length)
		return a_length < b_length ? -1 : 1;
	return a->owner > b->owner ? -1 : a->owner < b->owner;
}

static int compare_pieces(const void *va, const void *vb)
{
	const struct narrowest_piece *a = va, *b = vb;

	return a->start < b->start ? -1 : a->start > b->start;
}

/* Cut the addresses at all starts and ends. Return: 0 or -ENOMEM. */
static int make_pieces(struct narrowest *set)
{
	size_t i, last = 0;

	set->pieces = calloc(2 * set->nr + 1, sizeof(*set->pieces));
	if (!set->pieces)
		return -ENOMEM;
	if (!set->nr)
		return 0;
	for (i = 0; i < set->nr; i++) {
		set->pieces[2 * i] = (struct narrowest_piece){ set->intervals[i].start, NONE };
		set->pieces[2 * i + 1] = (struct narrowest_piece){ set->intervals[i].end, NONE };
	}
	qsort(set->pieces, 2 * set->nr, sizeof(*set->pieces), compare_pieces);
	for (i = 1; i < 2 * set->nr; i++)
		if (set->pieces[i].start != set->pieces[last].start)
			set->pieces[++last] = set->pieces[i];
	set->nr_pieces = last + 1;
	return 0;
}

/* Return: the index of the last piece that starts at or below @address; NONE: there is none. */
static size_t find_piece(const struct narrowest *set, uint64_t address)
{
	const size_t low = array_first_not(set->nr_pieces, i, set->pieces[i].start <= address);

	return low ? low - 1 : NONE;
}

/* Return: the first free piece at or after @i. Links that were followed are shortened. */
static size_t find_free(size_t *next, size_t i)
{
	while (next[i] != i) {
		next[i] = next[next[i]];
		i = next[i];
	}
	return i;
}

/* @next: by piece: itself if it is free, else a later one. The last is the end of all intervals. */
static void take_pieces(struct narrowest *set, size_t *next)
{
	size_t i, piece;

	qsort(set->intervals, set->nr, sizeof(*set->intervals), compare_intervals);
	for (i = 0; i < set->nr; i++) {
		const struct narrowest_interval *interval = &set->intervals[i];

		piece = find_free(next, find_piece(set, interval->start));
		while (set->pieces[piece].start < interval->end) {
			set->pieces[piece].owner = interval->owner;
			next[piece] = piece + 1;
			piece = find_free(next, piece);
		}
	}
}

int narrowest_finish(struct narrowest *set)
{
	size_t *next, i;

	if (make_pieces(set))
		return -ENOMEM;
	next = calloc(set->nr_pieces + 1, sizeof(*next));
	if (!next)
		return -ENOMEM;
	for (i = 0; i < set->nr_pieces; i++)
		next[i] = i;
	if (set->nr)
		take_pieces(set, next);
	free(next);
	free(set->intervals);
	set->intervals = NULL;
	set->nr = 0;
	return 0;
}

bool narrowest_find(const struct narrowest *set, uint64_t address, size_t *owner)
{
	const size_t piece = find_piece(set, address);

	if (piece == NONE || set->pieces[piece].owner == NONE)
		return false;
	*owner = set->pieces[piece].owner;
	return true;
}

void narrowest_release(struct narrowest *set)
{
	free(set->intervals);
	free(set->pieces);
	memset(set, 0, sizeof(*set));
}
