// SPDX-License-Identifier: GPL-2.0-only
/*
 * A flat profile: the samples of a result by function, line or object.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "profile/namesakes.h"
#include "profile/profile.h"
#include "symbol/demangle.h"
#include "symbol/symbolize.h"

#define WHOLE		10000	/* 100 % */

/* Append @row with a copy of @function. The caller has made room. Return: 0 or -ENOMEM. */
static int add_row(struct profile *profile, const char *function,
		   const struct profile_row *row)
{
	struct profile_row *new = &profile->rows[profile->nr_rows];

	*new = *row;
	new->function = strdup(function);
	if (!new->function)
		return -ENOMEM;
	profile->nr_rows++;
	profile->samples += row->samples;
	return 0;
}

static int add_outside(struct profile *profile, const struct result *result)
{
	const struct profile_row row = {
		.has_name = true,
		.number = SIZE_MAX,
		.index = SIZE_MAX,
		.object = "-",
		.samples = result->outside,
		.system = result->outside_system,
	};

	return row.samples ? add_row(profile, RESULT_OUTSIDE, &row) : 0;
}

/* Append a row for a whole object. Return: 0 or -ENOMEM. */
static int add_whole(struct profile *profile, const struct result *result, size_t i,
		     const char *name)
{
	const struct profile_row row = {
		.has_name = true,
		.number = SIZE_MAX,
		.index = i,
		.object = name,
		.samples = result->objects[i].samples,
		.system = result_object_system(&result->objects[i]),
	};

	return row.samples ? add_row(profile, name, &row) : 0;
}

/*
 * Append the row of a function. @number: its index, or SIZE_MAX; @label: of its object. Return: 0 or
 * -ENOMEM.
 */
static int add_function(struct profile *profile, const struct symbolized_function *function,
			const struct result *result, size_t number, const char *label)
{
	const struct result_object *object = &result->objects[function->object];
	const bool is_file = result_is_file(object);
	/* the code of such an object that has no name (symbolize.h) is in many places */
	const bool is_unnamed = !is_file && !strcmp(function->name, object->path);
	const struct profile_row row = {
		.has_name = function->symbol,
		.is_rest = function->is_rest,
		.is_symbol = function->symbol && is_file,
		.number = number,
		.index = function->object,
		.object = label,
		.address = is_unnamed ? 0 : function->start,
		.samples = function->samples,
		.system = function->system,
	};

	return add_row(profile, is_unnamed ? label : function->name, &row);
}

static int add_functions(struct profile *profile, const struct symbolized *symbolized,
			 const char *const *names)
{
	int error = 0;
	size_t i;

	for (i = 0; !error && i < symbolized->nr_functions; i++)
		error = add_function(profile, &symbolized->functions[i], symbolized->result, i,
				     names[symbolized->functions[i].object]);
	return error;
}

