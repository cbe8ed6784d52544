// SPDX-License-Identifier: GPL-2.0-only
/*
 * Named ranges of addresses, in an array sorted by start. Ranges may lie in one
 * another: each knows the nearest one before it that reaches over its start
 * (@outer), so that the innermost one that covers an address is found by a
 * binary search and a walk along outer ones.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "extents.h"

#define NO_OUTER	SIZE_MAX

int extents_add(struct extents *set, const struct extent *new)
{
	if (new->start >= new->end)
		return 0;
	if (set->nr == set->allocated) {
		size_t allocated = set->allocated ? 2 * set->allocated : 64;
		struct extent *extent;

		extent = reallocarray(set->extent, allocated, sizeof(*extent));
		if (!extent)
			return -ENOMEM;
		set->extent = extent;
		set->allocated = allocated;
	}
	set->extent[set->nr++] = *new;
	return 0;
}

static int underscores(const struct extent *extent)
{
	int nr = 0;

	while (nr < extent->length && extent->name[nr] == '_')
		nr++;
	return nr;
}

static int old_version(const struct extent *extent)
{
	return memchr(extent->name, '@', (size_t)extent->length) != NULL;
}

/* Less than 0 if the name of @a is the better one. */
static int compare_names(const struct extent *a, const struct extent *b)
{
	if (!a->name || !b->name)
		return !a->name - !b->name;
	if (a->local != b->local)
		return a->local - b->local;
	if (old_version(a) != old_version(b))
		return old_version(a) - old_version(b);
	if (underscores(a) != underscores(b))
		return underscores(a) - underscores(b);
	if (a->length != b->length)
		return a->length - b->length;
	return memcmp(a->name, b->name, (size_t)a->length);
}

static int compare(const void *va, const void *vb)
{
	const struct extent *a = va, *b = vb;

	int order;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	order = compare_names(a, b);
	if (order)
		return order;
	return a->number < b->number ? -1 : a->number > b->number;
}

static void merge_aliases(struct extents *set)
{
	size_t from, to = 0;

	for (from = 0; from < set->nr; from++) {
		const struct extent *next = &set->extent[from];
		struct extent *last = to ? &set->extent[to - 1] : NULL;

		if (!last || last->start != next->start)
			set->extent[to++] = *next;
		else if (last->end < next->end)
			last->end = next->end;
	}
	set->nr = to;
}

static void link_outer(struct extents *set)
{
	size_t outer = NO_OUTER, i;

	for (i = 0; i < set->nr; i++) {
		struct extent *extent = &set->extent[i];

		/* what ended here covers nothing that comes later */
		while (outer != NO_OUTER &&
		       set->extent[outer].end <= extent->start)
			outer = set->extent[outer].outer;
		extent->outer = outer;
		outer = i;
	}
}

void extents_finish(struct extents *set)
{
	if (!set->nr)
		return;
	qsort(set->extent, set->nr, sizeof(*set->extent), compare);
	merge_aliases(set);
	link_outer(set);
}

/* How many start at or below an address. */
static size_t count_below(const struct extents *set, uint64_t address)
{
	size_t low = 0, high = set->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (set->extent[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct extent *extents_below(const struct extents *set, uint64_t address)
{
	size_t below = count_below(set, address);

	return below ? &set->extent[below - 1] : NULL;
}

const struct extent *extents_above(const struct extents *set, uint64_t address)
{
	size_t below = count_below(set, address);

	return below < set->nr ? &set->extent[below] : NULL;
}

const struct extent *extents_covering(const struct extents *set,
				      uint64_t address)
{
	const struct extent *extent = extents_below(set, address);

	while (extent && extent->end <= address)
		extent = extent->outer == NO_OUTER ?
			 NULL : &set->extent[extent->outer];
	return extent;
}

void extents_release(struct extents *set)
{
	free(set->extent);
	memset(set, 0, sizeof(*set));
}
