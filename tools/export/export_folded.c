// SPDX-License-Identifier: GPL-2.0-only
/*
 * Folded stacks: call stacks if the result has them; else each is an object and a function. Names
 * may contain spaces, because readers look for the count after the last space of a line.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "export/export.h"
#include "profile/call_tree.h"
#include "profile/calls.h"
#include "util/base_name.h"
#include "util/escape.h"

#define SEPARATOR	";"

/* A stack of the tree, to be sorted by samples */
struct stack {
	uint64_t samples;
	uint32_t node;
};

static int compare_stacks(const void *va, const void *vb)
{
	const struct stack *a = va, *b = vb;

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	return a->node < b->node ? -1 : 1;
}

/* Print the frames of a stack from the outermost one. @path: room for its nodes */
static void print_stack(FILE *out, const struct calls *calls, const struct call_tree *tree,
			const struct stack *stack, uint32_t *path)
{
	uint32_t at = stack->node;
	size_t nr = 0;

	for (; at != RESULT_NO_NODE; at = tree->nodes[at].parent)
		path[nr++] = at;
	while (nr--) {
		escape_octal(out, calls_name(calls, tree->nodes[path[nr]].function), SEPARATOR);
		if (nr)
			fputs(SEPARATOR, out);
	}
	fprintf(out, " %" PRIu64 "\n", stack->samples);
}

static int print_tree(FILE *out, const struct calls *calls, const struct call_tree *tree)
{
	struct stack *stacks = calloc(tree->nr + 1, sizeof(*stacks));
	uint32_t *path = calloc(tree->nr + 1, sizeof(*path));
	const int error = stacks && path ? 0 : -ENOMEM;
	size_t nr = 0, i;

	for (i = 0; !error && i < tree->nr; i++)
		if (tree->nodes[i].own)
			stacks[nr++] = (struct stack){ tree->nodes[i].own, (uint32_t)i };
	if (nr)
		qsort(stacks, nr, sizeof(*stacks), compare_stacks);
	for (i = 0; i < nr; i++)
		print_stack(out, calls, tree, &stacks[i], path);
	free(stacks);
	free(path);
	return error;
}

static int print_stacks(FILE *out, const struct symbolized *symbolized)
{
	struct call_tree tree;
	struct calls calls;
	int error = call_tree_of(&tree, &calls, symbolized);

	if (!error)
		error = print_tree(out, &calls, &tree);
	call_tree_release(&tree);
	calls_release(&calls);
	return error;
}

int export_folded(FILE *out, const struct symbolized *symbolized)
{
	const struct result *result = symbolized->result;
	size_t *order, i;

	if (result->nr_stack_parts)
		return print_stacks(out, symbolized);
	order = symbolized_by_samples(symbolized);
	if (!order)
		return -ENOMEM;
	for (i = 0; i < symbolized->nr_functions; i++) {
		const struct symbolized_function *function =
			&symbolized->functions[order[i]];

		escape_octal(out, base_name(result->objects[function->object].path),
			     SEPARATOR);
		fputs(SEPARATOR, out);
		escape_octal(out, function->name, SEPARATOR);
		fprintf(out, " %" PRIu64 "\n", function->samples);
	}
	if (result->outside)
		fprintf(out, "%s %" PRIu64 "\n", RESULT_OUTSIDE, result->outside);
	free(order);
	return 0;
}
