/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_COUNTERPARTS_H
#define PROFIL_COUNTERPARTS_H

#include "profile/comparison.h"

/**
 * counterparts_find - find which objects of two results are the same, perhaps of two builds
 * @names: set to a name for each object of @old, and of @new, in their order: equal for
 *         counterparts, the file name in @new; NULL: without a counterpart. Both arrays are to be
 *         freed with free(), even on error
 *
 * Objects with one file name are counterparts, also several of each result. Of the other files, two
 * are if they are the only ones of their results that have one build-id; or have one file name but
 * for a version; or begin with one word, and have half of their functions in common; or are the
 * command; or are any executed program.
 *
 * Return: 0 or -ENOMEM.
 */
int counterparts_find(const struct comparison_side *old, const struct comparison_side *new,
		      const char **names[2]);

#endif /* PROFIL_COUNTERPARTS_H */
