// SPDX-License-Identifier: GPL-2.0-only
/*
 * A flat profile: the samples of a result added up by function. Rows are made object by
 * object in the order of addresses, which keeps most samples of a function together;
 * what is left of doubles, a function in two parts of the text, is merged by sorting.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"

#define OUTSIDE		"(outside all objects)"
#define WHOLE		10000	/* 100 % */

/* A profile in the making */
struct making {
	struct profile *profile;
	size_t allocated;
	const char **object_names;
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static int compare_base_names(const void *va, const void *vb)
{
	const char *const *a = va, *const *b = vb;
	int order = strcmp(base_name(*a), base_name(*b));

	return order ? order : strcmp(*a, *b);
}

/*
 * All paths of a result sorted by base name, so that those which share one are
 * neighbours.
 */
static const char **sort_paths(const struct result *result)
{
	const char **paths = calloc(result->nr_objects + 1, sizeof(*paths));
	size_t i;

	if (!paths)
		return NULL;
	for (i = 0; i < result->nr_objects; i++)
		paths[i] = result->objects[i].path;
	qsort(paths, result->nr_objects, sizeof(*paths), compare_base_names);
	return paths;
}

static bool is_ambiguous(const char **sorted, size_t nr, const char *path)
{
	const char **found = bsearch(&path, sorted, nr, sizeof(*sorted),
				     compare_base_names);
	size_t first, last;

	if (!found)
		return false;
	first = last = (size_t)(found - sorted);
	while (first && !strcmp(sorted[first], path))
		first--;
	while (last < nr - 1 && !strcmp(sorted[last], path))
		last++;
	return (strcmp(sorted[first], path) &&
		!strcmp(base_name(sorted[first]), base_name(path))) ||
	       (strcmp(sorted[last], path) &&
		!strcmp(base_name(sorted[last]), base_name(path)));
}

static int name_objects(struct making *making, const struct result *result)
{
	const char **sorted = sort_paths(result);
	size_t i;

	making->object_names = calloc(result->nr_objects + 1,
				      sizeof(*making->object_names));
	if (!sorted || !making->object_names) {
		free(sorted);
		return -ENOMEM;
	}
	for (i = 0; i < result->nr_objects; i++) {
		const char *path = result->objects[i].path;
		bool ambiguous = is_ambiguous(sorted, result->nr_objects, path);

		making->object_names[i] = ambiguous ? path : base_name(path);
	}
	free(sorted);
	return 0;
}

static int append(struct making *making, const struct profile_row *row)
{
	struct profile *profile = making->profile;

	if (profile->nr_rows == making->allocated) {
		size_t allocated = making->allocated ?
				   2 * making->allocated : 64;
		struct profile_row *rows;

		rows = reallocarray(profile->rows, allocated, sizeof(*rows));
		if (!rows)
			return -ENOMEM;
		profile->rows = rows;
		making->allocated = allocated;
	}
	profile->rows[profile->nr_rows++] = *row;
	return 0;
}

static int add_row(struct making *making, const char *object, uint64_t address,
		   const char *name, int length, uint64_t samples)
{
	struct profile *profile = making->profile;
	struct profile_row row = {
		.object = object,
		.address = address,
		.samples = samples,
	};
	int printed;

	profile->samples += samples;
	if (profile->nr_rows) {
		struct profile_row *last = &profile->rows[profile->nr_rows - 1];

		if (last->object == object && last->address == address) {
			last->samples += samples;
			return 0;
		}
	}
	if (name)
		printed = asprintf(&row.function, "%.*s", length, name);
	else
		printed = asprintf(&row.function, "0x%" PRIx64, address);
	if (printed < 0)
		return -ENOMEM;
	if (append(making, &row)) {
		free(row.function);
		return -ENOMEM;
	}
	return 0;
}

/*
 * The function that a count belongs to; a start without a name if no function is
 * known. Return: 0 or -errno.
 */
static int attribute(const struct result *result, size_t object, uint64_t first,
		     profile_find_fn *find, void *symbols,
		     struct function *function)
{
	const uint64_t end = result->objects[object].end;
	uint64_t last = first + result->text_bytes - 1;
	int found;

