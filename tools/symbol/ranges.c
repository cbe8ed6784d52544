// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sorted ranges of addresses with names. Ranges may overlap or contain each other. Each one has
 * the index of the last range before it that contains its start (@outer), so the innermost range
 * that contains an address is found by a binary search and a walk along @outer.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/ranges.h"
#include "util/array.h"

#define NO_OUTER	SIZE_MAX

int ranges_add(struct ranges *set, const struct range *new)
{
	struct range *range;

	if (new->start >= new->end)
		return 0;
	range = array_append(set->range, set->nr);
	if (!range)
		return -ENOMEM;
	*range = *new;
	return 0;
}

static int underscores(const struct range *range)
{
	int nr = 0;

	while (nr < range->length && range->name[nr] == '_')
		nr++;
	return nr;
}

static int old_version(const struct range *range)
{
	return memchr(range->name, '@', (size_t)range->length) != NULL;
}

/* Return: less than 0 if @a has the better name (ranges_finish()). */
static int compare_names(const struct range *a, const struct range *b)
{
	if (!a->name || !b->name)
		return !a->name - !b->name;
	if (a->local != b->local)
		return a->local - b->local;
	if (a->rank != b->rank)
		return a->rank - b->rank;
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
	const struct range *a = va, *b = vb;
	int order;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	order = compare_names(a, b);
	if (order)
		return order;
	return a->number < b->number ? -1 : a->number > b->number;
}

static void merge_aliases(struct ranges *set)
{
	size_t from, to = 0;

	for (from = 0; from < set->nr; from++) {
		const struct range *next = &set->range[from];
		struct range *last = to ? &set->range[to - 1] : NULL;

		if (!last || last->start != next->start) {
			set->range[to++] = *next;
			continue;
		}
		if (last->end < next->end)
			last->end = next->end;
		if (last->rank > next->rank)
			last->rank = next->rank;
	}
	set->nr = to;
}

static void link_outer(struct ranges *set)
{
	size_t outer = NO_OUTER, i;

	for (i = 0; i < set->nr; i++) {
		struct range *range = &set->range[i];

		/* ranges that end here cannot contain a later start */
		while (outer != NO_OUTER &&
		       set->range[outer].end <= range->start)
			outer = set->range[outer].outer;
		range->outer = outer;
		outer = i;
	}
}

void ranges_finish(struct ranges *set)
{
	if (!set->nr)
		return;
	qsort(set->range, set->nr, sizeof(*set->range), compare);
	merge_aliases(set);
	link_outer(set);
}

/* Number of ranges that start at or below an address */
static size_t count_below(const struct ranges *set, uint64_t address)
{
	return array_first_not(set->nr, i, set->range[i].start <= address);
}

const struct range *ranges_below(const struct ranges *set, uint64_t address)
{
	size_t below = count_below(set, address);

	return below ? &set->range[below - 1] : NULL;
}

const struct range *ranges_above(const struct ranges *set, uint64_t address)
{
	size_t below = count_below(set, address);

	return below < set->nr ? &set->range[below] : NULL;
}

const struct range *ranges_covering(const struct ranges *set, uint64_t address)
{
	const struct range *range = ranges_below(set, address);

	while (range && range->end <= address)
		range = range->outer == NO_OUTER ? NULL : &set->range[range->outer];
	return range;
}

void ranges_release(struct ranges *set)
{
	free(set->range);
	memset(set, 0, sizeof(*set));
}
