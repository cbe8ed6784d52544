// SPDX-License-Identifier: GPL-2.0-only
/*
 * The call stacks in a page: a list of functions below their callers, which come first. Each is the
 * index of its caller, or -1; the index of its name in a list of their own; and its samples.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "export/html.h"
#include "profile/call_tree.h"
#include "profile/calls.h"
#include "util/escape.h"

/* A screen has no room for one in so many samples. Those below it have fewer. */
#define LEAST_SHARE	2000

static void print_names(struct json *json, const struct calls *calls)
{
	const size_t nr = calls->symbolized.nr_functions + CALLS_OTHERS;
	uint32_t i;

	json_member(json, "names");
	json_enter(json, '[');
	for (i = 0; i < nr; i++) {
		json_next(json);
		escape_json(json->out, calls_name(calls, i));
	}
	json_leave(json, ']');
}

/* @index: room for the index of each node in the page */
static void print_nodes(struct json *json, const struct call_tree *tree, long *index)
{
	uint64_t all = 0;
	long nr = 0;
	size_t i;

	for (i = 0; i < tree->nr; i++)
		all += tree->nodes[i].own;
	json_member(json, "nodes");
	json_enter(json, '[');
	for (i = 0; i < tree->nr; i++) {
		const struct call_node *node = &tree->nodes[i];

		if (node->samples < all / LEAST_SHARE || !node->samples)
			continue;
		index[i] = nr++;
		json_next(json);
		fprintf(json->out, "[%ld,%" PRIu32 ",%" PRIu64 "]",
			node->parent == RESULT_NO_NODE ? -1 : index[node->parent], node->function,
			node->samples);
	}
	json_leave(json, ']');
}

int html_flames_print(struct json *json, const struct symbolized *symbolized)
{
	struct call_tree tree;
	struct calls calls;
	long *index = NULL;
	int error;

	if (!symbolized->result->nr_stack_parts)
		return 0;
	error = call_tree_of(&tree, &calls, symbolized);
	if (!error) {
		index = calloc(tree.nr + 1, sizeof(*index));
		error = index ? 0 : -ENOMEM;
	}
	if (!error) {
		json_member(json, "flames");
		json_enter(json, '{');
		print_names(json, &calls);
		print_nodes(json, &tree, index);
		json_leave(json, '}');
	}
	free(index);
	call_tree_release(&tree);
	calls_release(&calls);
	return error;
}
