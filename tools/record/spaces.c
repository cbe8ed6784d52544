// SPDX-License-Identifier: GPL-2.0-only
/*
 * The executable mappings of an address space: a sorted array. It is in descending order, as
 * the kernel maps from high to low addresses: most mappings are added at the end.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "record/spaces.h"

struct space {
	unsigned int references;
	struct mapping *mappings;	/* in descending order of addresses */
	size_t nr;
	size_t room;
	size_t recent;			/* index of the mapping that was found last */
};

struct space *space_new(void)
{
	struct space *space = calloc(1, sizeof(*space));

	if (space)
		space->references = 1;
	return space;
}

struct space *space_share(struct space *space)
{
	space->references++;
	return space;
}

void space_put(struct space *space)
{
	if (!space || --space->references)
		return;
	free(space->mappings);
	free(space);
}

static int reserve(struct space *space, size_t nr)
{
	struct mapping *mappings;
	size_t room;

	if (nr <= space->room)
		return 0;
	room = nr < 8 ? 16 : 2 * nr;
	mappings = reallocarray(space->mappings, room, sizeof(*mappings));
	if (!mappings)
		return -ENOMEM;
	space->mappings = mappings;
	space->room = room;
	return 0;
}

/* Replace a shared space by a copy. */
static int make_own(struct space **space)
{
	struct space *copy;

	if ((*space)->references == 1)
		return 0;
	copy = space_new();
	if (!copy)
		return -ENOMEM;
	copy->room = (*space)->nr + 2;
	copy->mappings = calloc(copy->room, sizeof(*copy->mappings));
	if (!copy->mappings) {
		space_put(copy);
		return -ENOMEM;
	}
	if ((*space)->nr)
		memcpy(copy->mappings, (*space)->mappings,
		       (*space)->nr * sizeof(*copy->mappings));
	copy->nr = (*space)->nr;
	space_put(*space);
	*space = copy;
	return 0;
}

/* Return: index of the first mapping that starts below @address; @nr: there is none. */
static size_t find_below(const struct space *space, uint64_t address)
{
	size_t low = 0, high = space->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (space->mappings[middle].start < address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static bool contains(const struct space *space, size_t i, uint64_t pc)
{
	return i < space->nr && pc >= space->mappings[i].start && pc < space->mappings[i].end;
}

const struct mapping *space_find(struct space *space, uint64_t pc)
{
	size_t i = space->recent;

	/* most samples are in the same mapping as the one before */
	if (!contains(space, i, pc)) {
		/* the first one that starts at the pc or below it */
		i = find_below(space, pc + 1);
		if (!contains(space, i, pc))
			return NULL;
		space->recent = i;
	}
	return &space->mappings[i];
}

/*
 * The parts of the mappings [@first, @last) that @mapping does not replace: one above it and
 * one below it, at most. Return: number of @parts, with @mapping between them.
 */
static size_t cut(const struct space *space, size_t first, size_t last,
		  const struct mapping *mapping, struct mapping parts[3])
{
	size_t nr = 0;

	if (first < last && space->mappings[first].end > mapping->end) {
		parts[nr] = space->mappings[first];
		parts[nr].offset += mapping->end - parts[nr].start;
		parts[nr++].start = mapping->end;
	}
	parts[nr++] = *mapping;
	if (first < last && space->mappings[last - 1].start < mapping->start) {
		parts[nr] = space->mappings[last - 1];
		parts[nr++].end = mapping->start;
	}
	return nr;
}

/* Whether one mapping continues another one below it. */
static bool continues(const struct mapping *below, const struct mapping *above)
{
	return below->end == above->start && below->file == above->file &&
	       below->offset + (below->end - below->start) == above->offset;
}

/*
 * Extend a mapping over its neighbours that it continues, which it then replaces: a compiler may
 * make its memory executable page by page. They are in front of @first, and at @last.
 */
static void join(const struct space *space, size_t *first, size_t *last, struct mapping *mapping)
{
	if (*first && continues(mapping, &space->mappings[*first - 1]))
		mapping->end = space->mappings[--*first].end;
	if (*last < space->nr && continues(&space->mappings[*last], mapping)) {
		mapping->start = space->mappings[*last].start;
		mapping->offset = space->mappings[(*last)++].offset;
	}
}

int space_map(struct space **space, const struct mapping *mapping)
{
	struct mapping whole = *mapping, parts[3];
	size_t first, last, nr;
	struct space *own;

	if (make_own(space) || reserve(*space, (*space)->nr + 2))
		return -ENOMEM;
	own = *space;
	if (own->nr + 2 > SPACE_MAX)
		own->nr = 0;
	first = find_below(own, mapping->end);
	for (last = first; last < own->nr && own->mappings[last].end > mapping->start; )
		last++;
	join(own, &first, &last, &whole);
	nr = cut(own, first, last, &whole, parts);
	memmove(&own->mappings[first + nr], &own->mappings[last],
		(own->nr - last) * sizeof(*own->mappings));
	memcpy(&own->mappings[first], parts, nr * sizeof(*parts));
	own->nr += nr - (last - first);
	return 0;
}
