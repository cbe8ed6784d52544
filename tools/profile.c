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

#include "demangle.h"
#include "profile.h"

#define OUTSIDE		"(outside all objects)"
#define WHOLE		10000	/* 100 % */

/* A profile in the making */
struct making {
	struct profile *profile;
	size_t allocated;
	const char **object_names;
};

/* Where samples are to be added */
struct place {
	size_t index;		/* of the object; SIZE_MAX: none */
	const char *object;
	uint64_t address;
	const char *name;	/* NULL: it has none */
	int length;
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

static int add_row(struct making *making, const struct place *place, uint64_t samples)
{
	struct profile *profile = making->profile;
	struct profile_row row = {
		.has_name = place->name,
		.index = place->index,
		.object = place->object,
		.address = place->address,
		.samples = samples,
	};
	int printed;

	profile->samples += samples;
	if (profile->nr_rows) {
		struct profile_row *last = &profile->rows[profile->nr_rows - 1];

		if (last->index == row.index && last->address == row.address) {
			last->samples += samples;
			return 0;
		}
	}
	if (place->name)
		printed = asprintf(&row.function, "%.*s", place->length, place->name);
	else
		printed = asprintf(&row.function, "0x%" PRIx64, row.address);
	if (printed < 0)
		return -ENOMEM;
	if (append(making, &row)) {
		free(row.function);
		return -ENOMEM;
	}
	return 0;
}

/* All of an object as one */
static int add_whole(struct making *making, const struct result *result, size_t i,
		     const char *name)
{
	const struct place place = {
		.index = i,
		.object = name,
		.name = name,
		.length = (int)strlen(name),
	};

	return result->objects[i].samples ?
	       add_row(making, &place, result->objects[i].samples) : 0;
}

static int add_outside(struct making *making, const struct result *result)
{
	static const struct place place = {
		.index = SIZE_MAX,
		.object = "-",
		.name = OUTSIDE,
		.length = sizeof(OUTSIDE) - 1,
	};

	return result->outside ? add_row(making, &place, result->outside) : 0;
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
		return add_whole(making, result, i, name);
	for (count = 0; count < object->nr_counts; count++) {
		error = attribute(result, i, object->counts[count].address, find,
				  symbols, &function);
		if (!error)
			error = add_row(making, &(struct place){
				.index = i,
				.object = name,
				.address = function.start,
				.name = function.name,
				.length = function.length,
			}, object->counts[count].samples);
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
	return add_outside(making, result);
}

static int compare_places(const void *va, const void *vb)
{
	const struct profile_row *a = va, *b = vb;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
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

static int compare_samples(const void *va, const void *vb)
{
	const struct profile_row *a = va, *b = vb;
	int order;

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	order = strcmp(a->function, b->function);
	return order ? order : compare_places(a, b);
}

static int compare_names(const void *va, const void *vb)
{
	const struct profile_row *a = va, *b = vb;
	int order = strcmp(a->function, b->function);

	return order ? order : compare_samples(a, b);
}

static int compare_objects(const void *va, const void *vb)
{
	const struct profile_row *a = va, *b = vb;
	int order = strcmp(a->object, b->object);

	return order ? order : compare_samples(a, b);
}

static int compare_addresses(const void *va, const void *vb)
{
	const struct profile_row *a = va, *b = vb;
	int order = strcmp(a->object, b->object);

	return order ? order : compare_places(a, b);
}

void profile_sort(struct profile *profile, enum profile_order order)
{
	static int (*const compare[])(const void *va, const void *vb) = {
		[PROFILE_BY_SAMPLES] = compare_samples,
		[PROFILE_BY_NAME] = compare_names,
		[PROFILE_BY_OBJECT] = compare_objects,
		[PROFILE_BY_ADDRESS] = compare_addresses,
	};

	if (profile->nr_rows)
		qsort(profile->rows, profile->nr_rows, sizeof(*profile->rows),
		      compare[order]);
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

/* @error: of adding up. Return: that, or 0 and the rows are ready. */
static int finish(struct making *making, int error)
{
	struct profile *profile = making->profile;

	free(making->object_names);
	if (error || !profile->samples)
		return error;
	qsort(profile->rows, profile->nr_rows, sizeof(*profile->rows),
	      compare_places);
	merge_rows(profile);
	profile_sort(profile, PROFILE_BY_SAMPLES);
	return share_percent(profile);
}

int profile_make(struct profile *profile, const struct result *result,
		 profile_find_fn *find, void *symbols)
{
	struct making making = { .profile = profile };

	memset(profile, 0, sizeof(*profile));
	return finish(&making, add_all(&making, result, find, symbols));
}

int profile_make_objects(struct profile *profile, const struct result *result)
{
	struct making making = { .profile = profile };
	int error = 0;
	size_t i;

	memset(profile, 0, sizeof(*profile));
	for (i = 0; !error && i < result->nr_objects; i++)
		error = add_whole(&making, result, i, result->objects[i].path);
	if (!error)
		error = add_outside(&making, result);
	return finish(&making, error);
}

void profile_demangle(struct profile *profile)
{
	size_t i;

	for (i = 0; i < profile->nr_rows; i++) {
		struct profile_row *row = &profile->rows[i];
		char *name = row->has_name ? demangle(row->function) : NULL;

		if (!name)
			continue;
		free(row->function);
		row->function = name;
	}
	profile_sort(profile, PROFILE_BY_SAMPLES);
}

void profile_release(struct profile *profile)
{
	size_t i;

	for (i = 0; i < profile->nr_rows; i++)
		free(profile->rows[i].function);
	free(profile->rows);
	memset(profile, 0, sizeof(*profile));
}
