// SPDX-License-Identifier: GPL-2.0-only
/*
 * The call stacks of a result.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "result/merge_objects.h"
#include "result/stacks.h"

const char *result_stack_name(enum result_stack what)
{
	static const char *const names[] = {
		[RESULT_STACK_COMPLETE] = "[complete]",
		[RESULT_STACK_NONE] = "[incomplete: no stack]",
		[RESULT_STACK_CUT] = "[incomplete: too deep]",
		[RESULT_STACK_ABSENT] = "[incomplete: not in memory]",
		[RESULT_STACK_OTHER] = "[incomplete: another stack]",
		[RESULT_STACK_UNKNOWN] = "[incomplete: no unwind information]",
		[RESULT_STACK_MADE] = "[incomplete: made code without a frame pointer]",
		[RESULT_STACK_UNMAPPED] = "[incomplete: unknown code]",
		[RESULT_STACK_UNCLEAR] = "[incomplete: unclear unwind information]",
		[RESULT_STACK_FOLDED] = "[incomplete: too many stacks]",
		[RESULT_STACK_OUTSIDE] = RESULT_OUTSIDE,
		[RESULT_STACK_CODE] = RESULT_JIT,
	};

	return names[what];
}

enum result_stack result_stack_why(const struct result *result, size_t node, size_t *outermost)
{
	const struct result_node *nodes = result->nodes;

	for (*outermost = node; nodes[node].parent != RESULT_NO_NODE; node = nodes[node].parent)
		*outermost = node;
	if (nodes[node].object == RESULT_NO_OBJECT && nodes[node].address < RESULT_STACK_FRAMES)
		return (enum result_stack)nodes[node].address;
	*outermost = node;
	return RESULT_STACK_COMPLETE;
}

void result_stacks_mark(struct result *result)
{
	size_t i;

	for (i = 0; i < result->nr_objects; i++)
		result->objects[i].index = (uint32_t)i;
}

/* @index: for each object, where it is; RESULT_NO_OBJECT: nowhere */
static void move_nodes(struct result_node *nodes, size_t nr, const uint32_t *index)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		if (nodes[i].object == RESULT_NO_OBJECT)
			continue;
		nodes[i].object = index[nodes[i].object];
		if (nodes[i].object == RESULT_NO_OBJECT)
			nodes[i].address = RESULT_STACK_OUTSIDE;
	}
}

int result_stacks_follow(struct result *result, size_t nr)
{
	uint32_t *index;
	size_t i;

	if (!result->nr_nodes)
		return 0;
	index = malloc((nr + 1) * sizeof(*index));
	if (!index)
		return -ENOMEM;
	memset(index, 0xff, (nr + 1) * sizeof(*index));
	for (i = 0; i < result->nr_objects; i++)
		index[result->objects[i].index] = (uint32_t)i;
	move_nodes(result->nodes, result->nr_nodes, index);
	free(index);
	return 0;
}

/* --- sums --------------------------------------------------------------------------- */

static bool is_node(const struct result_node *a, const struct result_node *b)
{
	return a->parent == b->parent && a->object == b->object && a->address == b->address;
}

static uint32_t *find_slot(const struct result_tree *tree, const struct result_node *node)
{
	const uint64_t key = node->address ^ (uint64_t)node->object << 40 ^
			     (uint64_t)node->parent * 0xd6e8feb86659fd93;

	return slots_find(&tree->slots, key, i, is_node(&tree->nodes[i], node));
}

int result_tree_add(struct result_tree *tree, const struct result_node *node, size_t most,
		    uint32_t *at)
{
	uint32_t *slot;

	if (!slots_make_room(&tree->slots, tree->nodes, tree->nr, i,
			     find_slot(tree, &tree->nodes[i])))
		return -ENOMEM;
	slot = find_slot(tree, node);
	if (!*slot) {
		if (tree->nr >= most)
			return -ENOSPC;
		tree->nodes[tree->nr] = *node;
		*slot = (uint32_t)++tree->nr;
	}
	*at = *slot - 1;
	return 0;
}

