// SPDX-License-Identifier: GPL-2.0-only
/*
 * The samples of a part of a run. The threads of a run are numbered in the order of their first
 * samples, so those of an earlier result have the same numbers.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "result/select.h"
#include "result/subtract.h"

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Both are sorted. Parts without samples are removed. */
static void subtract_parts(struct result_part *parts, size_t *nr, const struct result_part *before,
			   size_t nr_before)
{
	size_t from, to = 0, i = 0;

	for (from = 0; from < *nr; from++) {
		struct result_part part = parts[from];

		while (i < nr_before && result_compare_parts(&before[i], &part) < 0)
			i++;
		if (i < nr_before && !result_compare_parts(&before[i], &part)) {
			part.samples -= lesser(before[i].samples, part.samples);
			part.system -= lesser(before[i].system, part.system);
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
static int subtract_object(struct result_object *object, const struct result_object *before)
{
	struct result_part *moved;

	if (result_is_file(object)) {
		subtract_parts(object->parts, &object->nr_parts, before->parts, before->nr_parts);
		return 0;
	}
	moved = move_parts(before, object);
	if (!moved)
		return -ENOMEM;
	subtract_parts(object->parts, &object->nr_parts, moved, before->nr_parts);
	free(moved);
	return 0;
}

int result_subtract(struct result *result, const struct result *before)
{
	size_t i, j = 0;
	int error = 0;

	for (i = 0; !error && i < result->nr_objects; i++) {
		struct result_object *object = &result->objects[i];

		while (j < before->nr_objects &&
		       result_compare_objects(&before->objects[j], object) < 0)
			j++;
		if (j < before->nr_objects && !result_compare_objects(&before->objects[j], object))
			error = subtract_object(object, &before->objects[j]);
	}
	subtract_parts(result->outside_parts, &result->nr_outside_parts, before->outside_parts,
		       before->nr_outside_parts);
	result->start_time_ns += before->elapsed_ns;
	result->elapsed_ns -= before->elapsed_ns < result->elapsed_ns ? before->elapsed_ns :
									result->elapsed_ns;
	return error ? error : result_sum(result);
}
