// SPDX-License-Identifier: GPL-2.0-only
/*
 * pprof's format. Without stacks, each sample is in the piece of its location. With them, these
 * come first: the addresses of all nodes, and what is outside all objects.
 *
 * A location has a line for each function that is inlined there, and a last one for the function
 * that has the code. The line is in the file of its function. If it is in another file, because the
 * debug information lacks what is inlined, another Function with that file is added.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/export.h"
#include "export/pprof.h"
#include "export/stacks.h"
#include "profile/namesakes.h"
#include "result/stacks.h"
#include "util/text_tree.h"

/* The name of an inlined function that has none */
static const char unknown[] = "(unknown)";

/* A source file, by its path */
struct pprof_file {
	struct text_node path;
	int64_t string;		/* index of the path in the table of strings; 0: not added yet */
	size_t function;	/* the last symbolized function with lines in this file */
	uint64_t id;		/* ID of that function's Function with this file; 0: none yet */
};

/* A function that is inlined somewhere. Equal texts have equal addresses (symbols_frames()). */
struct inlined {
	const char *name;
	const char *file;	/* NULL: unknown */
	uint64_t id;		/* of its Function */
};

/* Where the samples of a count belong */
struct place {
	uint64_t mapping;	/* ID, or 0 */
	struct {
		uint64_t function;	/* ID */
		int line;		/* 0: unknown */
	} lines[SYMBOLS_MAX_FRAMES];	/* innermost function first */
	size_t nr;
};

/* Make the sample of a stack, or of a place. @values: room for its values */
static void make_sample(const struct pprof *pprof, const struct result_count *count,
			Pprof__Sample *sample, int64_t *values)
{
	values[PPROF_SAMPLES] = count->samples < INT64_MAX ? (int64_t)count->samples : INT64_MAX;
	values[PPROF_CPU] = (int64_t)export_ns(pprof->result, count->samples);
	/* they add up */
	values[PPROF_SYSTEM] = (int64_t)export_ns(pprof->result, count->system);
	values[PPROF_USER] = values[PPROF_CPU] - values[PPROF_SYSTEM];
	sample->n_value = PPROF_NR_VALUES;
	sample->value = values;
}

/* Write the location of a place; without stacks, with the samples there. @id: of the location */
static void write_location(struct pprof *pprof, uint64_t id, const struct result_count *count,
			   const struct place *place)
{
	Pprof__Location location = PPROF__LOCATION__INIT, *location_of = &location;
	Pprof__Sample sample = PPROF__SAMPLE__INIT, *sample_of = &sample;
	Pprof__Line lines[SYMBOLS_MAX_FRAMES], *line_of[SYMBOLS_MAX_FRAMES];
	Pprof__Profile piece = PPROF__PROFILE__INIT;
	struct pprof_strings strings = { .nr = 0 };
	int64_t values[PPROF_NR_VALUES];
	size_t i;

	for (i = 0; i < place->nr; i++) {
		pprof__line__init(&lines[i]);
		lines[i].function_id = place->lines[i].function;
		lines[i].line = place->lines[i].line;
		line_of[i] = &lines[i];
	}
	location.id = id;
	location.mapping_id = place->mapping;
	location.address = count->address;
	location.n_line = place->nr;
	location.line = line_of;
	make_sample(pprof, count, &sample, values);
	sample.n_location_id = 1;
	sample.location_id = &location.id;
	piece.n_location = 1;
	piece.location = &location_of;
	piece.n_sample = !pprof->calls;
	piece.sample = &sample_of;
	pprof_write(pprof, &piece, &strings);
}

/* Find or add a source file. Return: NULL: no memory, and @pprof->error is set. */
static struct pprof_file *find_source(struct pprof *pprof, const char *path)
{
	struct pprof_file *source = text_tree_find(&pprof->sources, path, sizeof(*source));

	if (!source)
		pprof->error = -ENOMEM;
	return source;
}

/* Write a Function. @source: NULL: unknown. Return: the ID of the Function. */
static uint64_t add_function(struct pprof *pprof, const char *name, const char *symbol,
			     struct pprof_file *source, int start_line)
{
	Pprof__Function function = PPROF__FUNCTION__INIT, *function_of = &function;
	Pprof__Profile piece = PPROF__PROFILE__INIT;
	struct pprof_strings strings = { .nr = 0 };

	function.id = ++pprof->nr_functions;
	function.name = pprof_add_string(pprof, &strings, name);
	function.system_name = strcmp(name, symbol) ?
		pprof_add_string(pprof, &strings, symbol) : function.name;
	if (source && !source->string)
		source->string = pprof_add_string(pprof, &strings, source->path.text);
	if (source)
		function.filename = source->string;
	function.start_line = start_line;
	piece.n_function = 1;
	piece.function = &function_of;
	pprof_write(pprof, &piece, &strings);
	return function.id;
}

