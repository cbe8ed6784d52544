// SPDX-License-Identifier: GPL-2.0-only
/*
 * Adds up the samples and names of objects. A file has the same addresses in all results. Code that
 * programs have made has not: what has the same name is put at the same place, and all else behind
 * what is there.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "result/merge_objects.h"

static int compare_parts(const void *va, const void *vb)
{
	return result_compare_parts(va, vb);
}

int merge_parts(struct result_part **parts, size_t *nr, const struct result_part *more,
		size_t nr_more)
{
	const size_t nr_all = *nr + nr_more;
	struct result_part *all = reallocarray(*parts, nr_all + 1, sizeof(*all));
	size_t from, to = 0;

	if (!all)
		return -ENOMEM;
	*parts = all;
	if (nr_more)
		memcpy(all + *nr, more, nr_more * sizeof(*all));
	if (!nr_all)
		return 0;
	qsort(all, nr_all, sizeof(*all), compare_parts);
	for (from = 1; from < nr_all; from++) {
		if (result_compare_parts(&all[to], &all[from])) {
			all[++to] = all[from];
			continue;
		}
		/* an overflow is found by result_problem(), in the sum over all parts */
		all[to].samples += all[from].samples;
		all[to].system += all[from].system;
	}
	*nr = to + 1;
	return 0;
}

/* --- code that programs have made ------------------------------------------------- */

static int compare_function_names(const void *va, const void *vb)
{
	const struct result_function *const *a = va, *const *b = vb;

	return strcmp((*a)->name, (*b)->name);
}

/* Return: pointers to the functions, sorted by name, to be freed with free(); NULL: no memory. */
static const struct result_function **sort_by_name(const struct result_object *object)
{
	const struct result_function **sorted = calloc(object->nr_functions + 1, sizeof(*sorted));
	size_t i;

	for (i = 0; sorted && i < object->nr_functions; i++)
		sorted[i] = &object->functions[i];
	if (sorted)
		qsort(sorted, object->nr_functions, sizeof(*sorted), compare_function_names);
	return sorted;
}

/* Where the functions of made code go */
struct move {
	uint64_t shift;		/* of what is behind all that is there */
	const struct result_function **sorted;
	size_t nr;
};

/* Return: the function with the same name; NULL: there is none. */
static const struct result_function *find_same(const struct move *move,
					       const struct result_function *function)
{
	const struct result_function *const *found;

	found = bsearch(&function, move->sorted, move->nr, sizeof(*move->sorted),
			compare_function_names);
	return found ? *found : NULL;
}

/*
 * A function ends after its last sample. So it may be longer here, and then the samples behind the
 * end of the one that is there are added to its last address.
 */
static void move_parts(const struct move *move, struct result_object *more)
{
	size_t i;

	for (i = 0; i < more->nr_parts; i++) {
		struct result_part *part = &more->parts[i];
		const struct result_function *from, *to;

		from = result_find_function(more, part->address);
		to = from ? find_same(move, from) : NULL;
		if (!to) {
			part->address += move->shift;
			continue;
		}
		part->address += to->start - from->start;
		if (part->address >= to->end)
			part->address = to->end - 1;
	}
}

/* Move the functions that have no namesake. */
static int move_functions(const struct move *move, struct result_object *sum,
			  struct result_object *more)
{
	struct result_function *functions;
	size_t i;

	functions = reallocarray(sum->functions, sum->nr_functions + more->nr_functions + 1,
				 sizeof(*functions));
	if (!functions)
		return -ENOMEM;
	sum->functions = functions;
	for (i = 0; i < more->nr_functions; i++) {
		struct result_function *from = &more->functions[i];
		struct result_function *to = &functions[sum->nr_functions];

		if (!from->name)
			continue;
		*to = *from;
		to->start += move->shift;
		to->end += move->shift;
		sum->nr_functions++;
		from->name = NULL;
	}
	return 0;
}

/* Free the names of functions that have a namesake: they stay where these are. */
static void drop_same(const struct move *move, struct result_object *more)
{
	size_t i;

	for (i = 0; i < more->nr_functions; i++) {
		if (!find_same(move, &more->functions[i]))
			continue;
		free(more->functions[i].name);
		more->functions[i].name = NULL;
	}
}

static int merge_made(struct result_object *sum, struct result_object *more)
{
	struct move move = {
		.shift = sum->end - more->start,
		.sorted = sort_by_name(sum),
		.nr = sum->nr_functions,
	};
	uint64_t end;
	int error;

	if (!move.sorted)
		return -ENOMEM;
	if (__builtin_add_overflow(sum->end, more->end - more->start, &end)) {
		free(move.sorted);
		return -EOVERFLOW;
	}
	move_parts(&move, more);
	drop_same(&move, more);
	free(move.sorted);
	error = move_functions(&move, sum, more);
	sum->end = end;
	return error ? error : merge_parts(&sum->parts, &sum->nr_parts, more->parts,
					   more->nr_parts);
}

/* --- names of files ----------------------------------------------------------------- */

static int compare_functions(const struct result_function *a, const struct result_function *b)
{
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end < b->end ? -1 : 1;
	return strcmp(a->name, b->name);
}

/*
 * struct names - the names of both objects
 * @functions: of both, in order
 * @index:     for both: where each function of the object is in @functions
 */
