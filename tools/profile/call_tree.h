/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stacks of a result by function: nodes at different calls of a function in another one are
 * one.
 */
#ifndef PROFIL_CALL_TREE_H
#define PROFIL_CALL_TREE_H

#include <stdbool.h>

#include "profile/calls.h"
#include "util/slots.h"

/**
 * struct call_node - a function below its callers, or below those that it calls
 * @parent:   index of the node above it, which is lower; RESULT_NO_NODE: there is none
 * @function: its number (struct calls)
 * @samples:  of the stacks that it is in
 * @system:   how many of these are in the kernel
 * @own:      samples of the stacks that end here
 * @own_system: how many of these are in the kernel
 */
struct call_node {
	uint32_t parent;
	uint32_t function;
	uint64_t samples;
	uint64_t system;
	uint64_t own;
	uint64_t own_system;
};

/**
 * struct call_tree - all of them; all zero if empty
 * @of_part: for each of the result's stack_parts, the node in which it ends
 */
struct call_tree {
	uint32_t *of_part;
	struct call_node *nodes;
	size_t nr;
	struct slots slots;
};

/**
 * struct call_tree_view - which tree; all zero: from the first functions to what they call
 * @is_callers: from the functions with samples to their callers
 * @is_once:    a function that is above already is not below it again: what it calls is there
 * @depth:      most nodes of a stack; 0: all
 */
struct call_tree_view {
	bool is_callers;
	bool is_once;
	size_t depth;
};

/* Make the tree of @calls. It must be released, even on error. Return: 0 or -ENOMEM. */
int call_tree_make(struct call_tree *tree, const struct calls *calls,
		   const struct call_tree_view *view);

/*
 * Make the tree of a symbolized result from the first functions on. @calls: filled in, and must be
 * released, too, even on error
 */
int call_tree_of(struct call_tree *tree, struct calls *calls, const struct symbolized *symbolized);

void call_tree_release(struct call_tree *tree);

#endif /* PROFIL_CALL_TREE_H */
