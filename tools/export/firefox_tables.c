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
static int find_line(struct firefox_tables *tables, const struct symbolized *symbolized,
		     size_t function, size_t count, int *line)
{
	struct source_frame frames[SYMBOLS_MAX_FRAMES];
	size_t nr = 0;
	int found = symbolized_frames(symbolized, function, count, frames, &nr);

	*line = 0;
	if (found <= 0 || !nr || !frames[nr - 1].file)
		return found < 0 ? found : 0;
	*line = frames[nr - 1].line;
	if (tables->of_function[function] != SIZE_MAX)
		return 0;
	return find_source(tables, frames[nr - 1].file, &tables->of_function[function]);
}

static void add_sample(struct firefox_tables *tables, const struct result_part *part,
		       uint64_t samples)
{
	if (samples)
		tables->samples[tables->nr_samples++] = (struct firefox_sample){
			part->thread, tables->nr_frames, samples,
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
			add_sample(tables, part, category == FIREFOX_KERNEL ? part->system :
				   part->samples - part->system);
		if (tables->nr_samples == before)
			continue;
		tables->frames[tables->nr_frames] = *frame;
		tables->frames[tables->nr_frames++].category = category;
	}
}

static int add_function(struct firefox_tables *tables, const struct symbolized *symbolized,
			size_t i)
{
	const struct symbolized_function *function = &symbolized->functions[i];
	const struct result_object *object = &symbolized->result->objects[function->object];
	size_t j;
	int error;

	tables->of_function[i] = SIZE_MAX;
	for (j = 0; j < function->nr_counts; j++) {
		struct firefox_frame frame = {
			.function = i, .address = object->counts[function->counts[j]].address,
		};

		error = find_line(tables, symbolized, i, j, &frame.line);
		if (error)
			return error;
		add_frames(tables, &frame, result_find_part(object, frame.address),
			   object->parts + object->nr_parts);
	}
	return 0;
}

static int compare_samples(const void *va, const void *vb)
{
	const struct firefox_sample *a = va, *b = vb;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return a->frame < b->frame ? -1 : a->frame > b->frame;
}

int firefox_tables_make(struct firefox_tables *tables, const struct symbolized *symbolized)
{
	const struct result *result = symbolized->result;
	const struct firefox_frame outside = { .function = symbolized->nr_functions };
	size_t nr = result->nr_outside_parts, i;
	int error = 0;

	for (i = 0; i < result->nr_objects; i++)
		nr += result->objects[i].nr_parts;
	/* each part is in two modes at most */
	tables->frames = calloc(2 * nr + 1, sizeof(*tables->frames));
	tables->samples = calloc(2 * nr + 1, sizeof(*tables->samples));
	tables->names = calloc(symbolized->nr_functions + 1, sizeof(*tables->names));
	tables->of_function = calloc(symbolized->nr_functions + 1, sizeof(*tables->of_function));
	if (!tables->frames || !tables->samples || !tables->names || !tables->of_function)
		return -ENOMEM;
	for (i = 0; !error && i < symbolized->nr_functions; i++)
		error = add_function(tables, symbolized, i);
	tables->of_function[i] = SIZE_MAX;
	if (result->nr_outside_parts)
		add_frames(tables, &outside, result->outside_parts,
			   result->outside_parts + result->nr_outside_parts);
	qsort(tables->samples, tables->nr_samples, sizeof(*tables->samples), compare_samples);
	return error;
}

void firefox_tables_release(struct firefox_tables *tables)
{
	tdestroy(tables->sources, free);
	free(tables->frames);
	free(tables->samples);
	free(tables->names);
	free(tables->of_function);
	memset(tables, 0, sizeof(*tables));
}
