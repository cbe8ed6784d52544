// SPDX-License-Identifier: GPL-2.0-only
/*
 * The functions in the call stacks of a result. Nodes get them as samples do, from
 * symbolize_result(): for a copy of the result whose counts are at the addresses of nodes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/calls.h"
#include "result/stacks.h"
#include "symbol/demangle.h"
#include "util/folded.h"

static int compare_nodes(const void *va, const void *vb, void *nodes)
{
	const struct result_node *a = (const struct result_node *)nodes + *(const uint32_t *)va;
	const struct result_node *b = (const struct result_node *)nodes + *(const uint32_t *)vb;

	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	return a->address < b->address ? -1 : a->address > b->address;
}

/* Return: the nodes by object and address, to free(); those without an object are last. */
static uint32_t *sort_nodes(const struct result *result)
{
	uint32_t *sorted = calloc(result->nr_nodes + 1, sizeof(*sorted));
	size_t i;

	for (i = 0; sorted && i < result->nr_nodes; i++)
		sorted[i] = (uint32_t)i;
	if (sorted)
		qsort_r(sorted, result->nr_nodes, sizeof(*sorted), compare_nodes, result->nodes);
	return sorted;
}

/* List the addresses of each object. Each node gets the index of its address, not a function. */
static void list_addresses(struct calls *calls, const uint32_t *sorted)
{
	const struct result *result = calls->result;
	struct result_count *next = calls->addresses;
	size_t i;

	for (i = 0; i < result->nr_objects; i++) {
		calls->addressed.objects[i] = result->objects[i];
		calls->addressed.objects[i].nr_counts = 0;
		calls->addressed.objects[i].counts = next;
	}
	for (i = 0; i < result->nr_nodes; i++) {
		const struct result_node *node = &result->nodes[sorted[i]];
		struct result_object *object;

		if (node->object == RESULT_NO_OBJECT)
			return;
		object = &calls->addressed.objects[node->object];
		if (!object->nr_counts)
			object->counts = next;
		if (!object->nr_counts || next[-1].address != node->address) {
			*next++ = (struct result_count){ .address = node->address };
			object->nr_counts++;
		}
		calls->of_node[sorted[i]] = (uint32_t)(next - 1 - calls->addresses);
	}
}

/* Replace the indexes of addresses by functions. Return: 0 or -ENOMEM. */
static int number_nodes(struct calls *calls)
{
	const struct symbolized *symbolized = &calls->symbolized;
	const struct result *result = calls->result;
	uint32_t *of_address = calloc(result->nr_nodes + 1, sizeof(*of_address));
	size_t i, j;

	if (!of_address)
		return -ENOMEM;
	for (i = 0; i < symbolized->nr_functions; i++) {
		const struct symbolized_function *function = &symbolized->functions[i];
		const struct result_count *first =
			calls->addressed.objects[function->object].counts;

		for (j = 0; j < function->nr_counts; j++)
			of_address[first + function->counts[j] - calls->addresses] = (uint32_t)i;
	}
	for (i = 0; i < result->nr_nodes; i++)
		calls->of_node[i] = result->nodes[i].object == RESULT_NO_OBJECT ?
			(uint32_t)(symbolized->nr_functions + result->nodes[i].address) :
			of_address[calls->of_node[i]];
	free(of_address);
	return 0;
}

/* Add up the samples of each function, once for a stack. Return: 0 or -ENOMEM. */
static int sum_totals(struct calls *calls)
{
	const struct result *result = calls->result;
	const size_t nr = calls->symbolized.nr_functions + CALLS_OTHERS;
	size_t *seen = calloc(nr, sizeof(*seen));
	size_t i;

	calls->totals = calloc(nr, sizeof(*calls->totals));
	if (!calls->totals || !seen) {
		free(seen);
		return -ENOMEM;
	}
	for (i = 0; i < result->nr_stack_parts; i++) {
		uint64_t at = result->stack_parts[i].address;

		for (; at != RESULT_NO_NODE; at = result->nodes[at].parent) {
			const uint32_t function = calls->of_node[at];

			if (seen[function] == i + 1)
				continue;
			seen[function] = i + 1;
			calls->totals[function] += result->stack_parts[i].samples;
		}
	}
	free(seen);
	return 0;
}

