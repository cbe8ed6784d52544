// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Areas in which the program makes code itself. They are taken larger than they are: who
 * makes code makes more beside it before long, and the profile need not be started again
 * then.
 */
#include <string.h>

#include "jit.h"

#define GRAIN	((uint64_t)2 << 20)	/* areas begin and end at multiples, in bytes */

/*
 * All together, in bytes. Some programs take a gigabyte before they have made any code: with
 * more counters than a profile may have none could be started again, for what is loaded later.
 */
#define MOST	((uint64_t)256 << 20)

/* Sorted, apart from one another. What has been code once stays here. */
static struct area {
	uint64_t start;
	uint64_t end;
} areas[PROFIL_JIT_AREAS];
static size_t nr_areas;

static bool is_there(uint64_t start, uint64_t end)
{
	size_t i;

	for (i = 0; i < nr_areas; i++)
		if (areas[i].start <= start && end <= areas[i].end)
			return true;
	return false;
}

bool profil_jit_add(const void *address, size_t bytes)
{
	uint64_t start = (uintptr_t)address, end = start + bytes, all;
	size_t from, to, i;

	if (!bytes || is_there(start, end))
		return false;
	start -= start % GRAIN;
	end += GRAIN - 1 - (end - 1) % GRAIN;
	/* one area of all that it touches */
	for (from = 0; from < nr_areas && areas[from].end < start; from++)
		;
	for (to = from; to < nr_areas && areas[to].start <= end; to++)
		;
	if (from < to) {
		if (areas[from].start < start)
			start = areas[from].start;
		if (areas[to - 1].end > end)
			end = areas[to - 1].end;
	} else if (nr_areas == PROFIL_JIT_AREAS) {
		return false;	/* it counts as outside */
	}
	for (i = 0, all = end - start; i < nr_areas; i++)
		if (i < from || i >= to)
			all += areas[i].end - areas[i].start;
	if (all > MOST)
		return false;	/* the same */
	memmove(&areas[from + 1], &areas[to], (nr_areas - to) * sizeof(areas[0]));
	areas[from] = (struct area){ start, end };
	nr_areas += 1 + from - to;
	return true;
}

static size_t list_part(struct profil_object *list, uint64_t start, uint64_t end)
{
	if (start >= end)
		return 0;
	memset(list, 0, sizeof(*list));
	list->start = start;
	list->end = end;
	strcpy(list->path, "[jit]");
	return 1;
}

size_t profil_jit_list(const struct profil_object *objects, size_t nr,
		       struct profil_object *list)
{
	size_t listed = 0, object = 0, i;

	for (i = 0; i < nr_areas; i++) {
		uint64_t start = areas[i].start;

		while (object < nr && objects[object].end <= start)
			object++;
		/* each object cuts one area in two at most, or ends one and begins the next */
		for (; object < nr && objects[object].start < areas[i].end; object++) {
			listed += list_part(&list[listed], start, objects[object].start);
			start = objects[object].end;
			if (start >= areas[i].end)
				break;
		}
		listed += list_part(&list[listed], start, areas[i].end);
	}
	return listed;
}
