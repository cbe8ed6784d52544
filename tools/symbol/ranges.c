// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sorted ranges of addresses with names. Ranges may overlap or contain each other. Each one has
 * the index of the last range before it that ends later (@outer), so the innermost range that
 * contains an address is found by a binary search and a walk along @outer, on which the ends
 * increase. A damaged file may nest any number of ranges. So each one also has the index of
 * another one on that way (@jump), at such distances that a walk takes a logarithm of its length:
 * E. W. Myers, "An applicative random-access stack", 1983.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/ranges.h"
#include "util/array.h"
#include "util/folded.h"

#define NO_OUTER	UINT32_MAX

#define MAX_NAMES	64	/* of a function in a row */

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

/* The names that ranges_join() makes do not change the order of starts. */
static void sort(struct ranges *set)
{
	if (set->nr && !set->is_sorted)
		qsort(set->range, set->nr, sizeof(*set->range), compare);
	set->is_sorted = true;
}

static bool is_mangled(const struct range *range)
{
	return range->length > 2 && range->name[0] == '_' && strchr("ZR", range->name[1]);
}

/* Return: length of a name without what does not tell functions apart. */
static int core_length(const struct range *range, bool in_c)
{
	int length = 0;

	while (length < range->length && !strchr(".@", range->name[length]))
		length++;
	return length - (in_c && length > 2 && !memcmp(range->name + length - 2, "64", 2) ? 2 : 0);
}

/* Whether two names are those of one function in the source */
static bool is_alias(const struct range *a, const struct range *b)
{
	const bool in_c = !is_mangled(a) && !is_mangled(b);
	const int length = core_length(a, in_c);
	int i;

	/* names of the C library and of compilers have underscores */
	if (in_c && (a->weak || b->weak || old_version(a) || old_version(b) ||
		     underscores(a) != underscores(b) || underscores(a) > 1))
		return true;
	if (length != core_length(b, in_c))
		return false;
	for (i = 0; i < length; i++)
		if (a->name[i] != b->name[i] &&
		    (in_c || !i || !strchr("CD", a->name[i - 1]) ||
		     !isdigit((unsigned char)a->name[i]) || !isdigit((unsigned char)b->name[i])))
			return false;
	return true;
}

/* Join the names of @nr ranges with one start. Return: 0 or -ENOMEM. */
static int join_names(struct ranges *set, struct range *ranges, size_t nr)
{
	const struct range *kept[MAX_NAMES];
	size_t bytes = 0, nr_kept = 0, i, j;
	char *joined, **slot;

	for (i = 0; i < nr && nr_kept < MAX_NAMES; i++) {
		if (ranges[i].rank || !ranges[i].name)
			continue;
		for (j = 0; j < nr_kept && !is_alias(kept[j], &ranges[i]); j++)
			;
		if (j < nr_kept)
			continue;
		kept[nr_kept++] = &ranges[i];
		bytes += (size_t)ranges[i].length + strlen(FOLDED_COMMA);
	}
	if (nr_kept < 2)
		return 0;
	slot = array_append(set->joined, set->nr_joined);
	joined = slot ? malloc(bytes + 1) : NULL;
	if (!slot)
		return -ENOMEM;
	*slot = joined;
	if (!joined)
		return -ENOMEM;
	for (i = 0, bytes = 0; i < nr_kept; i++)
		bytes += (size_t)sprintf(joined + bytes, "%s%.*s", i ? FOLDED_COMMA : "",
					 kept[i]->length, kept[i]->name);
	for (i = 0; i < nr; i++) {
		ranges[i].name = joined;
		ranges[i].length = (int)bytes;
	}
	return 0;
}

int ranges_join(struct ranges *set)
{
	size_t first, next;
	int error = 0;

	sort(set);
	for (first = 0; !error && first < set->nr; first = next) {
		for (next = first + 1; next < set->nr; next++)
			if (set->range[next].start != set->range[first].start)
				break;
		error = join_names(set, &set->range[first], next - first);
	}
	return error;
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
	sort(set);
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
	while (set->nr_joined)
		free(set->joined[--set->nr_joined]);
	free(set->joined);
	free(set->range);
	memset(set, 0, sizeof(*set));
}
