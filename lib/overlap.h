/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_OVERLAP_H
#define PROFIL_OVERLAP_H

#include <linux/profil.h>
#include <stddef.h>

/*
 * Regions that overlap, for a kernel that wants them apart: put in one after the
 * other, the one that counts where several hold a pc first, each later one fills
 * only what is left.
 *
 * *list[nr] is sorted, none overlapping another; region is what to put in, in as
 * many parts as it takes. It has an end: PROFIL_NO_END for none. The list has room for
 * twice as many as are put in. Return: how many it has now.
 */
size_t profil_overlap_fill(struct profil_region *list, size_t nr,
			   const struct profil_region *region);

/* Here; the kernel's own is 0. */
#define PROFIL_NO_END	UINT64_MAX

/* The kernel's way to say it, once all are in. */
void profil_overlap_finish(struct profil_region *list, size_t nr);

#endif /* PROFIL_OVERLAP_H */