	/* the text may end before what its last count stands for does */
	if (last >= end || last < first)
		last = end - 1;
	found = find(symbols, object, first, function);
	if (!found)
		found = find(symbols, object, last, function);
	if (!found)
		*function = (struct function){ .start = first };
	return found < 0 ? found : 0;
}

static int add_object(struct making *making, const struct result *result,
		      size_t i, profile_find_fn *find, void *symbols)
{
	const struct result_object *object = &result->objects[i];
	const char *name = making->object_names[i];
	struct function function;
	size_t count;
	int error;

	if (!result_is_file(object))
		return object->samples ?
		       add_row(making, name, 0, name, (int)strlen(name),
			       object->samples) : 0;
	for (count = 0; count < object->nr_counts; count++) {
		error = attribute(result, i, object->counts[count].address, find,
				  symbols, &function);
		if (error)
			return error;
		error = add_row(making, name, function.start, function.name,
				function.length, object->counts[count].samples);
		if (error)
			return error;
	}
	return 0;
}

static int add_all(struct making *making, const struct result *result,
		   profile_find_fn *find, void *symbols)
{
	int error;
	size_t i;

	error = name_objects(making, result);
	if (error)
		return error;
	for (i = 0; i < result->nr_objects; i++) {
		error = add_object(making, result, i, find, symbols);
		if (error)
			return error;
	}
	if (!result->outside)
		return 0;
	return add_row(making, "-", 0, OUTSIDE, sizeof(OUTSIDE) - 1,
		       result->outside);
}

static int compare_places(const void *va, const void *vb)
{
	const struct profile_row *a = va, *b = vb;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return strcmp(a->object, b->object);
}

static void merge_rows(struct profile *profile)
{
	size_t from, to = 0;

	for (from = 0; from < profile->nr_rows; from++) {
		struct profile_row *row = &profile->rows[from];

		if (to && !compare_places(&profile->rows[to - 1], row)) {
			profile->rows[to - 1].samples += row->samples;
			free(row->function);
		} else {
			profile->rows[to++] = *row;
		}
	}
	profile->nr_rows = to;
}

static int compare_rows(const void *va, const void *vb)
{
	const struct profile_row *a = va, *b = vb;
	int order;

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	order = strcmp(a->function, b->function);
	return order ? order : compare_places(a, b);
}

/*
 * Long division, as a product with 10000 might not fit. Return: hundredths of a
 * percent rounded down, and in @rest what is left, less than @total.
 */
static unsigned int divide(uint64_t samples, uint64_t total, uint64_t *rest)
{
	unsigned int quotient = (unsigned int)(samples / total), factor;

	*rest = samples % total;
	for (factor = WHOLE; factor > 1; factor /= 10) {
		quotient = 10 * quotient +
			   (unsigned int)(*rest * 10 / total);
		*rest = *rest * 10 % total;
	}
	return quotient;
}

struct rest {
	uint64_t rest;
	size_t row;
};

static int compare_rests(const void *va, const void *vb)
{
	const struct rest *a = va, *b = vb;

	if (a->rest != b->rest)
		return a->rest > b->rest ? -1 : 1;
	return a->row < b->row ? -1 : 1;
}

/* Largest remainders: what rounding down left over goes to who lost most. */
static int share_percent(struct profile *profile)
{
	struct rest *rests = calloc(profile->nr_rows + 1, sizeof(*rests));
	unsigned int left = WHOLE;
	size_t i;

	if (!rests)
		return -ENOMEM;
	for (i = 0; i < profile->nr_rows; i++) {
		struct profile_row *row = &profile->rows[i];

		rests[i].row = i;
		row->percent100 = divide(row->samples, profile->samples,
					 &rests[i].rest);
		left -= row->percent100;
	}
	qsort(rests, profile->nr_rows, sizeof(*rests), compare_rests);
	for (i = 0; i < left && i < profile->nr_rows; i++)
		profile->rows[rests[i].row].percent100++;
	free(rests);
	return 0;
}

int profile_make(struct profile *profile, const struct result *result,
		 profile_find_fn *find, void *symbols)
{
	struct making making = { .profile = profile };
	int error;

	memset(profile, 0, sizeof(*profile));
	error = add_all(&making, result, find, symbols);
	free(making.object_names);
	if (error || !profile->samples)
		return error;
	qsort(profile->rows, profile->nr_rows, sizeof(*profile->rows),
	      compare_places);
	merge_rows(profile);
	qsort(profile->rows, profile->nr_rows, sizeof(*profile->rows),
	      compare_rows);
	return share_percent(profile);
}

void profile_release(struct profile *profile)
{
	size_t i;

	for (i = 0; i < profile->nr_rows; i++)
		free(profile->rows[i].function);
	free(profile->rows);
	memset(profile, 0, sizeof(*profile));
}
