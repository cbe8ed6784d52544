// SPDX-License-Identifier: GPL-2.0-only
/*
 * The samples of a part of a run. The threads of a run are numbered in the order of their first
 * samples, so those of an earlier result have the same numbers. So are the nodes of stacks.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "result/fold.h"
#include "result/select.h"
#include "result/subtract.h"

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * Both are sorted. Parts without samples are removed. @folded: samples of places that have been folded
 * since are added
 */
static void subtract_parts(struct result_part *parts, size_t *nr, const struct result_part *before,
			   size_t nr_before, struct result_part *folded)
{
	size_t from, to = 0, i = 0;

	for (from = 0; from <= *nr; from++) {
		struct result_part part = { 0 };

		if (from < *nr)
			part = parts[from];
		for (; i < nr_before && (from == *nr ||
					 result_compare_parts(&before[i], &part) < 0); i++) {
			folded->samples += before[i].samples;
			folded->system += before[i].system;
		}
		if (i < nr_before && from < *nr && !result_compare_parts(&before[i], &part)) {
			part.samples -= lesser(before[i].samples, part.samples);
			part.system -= lesser(before[i].system, part.system);
			i++;
		}
		if (part.samples)
			parts[to++] = part;
	}
	*nr = to;
}

static const struct result_function *find_named(const struct result_object *object,
						const char *name)
{
	size_t i;

	for (i = 0; i < object->nr_functions; i++)
		if (!strcmp(object->functions[i].name, name))
			return &object->functions[i];
	return NULL;
}

static int compare_parts(const void *a, const void *b)
{
	return result_compare_parts(a, b);
}

/* Return: the parts of @before at the addresses that their functions have in @object; or NULL. */
static struct result_part *move_parts(const struct result_object *before,
				      const struct result_object *object)
{
	struct result_part *parts = calloc(before->nr_parts + 1, sizeof(*parts));
	const struct result_function *was, *is;
	size_t i;

	for (i = 0; parts && i < before->nr_parts; i++) {
		parts[i] = before->parts[i];
		was = result_find_function(before, parts[i].address);
		is = was ? find_named(object, was->name) : NULL;
		if (is)
			parts[i].address += is->start - was->start;
	}
	if (parts)
		qsort(parts, before->nr_parts, sizeof(*parts), compare_parts);
	return parts;
}

/* Return: 0 or -ENOMEM. */
static int subtract_object(struct result_object *object, const struct result_object *before,
			   struct result_part *folded)
{
	struct result_part *moved;

	if (result_is_file(object)) {
		subtract_parts(object->parts, &object->nr_parts, before->parts, before->nr_parts,
			       folded);
		return 0;
	}
	moved = move_parts(before, object);
	if (!moved)
		return -ENOMEM;
	subtract_parts(object->parts, &object->nr_parts, moved, before->nr_parts, folded);
	free(moved);
	return 0;
}

/* Subtract places that have been folded since: their samples are outside, as those of no thread. */
static void subtract_folded(struct result *result, const struct result *before,
			    const struct result_part *folded)
{
	const uint64_t since = result->folded_samples - before->folded_samples;
	struct result_part outside = {
		.samples = lesser(folded->samples, since),
		.system = lesser(folded->system, since),
		.thread = RESULT_NO_THREAD,
	};
	struct result_part none = { 0 };

	if (result->folded_samples > before->folded_samples)
		subtract_parts(result->outside_parts, &result->nr_outside_parts, &outside, 1, &none);
}

/* What threads had that have been folded since is that of no thread, too. */
static int fold_as(struct result *before, const struct result *result)
{
	size_t i;

	if (result->folded_threads == before->folded_threads)
		return 0;
	for (i = 0; i < before->nr_threads; i++)
		if (result->threads[i].process == RESULT_NO_PROCESS)
			before->threads[i].process = RESULT_NO_PROCESS;
	return fold_marked(before);
}

int result_subtract(struct result *result, struct result *before)
{
	struct result_part folded = { 0 }, none = { 0 };
	int error = fold_as(before, result);
	size_t i, j = 0;

	for (i = 0; !error && i < result->nr_objects; i++) {
		struct result_object *object = &result->objects[i];

		while (j < before->nr_objects &&
		       result_compare_objects(&before->objects[j], object) < 0)
			j++;
		if (j < before->nr_objects && !result_compare_objects(&before->objects[j], object))
			error = subtract_object(object, &before->objects[j], &folded);
	}
	subtract_parts(result->outside_parts, &result->nr_outside_parts, before->outside_parts,
		       before->nr_outside_parts, &folded);
	subtract_folded(result, before, &folded);
	subtract_parts(result->stack_parts, &result->nr_stack_parts, before->stack_parts,
		       before->nr_stack_parts, &none);
	result->start_time_ns += before->elapsed_ns;
	result->elapsed_ns -= before->elapsed_ns < result->elapsed_ns ? before->elapsed_ns :
									result->elapsed_ns;
	return error ? error : result_sum(result);
}
