// SPDX-License-Identifier: GPL-2.0-only
/*
 * Assigns counts to functions, object by object. The counts of an object are sorted by function
 * (start and name), so that all counts of a function are neighbours, even if its text is not
 * contiguous.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/symbolize.h"

/* The name of counts in no function; a symbol with the same characters has another address */
static const char rest[] = SYMBOLIZE_REST;

/* The function of a count of an object */
struct found {
	struct function function;
	size_t count;
};

/* Compare the names too: a source line may start at the address of a function (lines.h). */
static int compare_functions(const struct function *a, const struct function *b)
{
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->length != b->length)
		return a->length < b->length ? -1 : 1;
	/* the usual case, without memcmp(): there may be millions of counts with long names */
	if (a->name == b->name)
		return 0;
	return a->length > 0 ? memcmp(a->name, b->name, (size_t)a->length) : 0;
}

static int compare_found(const void *va, const void *vb)
{
	const struct found *a = va, *b = vb;
	int order = compare_functions(&a->function, &b->function);

	if (order)
		return order;
	return a->count < b->count ? -1 : 1;
}

/* The function of an address in no file: the object itself if it has no name */
static struct function function_without_file(const struct result_object *object,
					     uint64_t address)
{
	const struct result_function *made = result_find_function(object, address);
	const char *name = made ? made->name : object->path;

	return (struct function){
		.start = made ? made->start : object->start,
		.end = made ? made->end : object->end,
		.name = name,
		.length = (int)strlen(name),
	};
}

/*
 * Set @found->function to the function of @found->count.
 *
 * @rest_start: address of the first count in no function; initially UINT64_MAX
 *
 * Return: 0 or -errno.
 */
static int find_function(struct found *found, const struct result *result, size_t object,
			 symbols_find_fn *find, void *symbols, uint64_t *rest_start)
{
	const struct result_object *from = &result->objects[object];
	const uint64_t address = from->counts[found->count].address;
	int status;

	if (!result_is_file(from)) {
		found->function = function_without_file(from, address);
		return 0;
	}
	status = find(symbols, object, address, &found->function);
	if (!status) {
		if (*rest_start > address)
			*rest_start = address;
		found->function = (struct function){
			.start = *rest_start,
			.name = rest,
			.length = (int)strlen(rest),
		};
	}
	return status < 0 ? status : 0;
}

static int name_function(struct symbolized_function *function,
			 const struct function *found, symbolize_demangle_fn *demangle)
{
	function->is_rest = found->name == rest;
	if (function->is_rest) {
		function->name = strdup(rest);
	} else if (found->name && found->length > 0) {
		function->symbol = strndup(found->name, (size_t)found->length);
		if (!function->symbol)
			return -ENOMEM;
		if (demangle)
			function->name = demangle(function->symbol);
		if (!function->name)
			function->name = strdup(function->symbol);
	} else if (asprintf(&function->name, "0x%" PRIx64, function->start) < 0) {
		function->name = NULL;
	}
	return function->name ? 0 : -ENOMEM;
}

/*
 * Add the functions of an object.
 *
 * @found:  the functions of all counts of the object, sorted by function
 * @counts: room for the indexes of all counts of the object
 *
 * Return: 0 or -ENOMEM.
 */
static int add_functions(struct symbolized *symbolized, size_t object,
			 const struct found *found, size_t *counts,
			 symbolize_demangle_fn *demangle)
{
	const struct result_object *from = &symbolized->result->objects[object];
	struct symbolized_function *function = NULL;
	size_t i;

	/* made code has the names that its runtime gives it; those of a result may be any */
	if (!result_is_file(from))
		demangle = NULL;
	for (i = 0; i < from->nr_counts; i++) {
		const struct found *next = &found[i];

		if (!i || compare_functions(&found[i - 1].function, &next->function)) {
			int error;

			function = &symbolized->functions[symbolized->nr_functions++];
			function->object = object;
			function->start = next->function.start;
			function->counts = &counts[i];
			error = name_function(function, &next->function, demangle);
			if (error)
				return error;
		}
		function->samples += from->counts[next->count].samples;
		function->system += from->counts[next->count].system;
		function->nr_counts++;
		counts[i] = next->count;
	}
	return 0;
}

