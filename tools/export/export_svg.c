// SPDX-License-Identifier: GPL-2.0-only
/*
 * A flame graph as one picture: each function is above its caller, and as wide as its share of the
 * samples. A viewer shows the name and the figures of a function below the pointer. Each is an
 * inner picture, which cuts its name off.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "export/export.h"
#include "profile/call_tree.h"
#include "util/escape.h"

#define WIDTH		1200
#define ROW		16	/* height of a function */
#define HEAD		40
#define LEAST_WIDTH	0.2	/* of a function that is drawn; so it is for those that it calls */
#define TEXT_WIDTH	20	/* from here on, it has a name */
#define FONT		"font-family=\"monospace\" font-size=\"11\""

/* Where a function is: in samples from the left edge, and in functions from the bottom */
struct place {
	uint64_t at;
	uint64_t next;	/* of the next function that it calls */
	uint32_t depth;
};

struct flames {
	FILE *out;
	const struct calls *calls;
	struct call_tree tree;
	uint32_t *order;	/* nodes, those with most samples first, so callers before callees */
	struct place *places;	/* by node */
	uint64_t samples;
	uint32_t depth;
	int error;	/* of printing: 0 or -ENOMEM */
};

static void print_text(struct flames *flames, const char *text)
{
	char *line = escape_line(text);
	const char *at;

	if (!line)
		flames->error = -ENOMEM;
	for (at = line; at && *at; at++) {
		if (*at == '<')
			fputs("&lt;", flames->out);
		else if (*at == '&')
			fputs("&amp;", flames->out);
		else
			putc(*at, flames->out);
	}
	free(line);
}

static double width_of(const struct flames *flames, uint64_t samples)
{
	return (double)samples / (double)flames->samples * WIDTH;
}

static int compare_nodes(const void *va, const void *vb, void *of)
{
	const struct call_node *nodes = of;
	const uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;

	if (nodes[a].samples != nodes[b].samples)
		return nodes[a].samples > nodes[b].samples ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* The places of all nodes. Return: 0 or -ENOMEM. */
static int find_places(struct flames *flames)
{
	const struct call_node *nodes = flames->tree.nodes;
	uint64_t root = 0;
	size_t i;

	flames->order = calloc(flames->tree.nr + 1, sizeof(*flames->order));
	flames->places = calloc(flames->tree.nr + 1, sizeof(*flames->places));
	if (!flames->order || !flames->places)
		return -ENOMEM;
	for (i = 0; i < flames->tree.nr; i++) {
		flames->order[i] = (uint32_t)i;
		flames->samples += nodes[i].own;
	}
	qsort_r(flames->order, flames->tree.nr, sizeof(*flames->order), compare_nodes,
		flames->tree.nodes);
	for (i = 0; i < flames->tree.nr; i++) {
		const struct call_node *node = &nodes[flames->order[i]];
		struct place *place = &flames->places[flames->order[i]];
		struct place *caller = node->parent == RESULT_NO_NODE ? NULL :
									&flames->places[node->parent];
		uint64_t *next = caller ? &caller->next : &root;

		*place = (struct place){ *next, *next, caller ? caller->depth + 1 : 1 };
		*next += node->samples;
		if (width_of(flames, node->samples) >= LEAST_WIDTH && place->depth > flames->depth)
			flames->depth = place->depth;
	}
	return 0;
}

/* Print a warm colour, the same for the same name; of what is not known a grey one. */
static void print_colour(FILE *out, const char *name)
{
	unsigned int hash = 0;

	if (*name == '[') {
		fputs("#ccc", out);
		return;
	}
	while (*name)
		hash = hash * 31 + (unsigned char)*name++;
	fprintf(out, "rgb(%u,%u,%u)", 205 + hash % 50, 90 + hash / 50 % 140, hash / 7000 % 80);
}

static void print_node(struct flames *flames, uint32_t number)
{
	const struct call_node *node = &flames->tree.nodes[number];
	const struct place *place = &flames->places[number];
	const double width = width_of(flames, node->samples);
	const char *name = calls_name(flames->calls, node->function);

	fprintf(flames->out,
		"<svg x=\"%.2f\" y=\"%" PRIu32 "\" width=\"%.2f\" height=\"%d\"><title>",
		width_of(flames, place->at), HEAD + (flames->depth - place->depth) * ROW, width, ROW);
	print_text(flames, name);
	fprintf(flames->out,
		": %" PRIu64 " samples, %.2f %%</title><rect width=\"%.2f\" height=\"%d\" fill=\"",
		node->samples, 100 * (double)node->samples / (double)flames->samples, width, ROW - 1);
	print_colour(flames->out, name);
	fputs("\"/>", flames->out);
	if (width >= TEXT_WIDTH) {
		fputs("<text x=\"3\" y=\"12\" " FONT ">", flames->out);
		print_text(flames, name);
		fputs("</text>", flames->out);
	}
	fputs("</svg>\n", flames->out);
}

static int print_flames(struct flames *flames, const struct result *result)
{
	const unsigned int height = HEAD + flames->depth * ROW;
	char *command = export_command_line(result);
	size_t i;

	if (!command)
		return -ENOMEM;
	fprintf(flames->out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\">\n"
		"<rect width=\"%d\" height=\"%u\" fill=\"#fff\"/>\n<text x=\"3\" y=\"16\" " FONT ">",
		WIDTH, height, WIDTH, height);
	print_text(flames, command);
	fprintf(flames->out, "</text>\n<text x=\"3\" y=\"30\" " FONT ">%" PRIu64
		" samples = %.3f s of CPU time</text>\n",
		flames->samples, result_seconds(result, flames->samples));
	for (i = 0; i < flames->tree.nr; i++)
		if (width_of(flames, flames->tree.nodes[flames->order[i]].samples) >= LEAST_WIDTH)
			print_node(flames, flames->order[i]);
	fputs("</svg>\n", flames->out);
	free(command);
	return flames->error;
}

int export_svg(FILE *out, const struct symbolized *symbolized)
{
	struct calls calls;
	struct flames flames = { .out = out, .calls = &calls };
	int error;

	if (!symbolized->result->nr_stack_parts)
		return -ENODATA;
	error = call_tree_of(&flames.tree, &calls, symbolized);
	if (!error)
		error = find_places(&flames);
	if (!error)
		error = print_flames(&flames, symbolized->result);
	free(flames.order);
	free(flames.places);
	call_tree_release(&flames.tree);
	calls_release(&calls);
	return error;
}
