// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who calls whom, for callgrind's format: the nodes of the outermost functions, by what they are.
 */
#include <stdlib.h>

#include "export/callgrind.h"
#include "export/stacks.h"

static int compare_calls(const void *va, const void *vb)
{
	const struct callgrind_call *a = va, *b = vb;

	if (a->caller != b->caller)
		return a->caller < b->caller ? -1 : 1;
	if (a->cost.address != b->cost.address)
		return a->cost.address < b->cost.address ? -1 : 1;
	return a->callee < b->callee ? -1 : a->callee > b->callee;
}

static bool is_outermost(const struct calls *calls, uint32_t node)
{
	const uint32_t function = calls->of_node[node];

	while ((node = calls->result->nodes[node].parent) != RESULT_NO_NODE)
		if (calls->of_node[node] == function)
			return false;
	return true;
}

struct callgrind_call *callgrind_list_calls(const struct calls *calls, size_t *nr)
{
	const struct result *result = calls->result;
	struct callgrind_call *list = calloc(result->nr_nodes + 1, sizeof(*list));
	struct result_count *totals = stacks_totals(result);
	size_t i, all = 0;

	*nr = 0;
	if (!list || !totals) {
		free(list);
		free(totals);
		return NULL;
	}
	for (i = 0; i < result->nr_nodes; i++) {
		const uint32_t parent = result->nodes[i].parent;
		struct callgrind_call call = { .cost = totals[i] };

		if (!call.cost.samples || !is_outermost(calls, (uint32_t)i))
			continue;
		call.callee = calls->of_node[i];
		call.node = parent;
		call.caller = (uint32_t)calls->symbolized.nr_functions + CALLS_NOBODY;
		if (parent != RESULT_NO_NODE) {
			call.caller = calls->of_node[parent];
			if (result->nodes[parent].object != RESULT_NO_OBJECT)
				call.cost.address = result->nodes[parent].address;
		}
		list[all++] = call;
	}
	free(totals);
	qsort(list, all, sizeof(*list), compare_calls);
	for (i = 0; i < all; i++) {
		if (*nr && !compare_calls(&list[*nr - 1], &list[i])) {
			list[*nr - 1].cost.samples += list[i].cost.samples;
			list[*nr - 1].cost.system += list[i].cost.system;
		} else {
			list[(*nr)++] = list[i];
		}
	}
	return list;
}
