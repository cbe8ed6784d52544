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

/* Code that has an address: a function, or one instruction without a name */
struct piece {
	uint64_t start;
	const struct jit_function *function;	/* NULL: no name */
	uint64_t samples;			/* without a name */
};

struct pieces {
	struct piece *of;
	size_t nr;
	size_t nr_counts;
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
	if (!a->function || !b->function)
		return !b->function - !a->function;
	return strcmp(a->function->name, b->function->name);
}

static int compare_counts(const void *va, const void *vb)
{
	const struct result_count *a = va, *b = vb;

	return a->address < b->address ? -1 : a->address > b->address;
}

/* Return: all counts by address, to be freed with free(); NULL: no memory. */
static struct result_count *sort_counts(const struct counts *counts)
{
	struct result_count *sorted = calloc(counts->nr + 1, sizeof(*sorted));

	if (!sorted)
		return NULL;
	counts_copy(counts, sorted);
	qsort(sorted, counts->nr, sizeof(*sorted), compare_counts);
	return sorted;
}

/* Add samples without a name. */
static int add_counts(struct counts *to, const struct counts *from)
{
	struct result_count *sorted = sort_counts(from);
	int error = sorted ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; !error && i < from->nr; i++)
		error = counts_add(to, sorted[i].address, sorted[i].samples);
	free(sorted);
	return error;
}

/* Collect the samples without a name, including those of processes that have not ended. */
static int collect_nameless(const struct jit *jit, const struct jit_program *program,
			    struct counts *nameless)
{
	const struct jit_process *process;
	int error = add_counts(nameless, &program->nameless);

	for (process = jit->processes; !error && process; process = process->next)
		if (process->program == program)
			error = add_counts(nameless, &process->counts);
	return error;
}

static void add_function(const void *node, VISIT visit, void *data)
{
	const struct jit_function *function = *(const struct jit_function *const *)node;
	struct pieces *pieces = data;

	if (visit != postorder && visit != leaf)
		return;
	pieces->of[pieces->nr++] = (struct piece){ function->start, function, 0 };
	pieces->nr_counts += function->counts.nr;
}

/* Return: 0; or -ENOMEM, and @pieces->of must be freed nevertheless. */
static int collect_pieces(const struct jit_program *program, const struct counts *nameless,
			  struct pieces *pieces)
{
	struct result_count *counts = sort_counts(nameless);
	size_t i;

	*pieces = (struct pieces){ .nr_counts = nameless->nr };
	pieces->of = calloc(program->nr_functions + nameless->nr + 1, sizeof(*pieces->of));
	if (!counts || !pieces->of) {
		free(counts);
		return -ENOMEM;
	}
	twalk_r(program->functions, add_function, pieces);
	for (i = 0; i < nameless->nr; i++)
		pieces->of[pieces->nr++] = (struct piece){
			.start = counts[i].address,
			.samples = counts[i].samples,
		};
	free(counts);
	qsort(pieces->of, pieces->nr, sizeof(*pieces->of), compare_pieces);
	return 0;
}

/*
 * Add the counts of a piece that starts at @at, and its function. Return: 0; -ENOMEM; or
 * -EOVERFLOW: addresses would be too high, and nothing is added.
 */
static int place(struct result_object *object, const struct piece *piece, uint64_t at)
{
	const struct jit_function *function = piece->function;
	struct result_count single = { 0, piece->samples }, *counts = &single;
	const size_t nr = function ? function->counts.nr : 1;
	uint64_t end = UINT64_MAX;
	size_t i;

	if (function)
		counts = sort_counts(&function->counts);
	if (!counts)
		return -ENOMEM;
	if (__builtin_add_overflow(at, counts[nr - 1].address, &end) ||
	    __builtin_add_overflow(end, 1, &end))
		end = UINT64_MAX;
	for (i = 0; i < nr && end < UINT64_MAX; i++) {
		object->counts[object->nr_counts++] = (struct result_count){
			at + counts[i].address, counts[i].samples,
		};
		object->samples += counts[i].samples;
	}
	if (function)
		free(counts);
	if (end == UINT64_MAX)
		return -EOVERFLOW;
	object->end = end;
	if (!function)
		return 0;
	object->functions[object->nr_functions] = (struct result_function){
		at, end, strdup(function->name),
	};
	return object->functions[object->nr_functions++].name ? 0 : -ENOMEM;
}

static int place_all(struct result *result, struct result_object *object,
		     const struct pieces *pieces)
{
	size_t i;

	for (i = 0; i < pieces->nr; i++) {
		const struct piece *piece = &pieces->of[i];
		const uint64_t at = piece->start > object->end ? piece->start : object->end;
		const bool is_first = !object->nr_counts;
		const int error = place(object, piece, at);

		if (error == -ENOMEM)
			return error;
		if (error)
			result->outside += piece->function ? piece->function->counts.samples :
							     piece->samples;
		else if (is_first)
			object->start = at;
	}
	return 0;
}

static int add_object(const struct jit *jit, const struct jit_program *program, bool is_only,
		      struct result *result)
{
	struct result_object *object = &result->objects[result->nr_objects++];
	struct counts nameless = { 0 };
	struct pieces pieces = { 0 };
	int error;

	*object = (struct result_object){ 0 };
	if (is_only)
		object->path = strdup(JIT_NAME);
	else if (asprintf(&object->path, JIT_NAME " %s", program->name) < 0)
		object->path = NULL;
	error = object->path ? collect_nameless(jit, program, &nameless) : -ENOMEM;
	if (!error)
		error = collect_pieces(program, &nameless, &pieces);
	if (!error) {
		object->counts = calloc(pieces.nr_counts + 1, sizeof(*object->counts));
		object->functions = calloc(program->nr_functions + 1, sizeof(*object->functions));
		error = object->counts && object->functions ?
			place_all(result, object, &pieces) : -ENOMEM;
	}
	/* an object without samples ends after it starts, too */
	if (!object->nr_counts)
		object->end = 1;
	free(pieces.of);
	counts_release(&nameless);
	return error;
}

int jit_objects_add(const struct jit *jit, struct result *result)
{
	const struct jit_program *program;
	int error = 0;

	for (program = jit->programs; !error && program; program = program->next)
		error = add_object(jit, program, jit_objects_count(jit) == 1, result);
	return error;
}
