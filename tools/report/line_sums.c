// SPDX-License-Identifier: GPL-2.0-only
/*
 * The source lines that a function has samples in, including lines of other files from which code
 * was inlined.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/line_sums.h"
#include "util/array.h"

static int add_line(struct line_sums *annotation, const struct source_line *source, size_t object,
		    uint64_t samples)
{
	struct line_sum *line = array_append(annotation->lines, annotation->nr);

	if (!line)
		return -ENOMEM;
	*line = (struct line_sum){
		.source = *source, .object = object, .samples = samples,
	};
	return 0;
}

static int compare_lines(const void *va, const void *vb)
{
	const struct line_sum *a = va, *b = vb;
	int order = strcmp(a->source.file, b->source.file);

	if (order)
		return order;
	return a->source.line < b->source.line ? -1 : a->source.line > b->source.line;
}

static void merge_lines(struct line_sums *annotation)
{
	size_t from, to = 0;

	if (!annotation->nr)
		return;
	qsort(annotation->lines, annotation->nr, sizeof(*annotation->lines), compare_lines);
	for (from = 1; from < annotation->nr; from++) {
		if (!compare_lines(&annotation->lines[to], &annotation->lines[from]))
			annotation->lines[to].samples += annotation->lines[from].samples;
		else
			annotation->lines[++to] = annotation->lines[from];
	}
	annotation->nr = to + 1;
}

static int compare_files(const void *va, const void *vb)
{
	const struct line_sum *a = va, *b = vb;

	if (a->of_file != b->of_file)
		return a->of_file > b->of_file ? -1 : 1;
	return compare_lines(a, b);
}

/* Most code may be inlined from headers, but the user's own file often has most of the samples. */
static void sort_files(struct line_sums *annotation)
{
	struct line_sum *lines = annotation->lines;
	size_t first, next, i;

	for (first = 0; first < annotation->nr; first = next) {
		uint64_t samples = 0;

		for (next = first; next < annotation->nr &&
		     !strcmp(lines[first].source.file, lines[next].source.file); next++)
			samples += lines[next].samples;
		for (i = first; i < next; i++)
			lines[i].of_file = samples;
	}
	if (annotation->nr)
		qsort(lines, annotation->nr, sizeof(*lines), compare_files);
}

int line_sums_add(struct line_sums *annotation, struct symbols *symbols, size_t object,
		   uint64_t address, uint64_t samples)
{
	struct source_line source;
	int found = symbols_line(symbols, object, address, &source);

	annotation->samples += samples;
	if (!found)
		annotation->unknown += samples;
	return found == 1 ? add_line(annotation, &source, object, samples) : found;
}

static int add_object(struct line_sums *annotation, struct wanted *wanted,
		      const struct result *result, struct symbols *symbols, size_t i)
{
	const struct result_object *object = &result->objects[i];
	uint64_t last = 0;
	bool has_last = false;
	struct function function;
	size_t count;

	for (count = 0; count < object->nr_counts; count++) {
		const uint64_t address = object->counts[count].address;
		const uint64_t samples = object->counts[count].samples;
		int found = wanted_find(wanted, symbols, i, address, &function);

		if (found < 0)
			return found;
		if (found == BELONGS_NOT)
			continue;
		annotation->nr_inlined += found == BELONGS_INLINED ? samples : 0;
		found = line_sums_add(annotation, symbols, i, address, samples);
		if (found < 0)
			return found;
		/* the counts of a function are consecutive */
		annotation->functions += !has_last || last != function.start;
		last = function.start;
		has_last = true;
	}
	if (has_last && !annotation->problem)
		annotation->problem = symbols_explain_lines(symbols, i);
	return 0;
}

void line_sums_sort(struct line_sums *annotation)
{
	merge_lines(annotation);
	sort_files(annotation);
}

int line_sums_collect(struct line_sums *annotation, struct wanted *wanted,
		       const struct result *result, struct symbols *symbols)
{
	int error = 0;
	size_t i;

	for (i = 0; !error && i < result->nr_objects; i++)
		error = add_object(annotation, wanted, result, symbols, i);
	if (!error)
		line_sums_sort(annotation);
	return error;
}

void line_sums_release(struct line_sums *annotation)
{
	free(annotation->problem);
	free(annotation->lines);
	memset(annotation, 0, sizeof(*annotation));
}
