// SPDX-License-Identifier: GPL-2.0-only
/*
 * The call stacks in a page: a list of functions below their callers, which come first. Each is the
 * index of its caller, or -1; the index of its name in a list of their own; and its own samples, as
 * a function of the table has them.
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

/*
 * struct numbering - what nodes and functions have in the page
 * @of_node:     index of each node, or of the one above it that is printed; -1: none
 * @of_function: 1 plus the index of its name; 0: it has none
 * @functions:   in the order of their names
 */
struct numbering {
	long *of_node;
	uint32_t *of_function;
	uint32_t *functions;
	uint32_t nr_functions;
};

static int begin(struct numbering *numbering, const struct call_tree *tree,
		 const struct calls *calls)
{
	const size_t nr = calls->symbolized.nr_functions + CALLS_OTHERS;

	numbering->of_node = calloc(tree->nr + 1, sizeof(*numbering->of_node));
	numbering->of_function = calloc(nr, sizeof(*numbering->of_function));
	numbering->functions = calloc(nr, sizeof(*numbering->functions));
	return numbering->of_node && numbering->of_function && numbering->functions ? 0 : -ENOMEM;
}

static uint32_t number_function(struct numbering *numbering, uint32_t function)
{
	uint32_t *number = &numbering->of_function[function];

	if (!*number) {
		numbering->functions[numbering->nr_functions++] = function;
		*number = numbering->nr_functions;
	}
	return *number - 1;
}

static void print_names(struct json *json, const struct calls *calls,
			const struct numbering *numbering)
{
	uint32_t i;

	json_member(json, "names");
	json_enter(json, '[');
	for (i = 0; i < numbering->nr_functions; i++) {
		json_next(json);
		escape_json(json->out, calls_name(calls, numbering->functions[i]));
	}
	json_leave(json, ']');
}

static int compare_parts(const void *va, const void *vb)
{
	const struct result_part *a = va, *b = vb;

	return a->address < b->address ? -1 : a->address > b->address;
}

/*
 * Print the nodes with a large enough share. The samples of others count for their callers.
 * @parts: room for all parts of stacks
 */
static int print_nodes(struct json *json, const struct call_tree *tree, const struct result *result,
		       const struct html_groups *groups, struct numbering *numbering,
		       struct result_part *parts)
{
	const uint64_t all = result_samples(result);
	long *index = numbering->of_node;
	struct result_part *part = parts, *end = parts;
	long nr = 0;
	int error = 0;
	size_t i;

	for (i = 0; i < tree->nr; i++) {
		const struct call_node *node = &tree->nodes[i];

		index[i] = node->parent == RESULT_NO_NODE ? -1 : index[node->parent];
		if (node->samples && node->samples >= all / LEAST_SHARE)
			index[i] = nr++;
	}
	for (i = 0; i < result->nr_stack_parts; i++) {
		*end = result->stack_parts[i];
		end->address = (uint64_t)index[tree->of_part[i]];
		end += index[tree->of_part[i]] >= 0;
	}
	qsort(parts, (size_t)(end - parts), sizeof(*parts), compare_parts);
	json_member(json, "nodes");
	json_enter(json, '[');
	for (i = 0, nr = 0; !error && i < tree->nr; i++) {
		const uint32_t parent = tree->nodes[i].parent;
		const struct result_part *first = part;
		uint64_t own = 0, system = 0;

		if (index[i] != nr)
			continue;
		for (; part < end && part->address == (uint64_t)nr; part++) {
			own += part->samples;
			system += part->system;
		}
		json_next(json);
		fprintf(json->out, "[%ld,%" PRIu32 ",%" PRIu64 ",%" PRIu64,
			parent == RESULT_NO_NODE ? -1 : index[parent],
			number_function(numbering, tree->nodes[i].function), own, system);
		error = html_groups_print_parts(json->out, groups, result, first,
						(size_t)(part - first));
		putc(']', json->out);
		nr++;
	}
	json_leave(json, ']');
	return error;
}

int html_flames_print(struct json *json, const struct symbolized *symbolized,
		      const struct html_groups *groups)
{
	const struct result *result = symbolized->result;
	struct result_part *parts = NULL;
	struct call_tree tree;
	struct calls calls;
	struct numbering numbering = { 0 };
	int error;

	if (!result->nr_stack_parts)
		return 0;
	error = call_tree_of(&tree, &calls, symbolized);
	if (!error) {
		parts = calloc(result->nr_stack_parts + 1, sizeof(*parts));
		error = parts ? begin(&numbering, &tree, &calls) : -ENOMEM;
	}
	if (!error) {
		json_member(json, "flames");
		json_enter(json, '{');
		error = print_nodes(json, &tree, result, groups, &numbering, parts);
		print_names(json, &calls, &numbering);
		json_leave(json, '}');
	}
	free(numbering.of_node);
	free(numbering.of_function);
	free(numbering.functions);
	free(parts);
	call_tree_release(&tree);
	calls_release(&calls);
	return error;
}
