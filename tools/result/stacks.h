/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The call stacks of a result: a tree of nodes, and samples by node.
 */
#ifndef PROFIL_RESULT_STACKS_H
#define PROFIL_RESULT_STACKS_H

#include "result/result.h"
#include "util/slots.h"

/**
 * struct result_tree - nodes, to find them by what they are; all zero if empty
 * @nodes: in the order in which they were added
 */
struct result_tree {
	struct result_node *nodes;
	size_t nr;
	struct slots slots;
};

/**
 * result_tree_add - find a node, or add it
 * @most: number of nodes at which no further one is added
 * @at:   set to its index
 *
 * Return: 0, -ENOSPC or -ENOMEM.
 */
int result_tree_add(struct result_tree *tree, const struct result_node *node, size_t most,
		    uint32_t *at);

/* Name what a node without an object stands for. */
const char *result_stack_name(enum result_stack what);

/*
 * Why nothing is known above the outermost frame of a stack, whose innermost node is @node.
 * @outermost: set to the node of that frame. Return: RESULT_STACK_COMPLETE: it is the first one.
 */
enum result_stack result_stack_why(const struct result *result, size_t node, size_t *outermost);

/* Note the index of each object, before objects are sorted or removed. */
void result_stacks_mark(struct result *result);

/*
 * The objects have been moved since result_stacks_mark() for @nr of them: nodes follow them. Those
 * of objects that are not there are outside all objects. Return: 0 or -ENOMEM.
 */
int result_stacks_follow(struct result *result, size_t nr);

/**
 * result_stacks_merge - add the stacks of another result
 * @index: for each object of @more: where it is in @sum
 *
 * The threads of @more have their indexes in @sum already. If only one of the two has stacks, the
 * sum has none: not all samples would have one.
 *
 * Return: 0 or -ENOMEM.
 */
int result_stacks_merge(struct result *sum, struct result *more, const uint32_t *index);

/* Remove all stacks. Return: whether there were any. */
bool result_stacks_drop(struct result *result);

/* Validate the nodes. Return: NULL, or a description of what is wrong. */
const char *result_stacks_problem(const struct result *result);

#endif /* PROFIL_RESULT_STACKS_H */
