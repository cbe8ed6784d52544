// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Regions that overlap, made into such that do not.
 */
#include <stdint.h>
#include <string.h>

#include "overlap.h"

static void insert(struct profil_region *list, size_t nr, size_t at,
		   const struct profil_region *region, uint64_t start,
		   uint64_t end)
{
	memmove(&list[at + 1], &list[at], (nr - at) * sizeof(*list));
	list[at] = *region;
	list[at].start = start;
	list[at].end = end;
}

size_t profil_overlap_fill(struct profil_region *list, size_t nr,
			   const struct profil_region *region)
{
	uint64_t left = region->start;	/* below it all is filled */
	size_t i;

	for (i = 0; i <= nr && left < region->end; i++) {
		uint64_t next = i < nr ? list[i].start : PROFIL_NO_END;
		uint64_t end = next < region->end ? next : region->end;

		if (left < end)
			insert(list, nr++, i++, region, left, end);
		if (i < nr && list[i].end > left)
			left = list[i].end;
	}
	return nr;
}

void profil_overlap_finish(struct profil_region *list, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (list[i].end == PROFIL_NO_END)
			list[i].end = 0;
}
