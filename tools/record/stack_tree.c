// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stacks as a tree.
 */
#include <errno.h>
#include <string.h>

#include "record/stack_tree.h"

/* Go from a node to a callee. Return: 0; -ENOSPC: it would be a node too many; or -ENOMEM. */
static int descend(struct stack_tree *tree, uint32_t *at, const struct unwind_frame *frame)
{
	const struct result_node node = {
		.parent = *at, .object = frame->file, .address = frame->address,
	};
	size_t most = tree->most ? tree->most : STACK_TREE_MOST;

	/* reasons are few */
	if (frame->file == UNWIND_NO_FILE)
		most = SIZE_MAX;
	return result_tree_add(&tree->nodes, &node, most, at);
}

int stack_tree_add(struct stack_tree *tree, const struct unwind_frame *frames, size_t nr,
		   const struct result_part *part)
{
	static const struct unwind_frame folded = {
		.file = UNWIND_NO_FILE, .address = RESULT_STACK_FOLDED,
	};
	uint32_t at = RESULT_NO_NODE;
	struct result_part at_node = *part;
	int error = 0;

	while (!error && nr)
		error = descend(tree, &at, &frames[--nr]);
	if (error == -ENOSPC) {
		at = RESULT_NO_NODE;
		error = descend(tree, &at, &folded);
	}
	at_node.address = at;
	/* further stacks are not kept apart by thread */
	if (tree->counts.nr >= STACK_TREE_MOST)
		at_node.thread = RESULT_NO_THREAD;
	return error ? error : counts_add(&tree->counts, &at_node);
}

void stack_tree_release(struct stack_tree *tree)
{
	free(tree->nodes.nodes);
	free(tree->nodes.slots.slots);
	counts_release(&tree->counts);
	memset(tree, 0, sizeof(*tree));
}