static int add_object(struct symbolized *symbolized, size_t object, size_t *counts,
		      symbols_find_fn *find, void *symbols,
		      symbolize_demangle_fn *demangle)
{
	const struct result_object *from = &symbolized->result->objects[object];
	struct found *found = calloc(from->nr_counts + 1, sizeof(*found));
	uint64_t rest_start = UINT64_MAX;
	int error = 0;
	size_t i;

	if (!found)
		return -ENOMEM;
	for (i = 0; !error && i < from->nr_counts; i++) {
		found[i].count = i;
		error = find_function(&found[i], symbolized->result, object, find, symbols,
				      &rest_start);
	}
	if (!error) {
		qsort(found, from->nr_counts, sizeof(*found), compare_found);
		error = add_functions(symbolized, object, found, counts, demangle);
	}
	free(found);
	return error;
}

int symbolize_result(struct symbolized *symbolized, const struct result *result,
		     symbols_find_fn *find, void *symbols,
		     symbolize_demangle_fn *demangle)
{
	size_t i, nr_counts = 0;
	int error;

	memset(symbolized, 0, sizeof(*symbolized));
	symbolized->result = result;
	symbolized->find = find;
	symbolized->find_data = symbols;
	symbolized->demangle = demangle;
	for (i = 0; i < result->nr_objects; i++)
		nr_counts += result->objects[i].nr_counts;
	/* each function has at least one count */
	symbolized->functions = calloc(nr_counts + 1, sizeof(*symbolized->functions));
	symbolized->counts = calloc(nr_counts + 1, sizeof(*symbolized->counts));
	if (!symbolized->functions || !symbolized->counts)
		return -ENOMEM;
	for (i = 0, nr_counts = 0; i < result->nr_objects; i++) {
		error = add_object(symbolized, i, &symbolized->counts[nr_counts], find,
				   symbols, demangle);
		if (error)
			return error;
		nr_counts += result->objects[i].nr_counts;
	}
	return 0;
}

static int compare_samples(const void *va, const void *vb, void *of)
{
	const struct symbolized *symbolized = of;
	const struct symbolized_function *a = &symbolized->functions[*(const size_t *)va];
	const struct symbolized_function *b = &symbolized->functions[*(const size_t *)vb];

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	return a < b ? -1 : 1;
}

size_t *symbolized_by_samples(const struct symbolized *symbolized)
{
	size_t *order = calloc(symbolized->nr_functions + 1, sizeof(*order));
	size_t i;

	if (!order)
		return NULL;
	for (i = 0; i < symbolized->nr_functions; i++)
		order[i] = i;
	qsort_r(order, symbolized->nr_functions, sizeof(*order), compare_samples,
		(void *)symbolized);
	return order;
}

static int find_line(const struct symbolized *symbolized, size_t object,
		     uint64_t address, struct source_line *line)
{
	if (!symbolized->find_line || !result_is_file(&symbolized->result->objects[object]))
		return 0;
	return symbolized->find_line(symbolized->symbols, object, address, line);
}

int symbolized_line(const struct symbolized *symbolized, size_t function, size_t count,
		    struct source_line *line)
{
	const struct symbolized_function *owner = &symbolized->functions[function];
	const struct result_object *object = &symbolized->result->objects[owner->object];

	return find_line(symbolized, owner->object,
			 object->counts[owner->counts[count]].address, line);
}

int symbolized_frames(const struct symbolized *symbolized, size_t function, size_t count,
		      struct source_frame *frames, size_t *nr)
{
	const struct symbolized_function *owner = &symbolized->functions[function];
	const struct result_object *object = &symbolized->result->objects[owner->object];

	*nr = 0;
	if (!symbolized->find_frames || !result_is_file(object))
		return 0;
	return symbolized->find_frames(symbolized->symbols, owner->object,
				       object->counts[owner->counts[count]].address, frames, nr);
}

int symbolized_start_line(const struct symbolized *symbolized, size_t function,
			  struct source_line *line)
{
	const struct symbolized_function *owner = &symbolized->functions[function];

	if (owner->is_rest)
		return 0;
	return find_line(symbolized, owner->object, owner->start, line);
}

void symbolized_release(struct symbolized *symbolized)
{
	size_t i;

	for (i = 0; i < symbolized->nr_functions; i++) {
		free(symbolized->functions[i].symbol);
		free(symbolized->functions[i].name);
	}
	free(symbolized->functions);
	free(symbolized->counts);
	memset(symbolized, 0, sizeof(*symbolized));
}