/*
 * The name of a function. Without a symbol, it has the object and the address, because pprof
 * merges functions with the same name. Return: a name to be freed with free(); NULL: no memory.
 */
static char *make_name(const struct pprof *pprof, const struct symbolized_function *function)
{
	char *name;

	if (function->symbol)
		return strdup(function->name);
	if (function->is_rest)
		return asprintf(&name, "%s %s", pprof->labels[function->object],
				function->name) < 0 ? NULL : name;
	if (asprintf(&name, "%s+0x%" PRIx64, pprof->labels[function->object], function->start) < 0)
		return NULL;
	return name;
}

/* Return: the ID of the Function for a function and a source file, which is added if necessary. */
static uint64_t function_in_source(struct pprof *pprof, size_t number, const char *name,
				   struct pprof_file *source, int start_line)
{
	const struct symbolized_function *function = &pprof->symbolized->functions[number];

	if (!source->id || source->function != number) {
		source->id = add_function(pprof, name,
					  function->symbol ? function->symbol : name,
					  source, start_line);
		source->function = number;
	}
	pprof->known[function->object].files = true;
	return source->id;
}

static int compare_inlined(const void *va, const void *vb)
{
	const struct inlined *a = va, *b = vb;

	if (a->name != b->name)
		return (uintptr_t)a->name < (uintptr_t)b->name ? -1 : 1;
	return (uintptr_t)a->file < (uintptr_t)b->file ? -1 :
	       (uintptr_t)a->file > (uintptr_t)b->file;
}

/* Write a Function for an inlined function. Return: its ID. */
static uint64_t write_inlined(struct pprof *pprof, const struct inlined *inlined, int start_line)
{
	const struct symbolized *symbolized = pprof->symbolized;
	char *name = symbolized->demangle ? symbolized->demangle(inlined->name) : NULL;
	struct pprof_file *source = inlined->file ? find_source(pprof, inlined->file) : NULL;
	uint64_t id = add_function(pprof, name ? name : inlined->name, inlined->name, source,
				   start_line);

	free(name);
	return id;
}

/* Return: the ID of the Function for an inlined function, which is added if necessary. */
static uint64_t inlined_function(struct pprof *pprof, const struct source_frame *frame)
{
	const struct inlined key = {
		.name = frame->function ? frame->function : unknown, .file = frame->file,
	};
	struct inlined **found = tfind(&key, &pprof->inlined, compare_inlined), *new;

	if (found)
		return (*found)->id;
	new = malloc(sizeof(*new));
	if (new) {
		*new = key;
		new->id = write_inlined(pprof, new, pprof->calls ? frame->declared : 0);
		if (tsearch(new, &pprof->inlined, compare_inlined))
			return new->id;
		free(new);
	}
	pprof->error = -ENOMEM;
	return 0;
}

/*
 * Find the functions at a count. The lines of all but the last are in files of their own. Return:
 * whether the last one has a line, which is set.
 */
static bool find_functions(struct pprof *pprof, size_t number, size_t count, struct place *place,
			   struct source_line *last)
{
	const size_t object = pprof->symbolized->functions[number].object;
	struct source_frame frames[SYMBOLS_MAX_FRAMES];
	size_t nr, i;
	int found = symbolized_frames(pprof->symbolized, number, count, frames, &nr);

	for (i = 0; found == 1 && i + 1 < nr; i++) {
		place->lines[i].function = inlined_function(pprof, &frames[i]);
		place->lines[i].line = frames[i].line;
		pprof->known[object].names = true;
		pprof->known[object].files |= !!frames[i].file;
	}
	place->nr = i + 1;
	if (found == 1)
		*last = (struct source_line){ frames[i].file, frames[i].line };
	else if (!found)
		found = symbolized_line(pprof->symbolized, number, count, last);
	if (found < 0)
		pprof->error = found;
	return found == 1 && last->file;
}

/* Write the places of a function. @id: its ID for counts without a line */
static void write_counts(struct pprof *pprof, size_t number, const char *name, uint64_t id)
{
	const struct symbolized *symbolized = pprof->symbolized;
	const struct symbolized_function *function = &symbolized->functions[number];
	const struct result_object *object = &symbolized->result->objects[function->object];
	size_t i;

	for (i = 0; !pprof->error && i < function->nr_counts; i++) {
		struct place place = { .mapping = function->object + 1 };
		bool has_line;
		struct source_line line;
		struct pprof_file *source;

		has_line = find_functions(pprof, number, i, &place, &line);
		source = has_line ? find_source(pprof, line.file) : NULL;
		place.lines[place.nr - 1].function =
			source ? function_in_source(pprof, number, name, source, 0) : id;
		place.lines[place.nr - 1].line = source ? line.line : 0;
		write_location(pprof, pprof->calls ? stacks_address(pprof->calls, number, i) + 1 :
						     ++pprof->nr_locations,
			       &object->counts[function->counts[i]], &place);
	}
}

