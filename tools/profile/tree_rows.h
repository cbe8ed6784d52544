/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Call trees as rows of a profile.
 */
#ifndef PROFIL_TREE_ROWS_H
#define PROFIL_TREE_ROWS_H

#include "profile/call_tree.h"
#include "profile/profile.h"

/**
 * tree_rows_make - make a row of each node, in front of those below it
 * @profile: filled in; must be released with profile_release(), even on error. It is in order
 * @calls:   that the tree is of; its result outlives the profile
 * @view:    of the tree
 * @least:   nodes with a smaller share in percent, and what is below them, are one row
 *
 * If a function has samples itself, and others are below it, it has a row for these.
 *
 * Return: 0 or -ENOMEM.
 */
int tree_rows_make(struct profile *profile, const struct calls *calls,
		   const struct call_tree *tree, const struct call_tree_view *view, double least);

/*
 * Make a row for each function with samples and each of its callers. @tree: of callers, of depth 2.
 * The others are as above.
 */
int tree_rows_make_pairs(struct profile *profile, const struct calls *calls,
			 const struct call_tree *tree);

#endif /* PROFIL_TREE_ROWS_H */