int calls_find(struct calls *calls, const struct result *result, symbols_find_fn *find,
	       void *symbols, symbolize_demangle_fn *demangle_name)
{
	uint32_t *sorted;
	int error = -ENOMEM;

	*calls = (struct calls){ .result = result };
	calls->addressed.objects = calloc(result->nr_objects + 1, sizeof(*result->objects));
	calls->addressed.nr_objects = result->nr_objects;
	calls->addresses = calloc(result->nr_nodes + 1, sizeof(*calls->addresses));
	calls->of_node = calloc(result->nr_nodes + 1, sizeof(*calls->of_node));
	sorted = sort_nodes(result);
	if (calls->addressed.objects && calls->addresses && calls->of_node && sorted) {
		list_addresses(calls, sorted);
		error = symbolize_result(&calls->symbolized, &calls->addressed, find, symbols,
					 demangle_name);
	}
	free(sorted);
	if (!error)
		error = number_nodes(calls);
	return error ? error : sum_totals(calls);
}

const char *calls_other_name(size_t other)
{
	switch (other) {
	case CALLS_ITSELF:
		return "(itself)";
	case CALLS_NOBODY:
		return "(nobody)";
	default:
		return result_stack_name((enum result_stack)other);
	}
}

const char *calls_name(const struct calls *calls, uint32_t number)
{
	const size_t nr = calls->symbolized.nr_functions;

	return number < nr ? calls->symbolized.functions[number].name :
			     calls_other_name(number - nr);
}

/* Whether a name is one of a function, which may be several that a linker has folded. */
static bool has_name(const char *names, const char *name)
{
	const char *one;
	size_t length;
	bool is = false;

	while (!is && (one = folded_next(&names, &length))) {
		char *copy = strndup(one, length);

		is = copy && demangle_is_named(copy, name);
		free(copy);
	}
	return is;
}

/* Whether a name is that of a function: mangled, demangled, or without parameters. */
static bool is_named(const struct symbolized_function *function, const char *name)
{
	char *demangled = function->symbol ? demangle(function->symbol) : NULL;
	const bool is = !strcmp(function->name, name) || has_name(function->name, name) ||
			has_name(function->symbol, name) || has_name(demangled, name);

	free(demangled);
	return is;
}

/* Return: for each number, whether it has the name, to free(); NULL: no memory. */
static bool *find_named(const struct calls *calls, const char *name)
{
	const size_t nr = calls->symbolized.nr_functions;
	bool *is = calloc(nr + CALLS_OTHERS, sizeof(*is));
	size_t i;

	for (i = 0; is && i < nr; i++)
		is[i] = is_named(&calls->symbolized.functions[i], name);
	for (i = 0; is && i < RESULT_NR_STACK; i++)
		is[nr + i] = !strcmp(calls_other_name(i), name);
	return is;
}

/* Return: the number of the neighbour in a stack; the count of all numbers: there is none. */
static size_t find_neighbour(const struct calls *calls, uint64_t node, const bool *is, bool callees)
{
	const struct result_node *nodes = calls->result->nodes;
	const size_t nr = calls->symbolized.nr_functions;
	size_t found = nr + CALLS_OTHERS, below = nr + CALLS_ITSELF;

	for (; node != RESULT_NO_NODE; node = nodes[node].parent) {
		const uint32_t function = calls->of_node[node];
		const uint32_t parent = nodes[node].parent;

		if (is[function] && callees)
			return below;
		if (is[function])
			found = parent == RESULT_NO_NODE ? nr + CALLS_NOBODY :
							   calls->of_node[parent];
		below = function;
	}
	return found;
}

struct calls_sum *calls_sum_neighbours(const struct calls *calls, const char *name, bool callees,
				       bool *is_found)
{
	const struct result *result = calls->result;
	const size_t nr = calls->symbolized.nr_functions + CALLS_OTHERS;
	struct calls_sum *sums = calloc(nr, sizeof(*sums));
	bool *is = find_named(calls, name);
	size_t i, of;

	*is_found = !sums || !is;
	for (i = 0; sums && is && i < result->nr_stack_parts; i++) {
		const struct result_part *part = &result->stack_parts[i];

		of = find_neighbour(calls, part->address, is, callees);
		if (of == nr)
			continue;
		*is_found = true;
		sums[of].samples += part->samples;
		sums[of].system += part->system;
	}
	free(is);
	if (is && *is_found)
		return sums;
	free(sums);
	return NULL;
}

void calls_release(struct calls *calls)
{
	symbolized_release(&calls->symbolized);
	free(calls->addressed.objects);
	free(calls->addresses);
	free(calls->of_node);
	free(calls->totals);
	memset(calls, 0, sizeof(*calls));
}
