// SPDX-License-Identifier: GPL-2.0-only
/*
 * The call stacks of a result, for formats that have the place of each call.
 */
#include <stdlib.h>

#include "export/stacks.h"
#include "util/array.h"

int stacks_find(struct calls *calls, const struct symbolized *symbolized)
{
	int error = calls_find(calls, symbolized->result, symbolized->find, symbolized->find_data,
			       symbolized->demangle);

	calls->symbolized.find_line = symbolized->find_line;
	calls->symbolized.find_frames = symbolized->find_frames;
	calls->symbolized.symbols = symbolized->symbols;
	return error;
}

size_t stacks_address(const struct calls *calls, size_t function, size_t count)
{
	const struct symbolized_function *of = &calls->symbolized.functions[function];
	const struct result_object *object = &calls->addressed.objects[of->object];

	return (size_t)(&object->counts[of->counts[count]] - calls->addresses);
}

size_t stacks_address_of(const struct calls *calls, uint64_t node)
{
	const struct result_node *of = &calls->result->nodes[node];
	const struct result_object *object;
	size_t i;

	if (of->object == RESULT_NO_OBJECT)
		return calls->result->nr_nodes + of->address;
	object = &calls->addressed.objects[of->object];
	i = array_first_not(object->nr_counts, j, object->counts[j].address < of->address);
	return (size_t)(&object->counts[i] - calls->addresses);
}

size_t stacks_sum(const struct result *result, size_t i, struct result_count *sum)
{
	const struct result_part *parts = result->stack_parts;

	for (*sum = (struct result_count){ .address = parts[i].address };
	     i < result->nr_stack_parts && parts[i].address == sum->address; i++) {
		sum->samples += parts[i].samples;
		sum->system += parts[i].system;
	}
	return i;
}

struct result_count *stacks_totals(const struct result *result)
{
	struct result_count *totals = calloc(result->nr_nodes + 1, sizeof(*totals));
	size_t i;

	if (!totals)
		return NULL;
	for (i = 0; i < result->nr_stack_parts; i++) {
		const struct result_part *part = &result->stack_parts[i];

		totals[part->address].samples += part->samples;
		totals[part->address].system += part->system;
	}
	/* callers come first */
	for (i = result->nr_nodes; i-- > 0; ) {
		const uint32_t parent = result->nodes[i].parent;

		if (parent == RESULT_NO_NODE)
			continue;
		totals[parent].samples += totals[i].samples;
		totals[parent].system += totals[i].system;
	}
	return totals;
}
