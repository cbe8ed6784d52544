// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tables of a profile for Firefox Profiler. A frame is an address in user mode or in the
 * kernel, and has the line of the function itself: in inlined code, that of the call.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "export/firefox.h"
#include "export/stacks.h"
#include "util/text_tree.h"

/* A source file, by its name */
struct firefox_file {
	struct text_node name;
	size_t number;	/* index plus 1; 0: not added yet */
};

/* Find or add a source file. @index: set. Return: 0 or -ENOMEM. */
static int find_source(struct firefox_tables *tables, const char *name, size_t *index)
{
	struct firefox_file *source = text_tree_find(&tables->sources, name, sizeof(*source));

	if (!source)
		return -ENOMEM;
	if (!source->number) {
		tables->names[tables->nr_names++] = name;
		source->number = tables->nr_names;
	}
	*index = source->number - 1;
	return 0;
}

/* Find the line of a count in the function itself, of inlined code that of the call. */
static int find_line(struct firefox_tables *tables, size_t function, size_t count, int *line)
{
	struct source_frame frames[SYMBOLS_MAX_FRAMES];
	size_t nr = 0;
	int found = symbolized_frames(tables->functions, function, count, frames, &nr);

	*line = 0;
	if (found <= 0 || !nr || !frames[nr - 1].file)
		return found < 0 ? found : 0;
	*line = frames[nr - 1].line;
	if (tables->of_function[function] != SIZE_MAX)
		return 0;
	return find_source(tables, frames[nr - 1].file, &tables->of_function[function]);
}

static void add_sample(struct firefox_tables *tables, uint32_t thread, size_t stack,
		       uint64_t samples)
{
	if (samples)
		tables->samples[tables->nr_samples++] = (struct firefox_sample){
			thread, stack, samples,
		};
}

/* Add the samples of one address, as a frame for each mode that it has. @end: of all parts */
static void add_frames(struct firefox_tables *tables, const struct firefox_frame *frame,
		       const struct result_part *parts, const struct result_part *end)
{
	const struct result_part *part;
	enum firefox_category category;

	for (category = FIREFOX_USER; category <= FIREFOX_KERNEL; category++) {
		const size_t before = tables->nr_samples;

		for (part = parts; part < end && part->address == parts->address; part++)
			add_sample(tables, part->thread, tables->nr_stacks,
				   category == FIREFOX_KERNEL ? part->system :
				   part->samples - part->system);
		if (tables->nr_samples == before)
			continue;
		tables->stacks[tables->nr_stacks++] = (struct firefox_stack){
			tables->nr_frames, SIZE_MAX,
		};
		tables->frames[tables->nr_frames] = *frame;
		tables->frames[tables->nr_frames++].category = category;
	}
}

static int add_function(struct firefox_tables *tables, size_t i)
{
	const struct symbolized_function *function = &tables->functions->functions[i];
	const struct result_object *object = &tables->functions->result->objects[function->object];
	size_t j;
	int error;

	for (j = 0; j < function->nr_counts; j++) {
		struct firefox_frame frame = {
			.function = i, .address = object->counts[function->counts[j]].address,
			.category = FIREFOX_USER,
		};

		error = find_line(tables, i, j, &frame.line);
		if (error)
			return error;
		if (!tables->calls.result) {
			add_frames(tables, &frame, result_find_part(object, frame.address),
				   object->parts + object->nr_parts);
			continue;
		}
		tables->frames[stacks_address(&tables->calls, i, j)] = frame;
		tables->nr_frames++;
	}
	return 0;
}

/* A stack whose last frame is in the kernel. Return: its index. */
static size_t add_in_kernel(struct firefox_tables *tables, uint64_t node)
{
	struct firefox_stack *stack = &tables->stacks[tables->nr_stacks];

	*stack = tables->stacks[node];
	tables->frames[tables->nr_frames] = tables->frames[stack->frame];
	tables->frames[tables->nr_frames].category = FIREFOX_KERNEL;
	stack->frame = tables->nr_frames++;
	return tables->nr_stacks++;
}

