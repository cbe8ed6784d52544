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

static int add_line(struct line_sums *annotation, const struct line_sum *new)
{
	struct line_sum *line = array_append(annotation->lines, annotation->nr);

	if (!line)
		return -ENOMEM;
	*line = *new;
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
		struct line_sum *line = &annotation->lines[from];

		if (compare_lines(&annotation->lines[to], line)) {
			annotation->lines[++to] = *line;
			continue;
		}
		annotation->lines[to].samples += line->samples;
		annotation->lines[to].with_inlined += line->with_inlined;
		annotation->lines[to].is_own |= line->is_own;
	}
	annotation->nr = to + 1;
}

static int compare_files(const void *va, const void *vb)
{
	const struct line_sum *a = va, *b = vb;

	if (a->is_own != b->is_own)
		return a->is_own ? -1 : 1;
	if (a->of_file != b->of_file)
		return a->of_file > b->of_file ? -1 : 1;
	return compare_lines(a, b);
}

/* Most code may be inlined from headers, but the user looks for the function itself. */
static void sort_files(struct line_sums *annotation)
{
	struct line_sum *lines = annotation->lines;
	size_t first, next, i;

	for (first = 0; first < annotation->nr; first = next) {
		uint64_t samples = 0;
		bool is_own = false;

		for (next = first; next < annotation->nr &&
		     !strcmp(lines[first].source.file, lines[next].source.file); next++) {
			samples += lines[next].samples;
			is_own |= lines[next].is_own;
		}
		for (i = first; i < next; i++) {
			lines[i].of_file = samples;
			lines[i].is_own = is_own;
		}
	}
	if (annotation->nr)
		qsort(lines, annotation->nr, sizeof(*lines), compare_files);
}

/* Whether a line is that of a frame inside, as in recursive functions: its samples count once. */
static bool is_repeated(const struct source_frame *frames, size_t i)
{
	size_t inner;

	for (inner = 0; inner < i; inner++)
		if (frames[inner].file == frames[i].file && frames[inner].line == frames[i].line)
			return true;
	return false;
}

int line_sums_add(struct line_sums *annotation, struct symbols *symbols, size_t object,
		  uint64_t address, uint64_t samples, struct wanted *inlined)
{
	struct source_frame frames[SYMBOLS_MAX_FRAMES];
	size_t nr = 0, i;
	int found = symbols_frames(symbols, object, address, frames, &nr), error = 0;

	annotation->samples += samples;
	if (found == 1 && inlined) {
		found = wanted_count_frames(inlined, frames, nr);
		nr = found > 0 ? (size_t)found : 0;
	}
	if (found < 0)
		return found;
	if (!nr || !frames[0].file)
		annotation->unknown += samples;
	for (i = 0; !error && i < nr; i++) {
		const struct line_sum line = {
			.source = { frames[i].file, frames[i].line },
			.object = object,
			.address = address,
			.samples = i ? 0 : samples,
			.with_inlined = is_repeated(frames, i) ? 0 : samples,
			.is_own = i + 1 == nr,
		};

		if (line.source.file)
			error = add_line(annotation, &line);
		annotation->has_inlined |= i > 0;
	}
	return error;
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
		found = line_sums_add(annotation, symbols, i, address, samples,
				      found == BELONGS_INLINED ? wanted : NULL);
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
