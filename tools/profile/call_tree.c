// SPDX-License-Identifier: GPL-2.0-only
/*
 * The stacks of a result by function.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/call_tree.h"

static uint32_t *find_slot(const struct call_tree *tree, uint32_t parent, uint32_t function)
{
	const uint64_t key = (uint64_t)parent << 32 | function;

	return slots_find(&tree->slots, key, i, tree->nodes[i].parent == parent &&
						tree->nodes[i].function == function);
}

/* Find a node, or add it. Return: 0 or -ENOMEM. */
static int find(struct call_tree *tree, uint32_t parent, uint32_t function, uint32_t *at)
{
	uint32_t *slot;

	if (!slots_make_room(&tree->slots, tree->nodes, tree->nr, i,
			     find_slot(tree, tree->nodes[i].parent, tree->nodes[i].function)))
		return -ENOMEM;
	slot = find_slot(tree, parent, function);
	if (!*slot) {
		tree->nodes[tree->nr] = (struct call_node){
			.parent = parent, .function = function,
		};
		*slot = (uint32_t)++tree->nr;
	}
	*at = *slot - 1;
	return 0;
}

int call_tree_make(struct call_tree *tree, const struct calls *calls)
{
	const struct result *result = calls->result;
	uint32_t *at = calloc(result->nr_nodes + 1, sizeof(*at));
	int error = at ? 0 : -ENOMEM;
	size_t i;

	memset(tree, 0, sizeof(*tree));
	/* callers come first */
	for (i = 0; !error && i < result->nr_nodes; i++) {
		const uint32_t parent = result->nodes[i].parent;

		error = find(tree, parent == RESULT_NO_NODE ? parent : at[parent],
			     calls->of_node[i], &at[i]);
	}
	for (i = 0; !error && i < result->nr_stack_parts; i++) {
		struct call_node *node = &tree->nodes[at[result->stack_parts[i].address]];

		node->own += result->stack_parts[i].samples;
		node->samples += result->stack_parts[i].samples;
	}
	for (i = tree->nr; !error && i-- > 0; )
		if (tree->nodes[i].parent != RESULT_NO_NODE)
			tree->nodes[tree->nodes[i].parent].samples += tree->nodes[i].samples;
	free(at);
	return error;
}

int call_tree_of(struct call_tree *tree, struct calls *calls, const struct symbolized *symbolized)
{
	int error = calls_find(calls, symbolized->result, symbolized->find, symbolized->find_data,
			       symbolized->demangle);

	memset(tree, 0, sizeof(*tree));
	return error ? error : call_tree_make(tree, calls);
}

void call_tree_release(struct call_tree *tree)
{
	free(tree->nodes);
	free(tree->slots.slots);
	memset(tree, 0, sizeof(*tree));
}
