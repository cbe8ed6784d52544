// SPDX-License-Identifier: GPL-2.0-only
/*
 * Objects of a result that have the same file name: sorting makes them neighbours.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/namesakes.h"
#include "util/base_name.h"

static int compare(const void *va, const void *vb)
{
	const struct result_object *const *a = va, *const *b = vb;
	int order = strcmp(base_name((*a)->path), base_name((*b)->path));

	if (order)
		return order;
	if ((*a)->build_id_bytes != (*b)->build_id_bytes)
		return (*a)->build_id_bytes < (*b)->build_id_bytes ? -1 : 1;
	return memcmp((*a)->build_id, (*b)->build_id, (*a)->build_id_bytes);
}

const struct result_object **namesakes_sort(const struct result *result)
{
	const struct result_object **sorted = calloc(result->nr_objects + 1, sizeof(*sorted));
	size_t i;

	if (!sorted)
		return NULL;
	for (i = 0; i < result->nr_objects; i++)
		sorted[i] = &result->objects[i];
	qsort(sorted, result->nr_objects, sizeof(*sorted), compare);
	return sorted;
}

bool namesakes_has(const struct result_object **sorted, size_t nr,
		   const struct result_object *object)
{
	return object->build_id_bytes &&
	       bsearch(&object, sorted, nr, sizeof(*sorted), compare);
}

/*
 * Count the objects at the start of the list that share a file name. @is_ambiguous: their paths
 * differ.
 */
static size_t count_namesakes(const struct result_object **sorted, size_t nr,
			      bool *is_ambiguous)
{
	const char *path = sorted[0]->path;
	size_t i;

	*is_ambiguous = false;
	for (i = 1; i < nr && !strcmp(base_name(sorted[i]->path), base_name(path)); i++)
		if (strcmp(sorted[i]->path, path))
			*is_ambiguous = true;
	return i;
}

const char **namesakes_label(const struct result *result)
{
	const struct result_object **sorted = namesakes_sort(result);
	const char **labels = calloc(result->nr_objects + 1, sizeof(*labels));
	size_t first, next, i;

	if (!sorted || !labels) {
		free(sorted);
		free(labels);
		return NULL;
	}
	for (first = 0; first < result->nr_objects; first = next) {
		bool is_ambiguous;

		next = first + count_namesakes(sorted + first, result->nr_objects - first,
					       &is_ambiguous);
		for (i = first; i < next; i++) {
			const char *path = sorted[i]->path;

			labels[sorted[i] - result->objects] = is_ambiguous ? path : base_name(path);
		}
	}
	free(sorted);
	return labels;
}
