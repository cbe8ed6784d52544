// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts to functions, object by object: all counts of an object are sorted by the
 * start and the name of the function that they were found in, so that those of one
 * function are neighbours, however its text is spread.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/symbolize.h"

/* The function of a count */
struct place {
	struct function function;
	size_t count;
};

/* By name too: a line has the start of a function, if it was seen at its first address. */
static int compare_functions(const struct function *a, const struct function *b)
{
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->length != b->length)
		return a->length < b->length ? -1 : 1;
	/* as most often: millions of counts may be of one function, with a name of kilobytes */
	if (a->name == b->name)
		return 0;
	return a->length > 0 ? memcmp(a->name, b->name, (size_t)a->length) : 0;
}

static int compare_places(const void *va, const void *vb)
{
	const struct place *a = va, *b = vb;
	int order = compare_functions(&a->function, &b->function);

	if (order)
		return order;
	return a->count < b->count ? -1 : 1;
}

/* The last address that a count stands for */
static uint64_t last_address(const struct result *result, size_t object, uint64_t first)
{
	const uint64_t end = result->objects[object].end;
	const uint64_t last = first + result->text_bytes - 1;

	/* the text may end before what its last count stands for does */
	return last >= end || last < first ? end - 1 : last;
}

int symbolize_count(const struct result *result, size_t object, uint64_t *address,
		     symbols_find_fn *find, void *symbols, struct function *function)
{
	int found = find(symbols, object, *address, function);

	if (found)
		return found;
	*address = last_address(result, object, *address);
	return find(symbols, object, *address, function);
}

/* Return: 0 or -errno. */
static int find_place(struct place *place, const struct result *result, size_t object,
		      symbols_find_fn *find, void *symbols)
{
	const struct result_object *in = &result->objects[object];
	const uint64_t first = in->counts[place->count].address;
	uint64_t address = first;
	int found;

	if (!result_is_file(in)) {
		place->function = (struct function){
			.start = in->start,
			.name = in->path,
			.length = (int)strlen(in->path),
		};
		return 0;
	}
	found = symbolize_count(result, object, &address, find, symbols,
				 &place->function);
	if (!found)
		place->function = (struct function){ .start = first };
	return found < 0 ? found : 0;
}

static int name_function(struct symbolized_function *function,
			 const struct function *found, symbolize_demangle_fn *demangle)
{
	if (found->name && found->length > 0) {
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
 * @places: of all counts of the object, sorted
 * @counts: room for as many
 */
static int add_functions(struct symbolized *symbolized, size_t object,
			 const struct place *places, size_t *counts,
			 symbolize_demangle_fn *demangle)
{
	const struct result_object *from = &symbolized->result->objects[object];
	struct symbolized_function *function = NULL;
	size_t i;

	for (i = 0; i < from->nr_counts; i++) {
		const struct place *place = &places[i];

		if (!i || compare_functions(&places[i - 1].function, &place->function)) {
			int error;

			function = &symbolized->functions[symbolized->nr_functions++];
			function->object = object;
			function->start = place->function.start;
			function->counts = &counts[i];
			error = name_function(function, &place->function, demangle);
			if (error)
				return error;
		}
		function->samples += from->counts[place->count].samples;
		function->nr_counts++;
		counts[i] = place->count;
	}
	return 0;
}

static int add_object(struct symbolized *symbolized, size_t object, size_t *counts,
		      symbols_find_fn *find, void *symbols,
		      symbolize_demangle_fn *demangle)
{
	const struct result_object *from = &symbolized->result->objects[object];
	struct place *places = calloc(from->nr_counts + 1, sizeof(*places));
	int error = 0;
	size_t i;

	if (!places)
		return -ENOMEM;
	for (i = 0; !error && i < from->nr_counts; i++) {
		places[i].count = i;
		error = find_place(&places[i], symbolized->result, object, find, symbols);
	}
	if (!error) {
		qsort(places, from->nr_counts, sizeof(*places), compare_places);
		error = add_functions(symbolized, object, places, counts, demangle);
	}
	free(places);
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
	for (i = 0; i < result->nr_objects; i++)
		nr_counts += result->objects[i].nr_counts;
	/* as many as there can be: none has less than one count */
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
	const struct symbolized_function *of = &symbolized->functions[function];
	const struct result_object *object = &symbolized->result->objects[of->object];
	uint64_t address = object->counts[of->counts[count]].address;

	/* found behind the first address: see symbolize_count() */
	if (address < of->start)
		address = last_address(symbolized->result, of->object, address);
	return find_line(symbolized, of->object, address, line);
}

int symbolized_start_line(const struct symbolized *symbolized, size_t function,
			   struct source_line *line)
{
	const struct symbolized_function *of = &symbolized->functions[function];

	return find_line(symbolized, of->object, of->start, line);
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
