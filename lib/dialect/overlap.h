/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_OVERLAP_H
#define PROFIL_OVERLAP_H

#include <linux/profil.h>
#include <stddef.h>

/*
 * Add a region to a list of regions that do not overlap, as the kernel requires it. Regions with
 * higher precedence are added first; a later one covers only the pcs that are still free, and
 * may be split into several parts.
 *
 * list[nr] is sorted by start and has room for twice the number of regions that are added.
 * @region must have an end: not 0, which means "no end" for the kernel. Return: the new number
 * of elements.
 */
size_t profil_overlap_fill(struct profil_region *list, size_t nr,
			   const struct profil_region *region);

#endif /* PROFIL_OVERLAP_H */
