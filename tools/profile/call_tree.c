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

/* Return: the node above @at, or itself, of a function; RESULT_NO_NODE: there is none. */
static uint32_t find_above(const struct call_tree *tree, uint32_t at, uint32_t function)
{
	while (at != RESULT_NO_NODE && tree->nodes[at].function != function)
		at = tree->nodes[at].parent;
	return at;
}

/* Go from a node to a function below it. Return: 0 or -ENOMEM. */
static int descend(struct call_tree *tree, const struct call_tree_view *view, uint32_t function,
		   uint32_t *at)
{
	const uint32_t above = view->is_once ? find_above(tree, *at, function) : RESULT_NO_NODE;

	if (above == RESULT_NO_NODE)
		return find(tree, *at, function, at);
	*at = above;
	return 0;
}

/* Add a stack. @functions: its functions, from the innermost one. Return: 0 or -ENOMEM. */
static int add(struct call_tree *tree, const struct call_tree_view *view,
	       const uint32_t *functions, size_t nr, const struct result_part *parts,
	       const struct result_part *part)
{
	uint32_t at = RESULT_NO_NODE, next;
	size_t depth = 0, i;
	int error = 0;

	for (i = 0; !error && i < nr && (!view->depth || depth < view->depth); i++) {
		next = at;
		error = descend(tree, view, functions[view->is_callers ? i : nr - 1 - i], &next);
		depth += next != at;
		at = next;
	}
	if (error)
		return error;
	tree->of_part[part - parts] = at;
	tree->nodes[at].own += part->samples;
	tree->nodes[at].samples += part->samples;
	tree->nodes[at].system += part->system;
	tree->nodes[at].own_system += part->system;
	return 0;
}

int call_tree_make(struct call_tree *tree, const struct calls *calls,
		   const struct call_tree_view *view)
{
	const struct result *result = calls->result;
	uint32_t *functions = calloc(RESULT_MAX_DEPTH, sizeof(*functions));
	size_t nr, i;
	uint64_t at;
	int error;

	*tree = (struct call_tree){
		.of_part = calloc(result->nr_stack_parts + 1, sizeof(*tree->of_part)),
	};
	error = functions && tree->of_part ? 0 : -ENOMEM;
	for (i = 0; !error && i < result->nr_stack_parts; i++) {
		const struct result_part *part = &result->stack_parts[i];

		nr = 0;
		for (at = part->address; at != RESULT_NO_NODE; at = result->nodes[at].parent)
			functions[nr++] = calls->of_node[at];
		error = add(tree, view, functions, nr, result->stack_parts, part);
	}
	for (i = tree->nr; !error && i-- > 0; ) {
		struct call_node *node = &tree->nodes[i];

		if (node->parent == RESULT_NO_NODE)
			continue;
		tree->nodes[node->parent].samples += node->samples;
		tree->nodes[node->parent].system += node->system;
	}
	free(functions);
	return error;
}

int call_tree_of(struct call_tree *tree, struct calls *calls, const struct symbolized *symbolized)
{
	int error = calls_find(calls, symbolized->result, symbolized->find, symbolized->find_data,
			       symbolized->demangle);

	memset(tree, 0, sizeof(*tree));
	return error ? error : call_tree_make(tree, calls, &(struct call_tree_view){ 0 });
}

void call_tree_release(struct call_tree *tree)
{
	free(tree->of_part);
	free(tree->nodes);
	free(tree->slots.slots);
	memset(tree, 0, sizeof(*tree));
}