struct names {
	struct result_function *functions;
	size_t nr_functions;
	uint32_t *index[2];
	struct result_place *places;
	size_t nr_places;
	struct result_frame *frames;
	size_t nr_frames;
};

/* Put the functions of both in order, each once. The texts stay where they are. */
static void merge_functions(struct names *names, struct result_object *const both[2])
{
	size_t next[2] = { 0 };

	while (next[0] < both[0]->nr_functions || next[1] < both[1]->nr_functions) {
		const struct result_function *from[2] = {
			both[0]->functions + next[0], both[1]->functions + next[1],
		};
		int order;

		if (next[0] == both[0]->nr_functions)
			order = 1;
		else if (next[1] == both[1]->nr_functions)
			order = -1;
		else
			order = compare_functions(from[0], from[1]);
		names->functions[names->nr_functions] = order <= 0 ? *from[0] : *from[1];
		if (order <= 0)
			names->index[0][next[0]++] = (uint32_t)names->nr_functions;
		if (order >= 0)
			names->index[1][next[1]++] = (uint32_t)names->nr_functions;
		names->nr_functions++;
	}
}

/* Find what is known about an address. @which: set to the object that knows it */
static const struct result_place *find_place(struct result_object *const both[2], uint64_t address,
					     int *which)
{
	const struct result_place *place = result_find_place(both[0], address);

	*which = !place;
	return place ? place : result_find_place(both[1], address);
}

static void merge_place(struct names *names, struct result_object *const both[2], uint64_t address)
{
	struct result_place *to = &names->places[names->nr_places++];
	int which;
	const struct result_place *from = find_place(both, address, &which);

	*to = (struct result_place){
		.address = address, .function = RESULT_NO_FUNCTION,
		.frame = (uint32_t)names->nr_frames,
	};
	if (!from)
		return;
	if (from->function != RESULT_NO_FUNCTION)
		to->function = names->index[which][from->function];
	to->nr_frames = from->nr_frames;
	if (from->nr_frames)
		memcpy(names->frames + names->nr_frames, both[which]->frames + from->frame,
		       from->nr_frames * sizeof(*names->frames));
	names->nr_frames += from->nr_frames;
}

static int make_names(struct names *names, struct result_object *const both[2])
{
	const struct result_object *sum = both[0];
	size_t i;

	names->functions = calloc(both[0]->nr_functions + both[1]->nr_functions + 1,
				  sizeof(*names->functions));
	names->index[0] = calloc(both[0]->nr_functions + 1, sizeof(*names->index[0]));
	names->index[1] = calloc(both[1]->nr_functions + 1, sizeof(*names->index[1]));
	names->places = calloc(sum->nr_parts + 1, sizeof(*names->places));
	names->frames = calloc(both[0]->nr_frames + both[1]->nr_frames + 1,
			       sizeof(*names->frames));
	if (!names->functions || !names->index[0] || !names->index[1] || !names->places ||
	    !names->frames)
		return -ENOMEM;
	merge_functions(names, both);
	for (i = 0; i < sum->nr_parts; i++)
		if (!i || sum->parts[i].address != sum->parts[i - 1].address)
			merge_place(names, both, sum->parts[i].address);
	/* those that are left own the texts */
	for (i = 0; i < names->nr_functions; i++) {
		names->functions[i].name = strdup(names->functions[i].name);
		if (!names->functions[i].name) {
			names->nr_functions = i;
			return -ENOMEM;
		}
	}
	return 0;
}

static char *copy_note(const char *a, const char *b)
{
	const char *note = result_text(a) ? a : result_text(b);

	return note ? strdup(note) : NULL;
}

/* The samples of both are in @sum already. */
static int merge_names(struct result_object *sum, struct result_object *more)
{
	struct result_object *const both[2] = { sum, more };
	struct result_object named = { 0 };
	struct names names = { 0 };
	int error = make_names(&names, both);

	free(names.index[0]);
	free(names.index[1]);
	named.functions = names.functions;
	named.nr_functions = names.nr_functions;
	named.places = names.places;
	named.frames = names.frames;
	if (error) {
		result_release_names(&named);
		return error;
	}
	named.names_note = copy_note(sum->names_note, more->names_note);
	named.lines_note = copy_note(sum->lines_note, more->lines_note);
	named.is_stripped = (sum->is_stripped || !sum->has_names) &&
			    (more->is_stripped || !more->has_names);
	result_release_names(sum);
	sum->functions = named.functions;
	sum->nr_functions = named.nr_functions;
	sum->places = named.places;
	sum->nr_places = names.nr_places;
	sum->frames = named.frames;
	sum->nr_frames = names.nr_frames;
	sum->names_note = named.names_note;
	sum->lines_note = named.lines_note;
	sum->is_stripped = named.is_stripped;
	sum->has_names = true;
	return 0;
}

int merge_object(struct result_object *sum, struct result_object *more)
{
	int error;

	if (!result_is_file(sum) && (sum->nr_functions || more->nr_functions))
		return merge_made(sum, more);
	if (more->start < sum->start)
		sum->start = more->start;
	if (more->end > sum->end)
		sum->end = more->end;
	error = merge_parts(&sum->parts, &sum->nr_parts, more->parts, more->nr_parts);
	if (error || (!sum->has_names && !more->has_names))
		return error;
	return merge_names(sum, more);
}
