/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_ORIGINALS_H
#define PROFIL_ORIGINALS_H

#include "profile/comparison.h"

/*
 * Give all rows of an object that have a name in common the same original, which is the longest
 * list of names that one of them has. Return: 0 or -ENOMEM.
 */
int originals_unite(struct comparison_row *rows, size_t nr_rows);

#endif /* PROFIL_ORIGINALS_H */
