// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sorted ranges of addresses with names. Ranges may overlap or contain each other. Each one has
 * the index of the last range before it that ends later (@outer), so the innermost range that
 * contains an address is found by a binary search and a walk along @outer, on which the ends
 * increase. A damaged file may nest any number of ranges. So each one also has the index of
 * another one on that way (@jump), at such distances that a walk takes a logarithm of its length:
 * E. W. Myers, "An applicative random-access stack", 1983.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/ranges.h"
#include "util/array.h"

#define NO_OUTER	UINT32_MAX

int ranges_add(struct ranges *set, const struct range *new)
{
	struct range *range;

	if (new->start >= new->end)
		return 0;
	if (set->nr == NO_OUTER)
		return -ENOMEM;
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

/* Set @depth and @jump of a range, whose @outer is known. */
static void link_jump(struct ranges *set, uint32_t i)
{
	struct range *range = &set->range[i];
	const struct range *outer, *jump;

	range->depth = 0;
	range->jump = i;
	if (range->outer == NO_OUTER)
		return;
	outer = &set->range[range->outer];
	jump = &set->range[outer->jump];
	range->depth = outer->depth + 1;
	range->jump = outer->depth - jump->depth == jump->depth - set->range[jump->jump].depth ?
		      jump->jump : range->outer;
}

static void link_outer(struct ranges *set)
{
	uint32_t outer = NO_OUTER, i;

	for (i = 0; i < set->nr; i++) {
		struct range *range = &set->range[i];

		/* what ends no later than this one is not the innermost for what follows */
		while (outer != NO_OUTER && set->range[outer].end <= range->end)
			outer = set->range[outer].outer;
		range->outer = outer;
		link_jump(set, i);
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

	while (range && range->end <= address) {
		const struct range *jump = &set->range[range->jump];

		if (jump->end > address || jump == range)
			jump = range->outer == NO_OUTER ? NULL : &set->range[range->outer];
		range = jump;
	}
	return range;
}

void ranges_release(struct ranges *set)
{
	free(set->range);
	memset(set, 0, sizeof(*set));
}