/* Each node is a stack. The frames of what has no object come after those of addresses. */
static void add_stacks(struct firefox_tables *tables, const struct result *result)
{
	const size_t nr_addresses = tables->nr_frames;
	size_t kernel = 0 /* none yet */, i;

	for (i = 0; i < tables->nr_others; i++)
		tables->frames[tables->nr_frames++] = (struct firefox_frame){
			.function = tables->functions->nr_functions + i, .category = FIREFOX_USER,
		};
	for (i = 0; i < result->nr_nodes; i++) {
		const struct result_node *node = &result->nodes[i];

		tables->stacks[i] = (struct firefox_stack){
			node->object == RESULT_NO_OBJECT ? nr_addresses + node->address :
				stacks_address_of(&tables->calls, i),
			node->parent == RESULT_NO_NODE ? SIZE_MAX : node->parent,
		};
	}
	tables->nr_stacks = result->nr_nodes;
	for (i = 0; i < result->nr_stack_parts; i++) {
		const struct result_part *part = &result->stack_parts[i];

		add_sample(tables, part->thread, part->address, part->samples - part->system);
		/* the parts of a stack are neighbours */
		if (i && part[-1].address != part->address)
			kernel = 0;
		if (part->system && !kernel)
			kernel = add_in_kernel(tables, part->address);
		add_sample(tables, part->thread, kernel, part->system);
	}
}

static int compare_samples(const void *va, const void *vb)
{
	const struct firefox_sample *a = va, *b = vb;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return a->stack < b->stack ? -1 : a->stack > b->stack;
}

/* Return: 0 or -ENOMEM. */
static int make_room(struct firefox_tables *tables, const struct result *result)
{
	size_t nr = result->nr_outside_parts + result->nr_stack_parts, i;
	const size_t nr_functions = tables->functions->nr_functions + tables->nr_others;

	for (i = 0; i < result->nr_objects; i++)
		nr += result->objects[i].nr_parts;
	/* each part is in two modes at most */
	nr = 2 * nr + result->nr_nodes + tables->nr_others;
	tables->frames = calloc(nr, sizeof(*tables->frames));
	tables->stacks = calloc(nr, sizeof(*tables->stacks));
	tables->samples = calloc(nr, sizeof(*tables->samples));
	tables->names = calloc(nr_functions, sizeof(*tables->names));
	tables->of_function = calloc(nr_functions, sizeof(*tables->of_function));
	if (!tables->frames || !tables->stacks || !tables->samples || !tables->names ||
	    !tables->of_function)
		return -ENOMEM;
	memset(tables->of_function, 0xff, nr_functions * sizeof(*tables->of_function));
	return 0;
}

int firefox_tables_make(struct firefox_tables *tables, const struct symbolized *symbolized)
{
	const struct result *result = symbolized->result;
	const struct firefox_frame outside = { .function = symbolized->nr_functions };
	const bool has_stacks = result->nr_stack_parts;
	int error = has_stacks ? stacks_find(&tables->calls, symbolized) : 0;
	size_t i;

	tables->functions = has_stacks ? &tables->calls.symbolized : symbolized;
	tables->nr_others = has_stacks ? RESULT_NR_STACK : 1;
	if (!error)
		error = make_room(tables, result);
	for (i = 0; !error && i < tables->functions->nr_functions; i++)
		error = add_function(tables, i);
	if (error)
		return error;
	if (has_stacks)
		add_stacks(tables, result);
	else if (result->nr_outside_parts)
		add_frames(tables, &outside, result->outside_parts,
			   result->outside_parts + result->nr_outside_parts);
	qsort(tables->samples, tables->nr_samples, sizeof(*tables->samples), compare_samples);
	return 0;
}

void firefox_tables_release(struct firefox_tables *tables)
{
	tdestroy(tables->sources, free);
	calls_release(&tables->calls);
	free(tables->frames);
	free(tables->stacks);
	free(tables->samples);
	free(tables->names);
	free(tables->of_function);
	memset(tables, 0, sizeof(*tables));
}