static void write_function(struct pprof *pprof, size_t number)
{
	const struct symbolized_function *function = &pprof->symbolized->functions[number];
	char *name = make_name(pprof, function);
	struct pprof_file *source = NULL;
	struct source_line line;
	uint64_t id;
	int found;

	if (!name) {
		pprof->error = -ENOMEM;
		return;
	}
	found = symbolized_start_line(pprof->symbolized, number, &line);
	if (found < 0)
		pprof->error = found;
	if (found == 1)
		source = find_source(pprof, line.file);
	if (source)
		id = function_in_source(pprof, number, name, source, line.line);
	else
		id = add_function(pprof, name, function->symbol ? function->symbol : name,
				  NULL, 0);
	if (function->symbol)
		pprof->known[function->object].names = true;
	write_counts(pprof, number, name, id);
	free(name);
}

/* Write a location outside all objects. */
static void write_other(struct pprof *pprof, uint64_t id, const char *name,
			const struct result_count *count)
{
	struct place place = { .nr = 1 };

	place.lines[0].function = add_function(pprof, name, name, NULL, 0);
	write_location(pprof, id, count, &place);
}

/* Write the samples of a stack, which has the innermost location first. @ids: room for them */
static void write_stack(struct pprof *pprof, const struct result_count *count, uint64_t *ids)
{
	Pprof__Sample sample = PPROF__SAMPLE__INIT, *sample_of = &sample;
	Pprof__Profile piece = PPROF__PROFILE__INIT;
	struct pprof_strings strings = { .nr = 0 };
	int64_t values[PPROF_NR_VALUES];
	uint64_t node = count->address;

	make_sample(pprof, count, &sample, values);
	for (; node != RESULT_NO_NODE; node = pprof->result->nodes[node].parent)
		ids[sample.n_location_id++] = stacks_address_of(pprof->calls, node) + 1;
	sample.location_id = ids;
	piece.n_sample = 1;
	piece.sample = &sample_of;
	pprof_write(pprof, &piece, &strings);
}

static void write_stacks(struct pprof *pprof)
{
	const struct result *result = pprof->result;
	const struct result_count none = { 0 };
	static uint64_t ids[RESULT_MAX_DEPTH];
	struct result_count sum;
	size_t i;

	for (i = RESULT_STACK_NONE; i < RESULT_NR_STACK; i++)
		write_other(pprof, result->nr_nodes + i + 1,
			    result_stack_name((enum result_stack)i), &none);
	for (i = 0; !pprof->error && i < result->nr_stack_parts; ) {
		i = stacks_sum(result, i, &sum);
		write_stack(pprof, &sum, ids);
	}
}

static void write_profile(struct pprof *pprof)
{
	const struct result_count outside = {
		.samples = pprof->result->outside, .system = pprof->result->outside_system,
	};
	size_t i;

	for (i = 0; !pprof->error && i < pprof->symbolized->nr_functions; i++)
		write_function(pprof, i);
	if (pprof->calls)
		write_stacks(pprof);
	else if (outside.samples)
		write_other(pprof, ++pprof->nr_locations, RESULT_OUTSIDE, &outside);
}

int export_pprof(FILE *out, const struct symbolized *symbolized)
{
	const struct result *result = symbolized->result;
	struct calls calls = { 0 };
	struct pprof pprof = {
		.out = out,
		.result = result,
		.symbolized = symbolized,
		.labels = namesakes_label(result),
		.known = calloc(result->nr_objects + 1, sizeof(*pprof.known)),
	};

	if (!pprof.labels || !pprof.known)
		pprof.error = -ENOMEM;
	if (!pprof.error && result->nr_stack_parts) {
		pprof.error = stacks_find(&calls, symbolized);
		pprof.calls = &calls;
		pprof.symbolized = &calls.symbolized;
	}
	if (!pprof.error && !pprof_begin(&pprof)) {
		pprof.error = -ENOMEM;
	} else if (!pprof.error) {
		write_profile(&pprof);
		pprof_end(&pprof);
	}
	tdestroy(pprof.sources, free);
	tdestroy(pprof.inlined, free);
	free(pprof.labels);
	free(pprof.known);
	calls_release(&calls);
	return pprof.error;
}
