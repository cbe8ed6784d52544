/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_DIES_H
#define PROFIL_DIES_H

#include <stddef.h>

#include <elfutils/libdw.h>

/* What a walk does after an entry was visited */
enum dies_way {
	DIES_SKIP,	/* the entries inside are of no interest */
	DIES_ENTER,	/* they are visited */
};

/**
 * dies_visit_fn - type of functions that are called for each entry
 * @outer: what the visit of the entry around it set @inner to
 * @inner: is given as @outer to the visits of the entries inside; initially @outer
 *
 * Return: an enum dies_way; or -errno, which ends the walk.
 */
typedef int dies_visit_fn(void *data, Dwarf_Die *die, size_t outer, size_t *inner);

/**
 * dies_walk - visit the entries inside an entry
 * @root:  the entry; it is not visited
 * @outer: for the visits of the entries directly inside
 * @visit: is called for each entry, in the order of the file
 * @data:  first argument of @visit
 *
 * No entry is visited twice, whatever a damaged file contains. At the first damage, the walk ends.
 *
 * Return: 0 or an error of @visit.
 */
int dies_walk(Dwarf_Die *root, size_t outer, dies_visit_fn *visit, void *data);

#endif /* PROFIL_DIES_H */
