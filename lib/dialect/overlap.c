// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Splits overlapping regions into regions that do not overlap.
 */
#include <stdint.h>
#include <string.h>

#include "dialect/overlap.h"

/* Insert @start to @end of the region at index @at. */
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
	uint64_t from = region->start;	/* lowest pc that may still be free */
	size_t i;

	for (i = 0; i <= nr && from < region->end; i++) {
		uint64_t next = i < nr ? list[i].start : UINT64_MAX;
		uint64_t end = next < region->end ? next : region->end;

		if (from < end)
			insert(list, nr++, i++, region, from, end);
		if (i < nr && list[i].end > from)
			from = list[i].end;
	}
	return nr;
}
