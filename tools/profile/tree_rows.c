// SPDX-License-Identifier: GPL-2.0-only
/*
 * Call trees as rows of a profile.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/namesakes.h"
#include "profile/share.h"
#include "profile/tree_rows.h"

/**
 * struct making - rows that are being made
 * @sorted: nodes by the one above them, those with most samples first
 * @first:  for each node, and for none in front of them, the index there of the first one below it
 * @labels: of objects
 * @room:   of the rows
 */
struct making {
	struct profile *profile;
	const struct calls *calls;
	const struct call_tree *tree;
	const struct call_tree_view *view;
	uint32_t *sorted;
	size_t *first;
	const char **labels;
	size_t room;
	double least;
};

/* Append a row. @name: is freed. Return: 0 or -ENOMEM. */
static int add_row(struct making *making, char *name, const struct call_node *node,
		   unsigned int depth)
{
	struct profile *profile = making->profile;
	const struct symbolized *symbolized = &making->calls->symbolized;
	struct profile_row *rows = profile->rows, *row;

	if (profile->nr_rows == making->room) {
		making->room = 2 * making->room + 64;
		rows = reallocarray(rows, making->room, sizeof(*rows));
	}
	if (!name || !rows) {
		free(name);
		return -ENOMEM;
	}
	profile->rows = rows;
	row = &rows[profile->nr_rows++];
	*row = (struct profile_row){
		.function = name, .has_name = true, .number = SIZE_MAX, .index = SIZE_MAX, .object = "-",
		.samples = node->samples, .system = node->system, .depth = depth,
		.percent100 = (unsigned int)(100 * share_percent(node->samples,
								 profile->samples) + 0.5),
	};
	if (node->function < symbolized->nr_functions) {
		row->index = symbolized->functions[node->function].object;
		row->object = making->labels[row->index];
		row->address = symbolized->functions[node->function].start;
	}
	return 0;
}

static bool is_small(const struct making *making, uint64_t samples)
{
	return share_percent(samples, making->profile->samples) < making->least;
}

/* The row of a function that has samples itself below it, if others are there, too */
static int add_itself(struct making *making, const struct call_node *node, unsigned int depth)
{
	const struct call_node own = {
		.samples = node->own, .system = node->own_system, .function = UINT32_MAX,
	};

	if (making->view->is_callers || node->own == node->samples || !node->own ||
	    is_small(making, node->own))
		return 0;
	return add_row(making, strdup(calls_other_name(CALLS_ITSELF)), &own, depth);
}

static int add_rest(struct making *making, const struct call_node *rest, size_t nr,
		    unsigned int depth)
{
	char *name = NULL;

	if (!nr || is_small(making, rest->samples))
		return 0;
	if (asprintf(&name, "(%zu more function%s)", nr, nr == 1 ? "" : "s") < 0)
		name = NULL;
	return add_row(making, name, rest, depth);
}

/* Add the rows below a node. @above: it, or RESULT_NO_NODE. Return: 0 or -ENOMEM. */
static int add_below(struct making *making, uint32_t above, unsigned int depth)
{
	const struct call_tree *tree = making->tree;
	struct call_node rest = { .function = UINT32_MAX };
	size_t i = making->first[(uint32_t)(above + 1)], nr = 0;
	int error = 0;

	for (; !error && i < tree->nr && tree->nodes[making->sorted[i]].parent == above; i++) {
		const struct call_node *node = &tree->nodes[making->sorted[i]];

		if (is_small(making, node->samples)) {
			rest.samples += node->samples;
			rest.system += node->system;
			nr++;
			continue;
		}
		error = add_row(making, strdup(calls_name(making->calls, node->function)), node,
				depth);
		if (!error)
			error = add_itself(making, node, depth + 1);
		if (!error)
			error = add_below(making, making->sorted[i], depth + 1);
	}
	return error ? error : add_rest(making, &rest, nr, depth);
}

/* Those without a node above them come first. */
static int compare(const void *va, const void *vb, void *data)
{
	const struct making *making = data;
	const struct call_node *a = &making->tree->nodes[*(const uint32_t *)va];
	const struct call_node *b = &making->tree->nodes[*(const uint32_t *)vb];

	if (a->parent != b->parent)
		return a->parent + 1 < b->parent + 1 ? -1 : 1;
	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	return strcmp(calls_name(making->calls, a->function),
		      calls_name(making->calls, b->function));
}

static void sort(struct making *making)
{
	const struct call_tree *tree = making->tree;
	size_t i;

	for (i = 0; i < tree->nr; i++)
		making->sorted[i] = (uint32_t)i;
	qsort_r(making->sorted, tree->nr, sizeof(*making->sorted), compare, making);
	for (i = 0; i <= tree->nr; i++)
		making->first[i] = tree->nr;
	for (i = tree->nr; i-- > 0; )
		making->first[(uint32_t)(tree->nodes[making->sorted[i]].parent + 1)] = i;
}

static int begin(struct making *making)
{
	const struct call_tree *tree = making->tree;
	size_t i;

	memset(making->profile, 0, sizeof(*making->profile));
	for (i = 0; i < tree->nr; i++)
		making->profile->samples += tree->nodes[i].own;
	making->labels = namesakes_label(making->calls->symbolized.result);
	making->sorted = calloc(tree->nr + 1, sizeof(*making->sorted));
	making->first = calloc(tree->nr + 1, sizeof(*making->first));
	return making->labels && making->sorted && making->first ? 0 : -ENOMEM;
}

static int end(struct making *making, int error)
{
	free(making->labels);
	free(making->sorted);
	free(making->first);
	return error;
}

int tree_rows_make(struct profile *profile, const struct calls *calls,
		   const struct call_tree *tree, const struct call_tree_view *view, double least)
{
	struct making making = {
		.profile = profile, .calls = calls, .tree = tree, .view = view, .least = least,
	};
	int error = begin(&making);

	if (!error) {
		sort(&making);
		error = add_below(&making, RESULT_NO_NODE, 0);
	}
	return end(&making, error);
}

int tree_rows_make_pairs(struct profile *profile, const struct calls *calls,
			 const struct call_tree *tree)
{
	const struct symbolized *symbolized = &calls->symbolized;
	struct making making = { .profile = profile, .calls = calls, .tree = tree };
	int error = begin(&making);
	size_t i;

	for (i = 0; !error && i < tree->nr; i++) {
		struct call_node node = tree->nodes[i];
		struct profile_row *row;
		const uint32_t caller = node.parent == RESULT_NO_NODE ?
			(uint32_t)(symbolized->nr_functions + CALLS_NOBODY) : node.function;

		if (!node.own)
			continue;
		if (node.parent != RESULT_NO_NODE)
			node.function = tree->nodes[node.parent].function;
		node.samples = node.own;
		node.system = node.own_system;
		error = add_row(&making, strdup(calls_name(calls, node.function)), &node, 0);
		if (error)
			break;
		row = &profile->rows[profile->nr_rows - 1];
		row->has_name = node.function >= symbolized->nr_functions ||
				symbolized->functions[node.function].symbol;
		row->caller = strdup(calls_name(calls, caller));
		error = row->caller ? 0 : -ENOMEM;
	}
	if (!error)
		profile_sort(profile, PROFILE_BY_SAMPLES);
	return end(&making, error);
}
