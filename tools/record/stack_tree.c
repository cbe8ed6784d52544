// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stacks as a tree.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "record/stack_tree.h"

static bool is_node(const struct stack_node *a, const struct stack_node *b)
{
	return a->parent == b->parent && a->frame.file == b->frame.file &&
	       a->frame.address == b->frame.address;
}

static uint32_t *find_slot(const struct stack_tree *tree, const struct stack_node *node)
{
	const uint64_t key = node->frame.address ^ (uint64_t)node->frame.file << 40 ^
			     (uint64_t)node->parent * 0xd6e8feb86659fd93;

	return slots_find(&tree->slots, key, i, is_node(&tree->nodes[i], node));
}

/* Go from a node to a callee. Return: 0; -ENOSPC: it would be a node too many; or -ENOMEM. */
static int descend(struct stack_tree *tree, uint32_t *at, const struct unwind_frame *frame)
{
	const struct stack_node node = { .frame = *frame, .parent = *at };
	const size_t most = tree->most ? tree->most : STACK_TREE_MOST;
	uint32_t *slot;

	if (!slots_make_room(&tree->slots, tree->nodes, tree->nr, i,
			     find_slot(tree, &tree->nodes[i])))
		return -ENOMEM;
	slot = find_slot(tree, &node);
	if (!*slot) {
		/* reasons are few */
		if (tree->nr >= most && frame->file != UNWIND_NO_FILE)
			return -ENOSPC;
		tree->nodes[tree->nr] = node;
		*slot = (uint32_t)++tree->nr;
	}
	*at = *slot - 1;
	return 0;
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
	free(tree->nodes);
	free(tree->slots.slots);
	counts_release(&tree->counts);
	memset(tree, 0, sizeof(*tree));
}
