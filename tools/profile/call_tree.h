/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stacks of a result by function: nodes at different calls of a function in another one are
 * one.
 */
#ifndef PROFIL_CALL_TREE_H
#define PROFIL_CALL_TREE_H

#include "profile/calls.h"
#include "util/slots.h"

/**
 * struct call_node - a function below its callers
 * @parent:   index of the caller's node, which is lower; RESULT_NO_NODE: there is none
 * @function: its number (struct calls)
 * @samples:  in it, and in what it calls
 * @own:      how many of these are in it
 */
struct call_node {
	uint32_t parent;
	uint32_t function;
	uint64_t samples;
	uint64_t own;
};

struct call_tree {
	struct call_node *nodes;
	size_t nr;
	struct slots slots;
};

/* Make the tree of @calls. It must be released, even on error. Return: 0 or -ENOMEM. */
int call_tree_make(struct call_tree *tree, const struct calls *calls);

/* The same for a symbolized result. @calls: filled in, and must be released, too, even on error */
int call_tree_of(struct call_tree *tree, struct calls *calls, const struct symbolized *symbolized);

void call_tree_release(struct call_tree *tree);

#endif /* PROFIL_CALL_TREE_H */
