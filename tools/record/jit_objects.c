// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes objects of code that programs have made. Processes of a program have different code at the
 * same addresses. As that code is gone, its addresses only have to keep apart what is not the
 * same: the code is sorted by the address where it was seen first, and moved up where it overlaps.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <search.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/jit_objects.h"

/* Code that has an address: a function, or instructions without a name */
struct piece {
	uint64_t start;
	const char *name;		/* NULL: none */
	const struct result_part *parts;	/* their addresses are relative to @start */
	size_t nr_parts;
};

struct pieces {
	struct piece *of;
	size_t nr;
	size_t nr_parts;
	int error;
};

size_t jit_objects_count(const struct jit *jit)
{
	const struct jit_program *program;
	size_t nr = 0;

	for (program = jit->programs; program; program = program->next)
		nr++;
	return nr;
}

static int compare_pieces(const void *va, const void *vb)
{
	const struct piece *a = va, *b = vb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (!a->name || !b->name)
		return !b->name - !a->name;
	return strcmp(a->name, b->name);
}

/* Collect the samples without a name, including those of processes that have not ended. */
static int collect_nameless(const struct jit *jit, const struct jit_program *program,
			    struct counts *nameless)
{
	const struct jit_process *process;
	int error = counts_add_all(nameless, &program->nameless);

	for (process = jit->processes; !error && process; process = process->next)
		if (process->program == program)
			error = counts_add_all(nameless, &process->counts);
	return error ? error : counts_sort(nameless);
}

static void add_function(const void *node, VISIT visit, void *data)
{
	struct jit_function *function = *(struct jit_function *const *)node;
	struct pieces *pieces = data;

	if (visit != postorder && visit != leaf)
		return;
	if (counts_sort(&function->counts))
		pieces->error = -ENOMEM;
	pieces->of[pieces->nr++] = (struct piece){
		function->start, function->name, function->counts.parts, function->counts.nr,
	};
	pieces->nr_parts += function->counts.nr;
}

/*
 * Instructions without a name are pieces of their own. The addresses of @nameless become 0, as they
 * are relative to the piece's.
 */
static void add_nameless(struct pieces *pieces, struct counts *nameless)
{
	struct result_part *parts = nameless->parts;
	size_t first, next;

	for (first = 0; first < nameless->nr; first = next) {
		const uint64_t start = parts[first].address;

		for (next = first; next < nameless->nr && parts[next].address == start; next++)
			;
		pieces->of[pieces->nr++] = (struct piece){
			start, NULL, &parts[first], next - first
		};
	}
	for (first = 0; first < nameless->nr; first++)
		parts[first].address = 0;
	pieces->nr_parts += nameless->nr;
}

/* Return: 0; or -ENOMEM, and @pieces->of must be freed nevertheless. */
static int collect_pieces(const struct jit_program *program, struct counts *nameless,
			  struct pieces *pieces)
{
	*pieces = (struct pieces){ 0 };
	pieces->of = calloc(program->nr_functions + nameless->nr + 1, sizeof(*pieces->of));
	if (!pieces->of)
		return -ENOMEM;
	twalk_r(program->functions, add_function, pieces);
	add_nameless(pieces, nameless);
	qsort(pieces->of, pieces->nr, sizeof(*pieces->of), compare_pieces);
	return pieces->error;
}

/*
 * Add the parts of a piece that starts at @at, and its function. Return: 0; -ENOMEM; or
 * -EOVERFLOW: addresses would be too high, and nothing is added.
 */
static int place(struct result_object *object, const struct piece *piece, uint64_t at)
{
	uint64_t end;
	size_t i;

	if (__builtin_add_overflow(at, piece->parts[piece->nr_parts - 1].address, &end) ||
	    __builtin_add_overflow(end, 1, &end) || end == UINT64_MAX)
		return -EOVERFLOW;
	for (i = 0; i < piece->nr_parts; i++) {
		struct result_part *part = &object->parts[object->nr_parts++];

		*part = piece->parts[i];
		part->address += at;
	}
	object->end = end;
	if (!piece->name)
		return 0;
	object->functions[object->nr_functions] = (struct result_function){
		.start = at, .end = end, .name = strdup(piece->name),
	};
	return object->functions[object->nr_functions++].name ? 0 : -ENOMEM;
}

static int place_all(struct result_object *object, const struct pieces *pieces,
		     struct counts *outside)
{
	size_t i;

	for (i = 0; i < pieces->nr; i++) {
		const struct piece *piece = &pieces->of[i];
		const uint64_t at = piece->start > object->end ? piece->start : object->end;
		const bool is_first = !object->nr_parts;
		int error = place(object, piece, at);

		if (error == -EOVERFLOW)
			error = counts_add_outside(outside, piece->parts, piece->nr_parts);
		else if (!error && is_first)
			object->start = at;
		if (error)
			return error;
	}
	return 0;
}

static int add_object(const struct jit *jit, const struct jit_program *program, bool is_only,
		      struct result *result, struct counts *outside)
{
	struct result_object *object = &result->objects[result->nr_objects++];
	struct counts nameless = { 0 };
	struct pieces pieces = { 0 };
	int error;

	*object = (struct result_object){ 0 };
	if (is_only)
		object->path = strdup(RESULT_JIT);
	else if (asprintf(&object->path, RESULT_JIT " %s", program->name) < 0)
		object->path = NULL;
	error = object->path ? collect_nameless(jit, program, &nameless) : -ENOMEM;
	if (!error)
		error = collect_pieces(program, &nameless, &pieces);
	if (!error) {
		object->parts = calloc(pieces.nr_parts + 1, sizeof(*object->parts));
		object->functions = calloc(program->nr_functions + 1, sizeof(*object->functions));
		error = object->parts && object->functions ?
			place_all(object, &pieces, outside) : -ENOMEM;
	}
	/* an object without samples ends after it starts, too */
	if (!object->nr_parts)
		object->end = 1;
	free(pieces.of);
	counts_release(&nameless);
	return error;
}

int jit_objects_add(const struct jit *jit, struct result *result, struct counts *outside)
{
	const struct jit_program *program;
	int error = 0;

	for (program = jit->programs; !error && program; program = program->next)
		error = add_object(jit, program, jit_objects_count(jit) == 1, result,
				   outside);
	return error;
}
