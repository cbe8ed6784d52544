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
#include "util/array.h"

/*
 * struct list - mappings, of one space, or of several since a fork
 * @references: number of these spaces
 * @mappings:   in descending order of addresses
 */
struct list {
	unsigned int references;
	struct mapping *mappings;
	size_t nr;
	size_t room;
};

struct space {
	unsigned int references;
	struct list *list;
	size_t recent;			/* index of the mapping that was found last */
};

static struct list *list_new(void)
{
	struct list *list = calloc(1, sizeof(*list));

	if (list)
		list->references = 1;
	return list;
}

static void list_put(struct list *list)
{
	if (--list->references)
		return;
	free(list->mappings);
	free(list);
}

/* Return: a space that takes over a reference to @list; NULL: no memory, or no list. */
static struct space *space_of(struct list *list)
{
	struct space *space = list ? calloc(1, sizeof(*space)) : NULL;

	if (space) {
		space->references = 1;
		space->list = list;
	} else if (list) {
		list_put(list);
	}
	return space;
}

struct space *space_new(void)
{
	return space_of(list_new());
}

struct space *space_share(struct space *space)
{
	space->references++;
	return space;
}

struct space *space_fork(struct space *space)
{
	space->list->references++;
	return space_of(space->list);
}

void space_put(struct space *space)
{
	if (!space || --space->references)
		return;
	list_put(space->list);
	free(space);
}

static int reserve(struct list *list, size_t nr)
{
	struct mapping *mappings;
	size_t room;

	if (list->mappings && nr <= list->room)
		return 0;
	room = nr < 8 ? 16 : 2 * nr;
	mappings = reallocarray(list->mappings, room, sizeof(*mappings));
	if (!mappings)
		return -ENOMEM;
	list->mappings = mappings;
	list->room = room;
	return 0;
}

/* Replace a list that other spaces have by a copy. */
static int make_own(struct space *space)
{
	struct list *list = space->list, *copy;

	if (list->references == 1)
		return 0;
	copy = list_new();
	if (!copy || reserve(copy, list->nr + 2)) {
		if (copy)
			list_put(copy);
		return -ENOMEM;
	}
	if (list->nr)
		memcpy(copy->mappings, list->mappings, list->nr * sizeof(*copy->mappings));
	copy->nr = list->nr;
	list_put(list);
	space->list = copy;
	return 0;
}

void space_clear(struct space *space)
{
	struct list *empty = list_new();

	/* without memory, the old mappings stay, and are replaced where new ones are */
	if (!empty)
		return;
	list_put(space->list);
	space->list = empty;
}

/* Return: index of the first mapping that starts below @address; @nr: there is none. */
static size_t find_below(const struct list *list, uint64_t address)
{
	return array_first_not(list->nr, i, list->mappings[i].start >= address);
}

static bool contains(const struct list *list, size_t i, uint64_t pc)
{
	return i < list->nr && pc >= list->mappings[i].start && pc < list->mappings[i].end;
}

const void *space_identity(const struct space *space)
{
	return space->list;
}

const struct mapping *space_find(struct space *space, uint64_t pc)
{
	const struct list *list = space->list;
	size_t i = space->recent;

	/* most samples are in the same mapping as the one before */
	if (!contains(list, i, pc)) {
		/* the first one that starts at the pc or below it */
		i = find_below(list, pc + 1);
		if (!contains(list, i, pc))
			return NULL;
		space->recent = i;
	}
	return &list->mappings[i];
}

const struct mapping *space_below(const struct space *space, uint64_t address)
{
	const struct list *list = space->list;
	size_t i = find_below(list, address + 1);

	return i < list->nr ? &list->mappings[i] : NULL;
}

/*
 * The parts of the mappings [@first, @last) that @mapping does not replace: one above it and
 * one below it, at most. Return: number of @parts, with @mapping between them.
 */
static size_t cut(const struct list *list, size_t first, size_t last,
		  const struct mapping *mapping, struct mapping parts[3])
{
	size_t nr = 0;

	if (first < last && list->mappings[first].end > mapping->end) {
		parts[nr] = list->mappings[first];
		parts[nr].offset += mapping->end - parts[nr].start;
		parts[nr++].start = mapping->end;
	}
	parts[nr++] = *mapping;
	if (first < last && list->mappings[last - 1].start < mapping->start) {
		parts[nr] = list->mappings[last - 1];
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
static void join(const struct list *list, size_t *first, size_t *last, struct mapping *mapping)
{
	if (*first && continues(mapping, &list->mappings[*first - 1]))
		mapping->end = list->mappings[--*first].end;
	if (*last < list->nr && continues(&list->mappings[*last], mapping)) {
		mapping->start = list->mappings[*last].start;
		mapping->offset = list->mappings[(*last)++].offset;
	}
}

int space_map(struct space *space, const struct mapping *mapping)
{
	struct mapping whole = *mapping, parts[3];
	size_t first, last, nr;
	struct list *own;

	if (make_own(space) || reserve(space->list, space->list->nr + 2))
		return -ENOMEM;
	own = space->list;
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