static int compare_locations(const void *va, const void *vb)
{
	const struct profile_row *a = va, *b = vb;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

static int compare_samples(const void *va, const void *vb)
{
	const struct profile_row *a = va, *b = vb;
	int order;

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	order = strcmp(a->function, b->function);
	return order ? order : compare_locations(a, b);
}

static int compare_totals(const void *va, const void *vb)
{
	const struct profile_row *a = va, *b = vb;

	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return compare_samples(va, vb);
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

	return order ? order : compare_locations(a, b);
}

void profile_sort(struct profile *profile, enum profile_order order)
{
	static int (*const compare[])(const void *va, const void *vb) = {
		[PROFILE_BY_SAMPLES] = compare_samples,
		[PROFILE_BY_NAME] = compare_names,
		[PROFILE_BY_OBJECT] = compare_objects,
		[PROFILE_BY_ADDRESS] = compare_addresses,
		[PROFILE_BY_TOTAL] = compare_totals,
	};

	if (profile->nr_rows)
		qsort(profile->rows, profile->nr_rows, sizeof(*profile->rows),
		      compare[order]);
}

/*
 * Long division, because a product with 10000 could overflow. Return: hundredths of a percent,
 * rounded down. @remainder is set to the remainder, which is less than @total.
 */
static unsigned int divide(uint64_t samples, uint64_t total, uint64_t *remainder)
{
	unsigned int quotient = (unsigned int)(samples / total), factor;

	*remainder = samples % total;
	for (factor = WHOLE; factor > 1; factor /= 10) {
		quotient = 10 * quotient + (unsigned int)(*remainder * 10 / total);
		*remainder = *remainder * 10 % total;
	}
	return quotient;
}

/* Equal samples have equal percentages, so the sum of all may be a little more or less than 100. */
static void set_percentages(struct profile *profile)
{
	uint64_t remainder;
	size_t i;

	for (i = 0; i < profile->nr_rows; i++) {
		struct profile_row *row = &profile->rows[i];

		row->percent100 = divide(row->samples, profile->samples, &remainder);
		/* that twice the remainder is at least the total, without an overflow */
		row->percent100 += remainder >= profile->samples - remainder;
	}
}

/* Make room for @nr rows and one for samples outside all objects. Return: 0 or -ENOMEM. */
static int make_room(struct profile *profile, size_t nr)
{
	profile->rows = calloc(nr + 1, sizeof(*profile->rows));
	return profile->rows ? 0 : -ENOMEM;
}

/* Add the samples outside all objects, sort the rows and set percentages. Return: 0 or -ENOMEM. */
static int finish(struct profile *profile, const struct result *result)
{
	int error = add_outside(profile, result);

	if (error || !profile->samples)
		return error;
	profile_sort(profile, PROFILE_BY_SAMPLES);
	set_percentages(profile);
	return 0;
}

int profile_of(struct profile *profile, const struct symbolized *symbolized)
{
	const char **names = namesakes_label(symbolized->result);
	int error;

	memset(profile, 0, sizeof(*profile));
	error = names ? make_room(profile, symbolized->nr_functions) : -ENOMEM;
	if (!error)
		error = add_functions(profile, symbolized, names);
	if (!error)
		error = finish(profile, symbolized->result);
	free(names);
	return error;
}

int profile_make(struct profile *profile, const struct result *result,
		 symbols_find_fn *find, void *symbols)
{
	struct symbolized symbolized;
	int error;

	memset(profile, 0, sizeof(*profile));
	error = symbolize_result(&symbolized, result, find, symbols, NULL);
	if (!error)
		error = profile_of(profile, &symbolized);
	symbolized_release(&symbolized);
	return error;
}

/* --- stacks ------------------------------------------------------------------------- */

/* The order in which rows are searched: that of functions in stacks */
static int compare_functions(const void *va, const void *vb)
{
	const struct profile_row *a = va, *b = vb;

	if (a->index != b->index)
		return a->index < b->index ? -1 : 1;
	/* the address of the rest is that of its first sample */
	if (a->is_rest || b->is_rest)
		return a->is_rest - b->is_rest;
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return strcmp(a->function, b->function);
}

/* Append the row of a function in stacks, with a sum in place of its samples. */
static int add_sum(struct profile *profile, const struct calls *calls, size_t i,
		   struct calls_sum sum, const char *const *names)
{
	struct symbolized_function function = calls->symbolized.functions[i];

	function.samples = sum.samples;
	function.system = sum.system;
	return add_function(profile, &function, calls->symbolized.result, SIZE_MAX,
			    names[function.object]);
}

/* Add rows for all functions in stacks, with their totals in place of samples. */
static int add_called(struct profile *profile, const struct calls *calls, const char *const *names)
{
	int error = 0;
	size_t i;

	for (i = 0; !error && i < calls->symbolized.nr_functions; i++)
		if (calls->totals[i])
			error = add_sum(profile, calls, i,
					(struct calls_sum){ .samples = calls->totals[i] }, names);
	return error;
}

/* Move totals to the rows of the same functions; @profile has room for the others. */
static void join(struct profile *profile, struct profile *called)
{
	const size_t nr = profile->nr_rows;
	size_t i;

	if (nr)
		qsort(profile->rows, nr, sizeof(*profile->rows), compare_functions);
	for (i = 0; i < called->nr_rows; i++) {
		struct profile_row *from = &called->rows[i], *to = NULL;

		if (nr)
			to = bsearch(from, profile->rows, nr, sizeof(*to), compare_functions);
		if (to) {
			to->total = from->samples;
			continue;
		}
		to = &profile->rows[profile->nr_rows++];
		*to = *from;
		to->total = from->samples;
		to->samples = 0;
		from->function = NULL;
	}
	for (i = 0; i < profile->nr_rows; i++)
		if (profile->rows[i].total < profile->rows[i].samples)
			profile->rows[i].total = profile->rows[i].samples;
}

int profile_add_totals(struct profile *profile, const struct calls *calls)
{
	const size_t nr = profile->nr_rows + calls->symbolized.nr_functions;
	const char **names = namesakes_label(calls->symbolized.result);
	struct profile_row *rows = reallocarray(profile->rows, nr + 1, sizeof(*rows));
	struct profile called = { 0 };
	int error = -ENOMEM;

	if (rows)
		profile->rows = rows;
	if (names && rows)
		error = make_room(&called, calls->symbolized.nr_functions);
	if (!error)
		error = add_called(&called, calls, names);
	if (!error) {
		join(profile, &called);
		profile->has_totals = true;
		profile_sort(profile, PROFILE_BY_SAMPLES);
	}
	profile_release(&called);
	free(names);
	return error;
}

/* Set the samples of functions. Return: 0 or -ENOMEM. */
static int add_sums(struct profile *profile, const struct calls *calls,
		    const struct calls_sum *sums, const char *const *names)
{
	const size_t nr = calls->symbolized.nr_functions;
	int error = 0;
	size_t i;

	for (i = 0; !error && i < nr + CALLS_OTHERS; i++) {
		const struct profile_row row = {
			.has_name = true, .number = SIZE_MAX, .index = SIZE_MAX, .object = "-",
			.samples = sums[i].samples, .system = sums[i].system,
		};

		if (row.samples)
			error = i < nr ? add_sum(profile, calls, i, sums[i], names) :
					 add_row(profile, calls_other_name(i - nr), &row);
	}
	return error;
}

int profile_of_calls(struct profile *profile, const struct calls *calls,
		     const struct calls_sum *sums)
{
	const char **names = namesakes_label(calls->symbolized.result);
	int error;

	memset(profile, 0, sizeof(*profile));
	error = names ? make_room(profile, calls->symbolized.nr_functions + CALLS_OTHERS) : -ENOMEM;
	if (!error)
		error = add_sums(profile, calls, sums, names);
	if (!error && profile->samples) {
		profile_sort(profile, PROFILE_BY_SAMPLES);
		set_percentages(profile);
	}
	free(names);
	return error;
}

int profile_make_neighbours(struct profile *profile, const struct result *result,
			    symbols_find_fn *find, void *symbols, const char *name, bool callees)
{
	struct calls calls;
	struct calls_sum *sums = NULL;
	bool is_found;
	int error = calls_find(&calls, result, find, symbols, NULL);

	if (!error) {
		sums = calls_sum_neighbours(&calls, name, callees, &is_found);
		error = sums ? profile_of_calls(profile, &calls, sums) :
			       is_found ? -ENOMEM : -ENOENT;
	}
	free(sums);
	calls_release(&calls);
	return error;
}

int profile_make_objects(struct profile *profile, const struct result *result)
{
	int error;
	size_t i;

	memset(profile, 0, sizeof(*profile));
	error = make_room(profile, result->nr_objects);
	for (i = 0; !error && i < result->nr_objects; i++)
		error = add_whole(profile, result, i, result->objects[i].path);
	return error ? error : finish(profile, result);
}

void profile_demangle(struct profile *profile)
{
	size_t i;

	for (i = 0; i < profile->nr_rows; i++) {
		struct profile_row *row = &profile->rows[i];
		char *name = row->is_symbol ? demangle(row->function) : NULL;

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

	for (i = 0; i < profile->nr_rows; i++) {
		free(profile->rows[i].function);
		free(profile->rows[i].caller);
	}
	free(profile->rows);
	memset(profile, 0, sizeof(*profile));
}
