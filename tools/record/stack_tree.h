/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stacks as a tree: a node for each frame and all that has called it. A stack is its innermost
 * node.
 */
#ifndef PROFIL_STACK_TREE_H
#define PROFIL_STACK_TREE_H

#include "record/counts.h"
#include "record/unwind.h"
#include "result/stacks.h"

/* Most nodes: 24 MiB with their slots. Further stacks are one. A compiler's have thousands. */
#define STACK_TREE_MOST	((size_t)1 << 20)

/**
 * struct stack_tree - all stacks; all zero if empty
 * @nodes:  frames below their callers; the object is the number of the file
 * @most:   how many; 0: STACK_TREE_MOST
 * @counts: samples by node, in place of an address, and thread
 */
struct stack_tree {
	struct result_tree nodes;
	size_t most;
	struct counts counts;
};

/**
 * stack_tree_add - add samples
 * @frames: from the innermost one, at least one
 * @part:   the samples; their address is of no importance
 *
 * Return: 0 or -ENOMEM.
 */
int stack_tree_add(struct stack_tree *tree, const struct unwind_frame *frames, size_t nr,
		   const struct result_part *part);

void stack_tree_release(struct stack_tree *tree);

#endif /* PROFIL_STACK_TREE_H */