/* Add nodes, callers first. @at: set to where each is. Return: 0 or -ENOMEM. */
static int add_nodes(struct result_tree *tree, const struct result_node *nodes, size_t nr,
		     uint32_t *at)
{
	int error = 0;
	size_t i;

	for (i = 0; !error && i < nr; i++) {
		struct result_node node = nodes[i];

		if (node.parent != RESULT_NO_NODE)
			node.parent = at[node.parent];
		error = result_tree_add(tree, &node, SIZE_MAX, &at[i]);
	}
	return error;
}

static void move_parts(struct result_part *parts, size_t nr, const uint32_t *at)
{
	size_t i;

	for (i = 0; i < nr; i++)
		parts[i].address = at[parts[i].address];
}

int result_stacks_merge(struct result *sum, struct result *more, const uint32_t *index)
{
	const size_t most = sum->nr_nodes > more->nr_nodes ? sum->nr_nodes : more->nr_nodes;
	struct result_tree tree = { 0 };
	uint32_t *at;
	int error;

	if (!sum->nr_nodes || !more->nr_nodes) {
		result_stacks_drop(sum);
		return 0;
	}
	at = calloc(most, sizeof(*at));
	if (!at)
		return -ENOMEM;
	move_nodes(more->nodes, more->nr_nodes, index);
	error = add_nodes(&tree, sum->nodes, sum->nr_nodes, at);
	if (!error) {
		/* nodes may have become the same when their objects did */
		move_parts(sum->stack_parts, sum->nr_stack_parts, at);
		error = add_nodes(&tree, more->nodes, more->nr_nodes, at);
	}
	if (!error) {
		move_parts(more->stack_parts, more->nr_stack_parts, at);
		error = merge_parts(&sum->stack_parts, &sum->nr_stack_parts, more->stack_parts,
				    more->nr_stack_parts);
	}
	free(at);
	free(tree.slots.slots);
	free(sum->nodes);
	sum->nodes = tree.nodes;
	sum->nr_nodes = tree.nr;
	return error;
}

bool result_stacks_drop(struct result *result)
{
	const bool had_any = result->nr_nodes;

	free(result->nodes);
	free(result->stack_parts);
	result->nodes = NULL;
	result->stack_parts = NULL;
	result->nr_nodes = result->nr_stack_parts = 0;
	return had_any;
}

/* Without memory for it, whoever shows the stacks finds that there is none. */
static bool is_too_deep(const struct result *result)
{
	uint16_t *depth = calloc(result->nr_nodes + 1, sizeof(*depth));
	bool is_deep = false;
	size_t i;

	for (i = 0; depth && !is_deep && i < result->nr_nodes; i++) {
		const uint32_t parent = result->nodes[i].parent;

		depth[i] = parent == RESULT_NO_NODE ? 1 : (uint16_t)(depth[parent] + 1);
		is_deep = depth[i] > RESULT_MAX_DEPTH;
	}
	free(depth);
	return is_deep;
}

const char *result_stacks_problem(const struct result *result)
{
	size_t i;

	if (result->nr_nodes >= RESULT_NO_NODE)
		return "too many nodes of stacks";
	for (i = 0; i < result->nr_nodes; i++) {
		const struct result_node *node = &result->nodes[i];

		if (node->parent != RESULT_NO_NODE && node->parent >= i)
			return "a node of the stacks comes before its caller";
		if (node->object == RESULT_NO_OBJECT ? node->address >= RESULT_NR_STACK :
						       node->object >= result->nr_objects)
			return "a node of the stacks is in no object";
	}
	if (result->nr_stack_parts &&
	    result->stack_parts[result->nr_stack_parts - 1].address >= result->nr_nodes)
		return "a stack is no node";
	return is_too_deep(result) ? "a stack is too deep" : NULL;
}
