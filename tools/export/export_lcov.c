// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lines with samples as lcov's tracefile, by file and line. A line that was executed may have no
 * sample, so no other lines are in the file: readers would show them as not executed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export/export.h"
#include "util/escape.h"

struct line {
	const char *file;
	int number;
	uint64_t samples;
};

struct lines {
	struct line *of;
	size_t nr;
};

static int compare_lines(const void *va, const void *vb)
{
	const struct line *a = va, *b = vb;
	int order = strcmp(a->file, b->file);

	if (order)
		return order;
	return a->number < b->number ? -1 : a->number > b->number;
}

/* Find the line of each address with samples. @lines: has room for all. Return: 0 or -ENOMEM. */
static int find_lines(struct lines *lines, const struct symbolized *symbolized)
{
	size_t i, j;

	for (i = 0; i < symbolized->nr_functions; i++) {
		const struct symbolized_function *function = &symbolized->functions[i];
		const struct result_object *object = &symbolized->result->objects[function->object];

		for (j = 0; j < function->nr_counts; j++) {
			struct source_line line;
			int found = symbolized_line(symbolized, i, j, &line);

			if (found < 0)
				return found;
			/* the compiler generates code for no line, too */
			if (!found || !line.line)
				continue;
			lines->of[lines->nr++] = (struct line){
				line.file, line.line, object->counts[function->counts[j]].samples,
			};
		}
	}
	return 0;
}

static void add_up(struct lines *lines)
{
	size_t from, to = 0;

	if (!lines->nr)
		return;
	qsort(lines->of, lines->nr, sizeof(*lines->of), compare_lines);
	for (from = 1; from < lines->nr; from++) {
		if (compare_lines(&lines->of[to], &lines->of[from]))
			lines->of[++to] = lines->of[from];
		else
			lines->of[to].samples += lines->of[from].samples;
	}
	lines->nr = to + 1;
}

/* Print the record of a file. Return: the index of the first line of the next one. */
static size_t print_file(FILE *out, const struct lines *lines, size_t first)
{
	size_t i;

	fputs("TN:\nSF:", out);
	escape_octal(out, lines->of[first].file, "");
	putc('\n', out);
	for (i = first; i < lines->nr && !strcmp(lines->of[i].file, lines->of[first].file); i++)
		fprintf(out, "DA:%d,%" PRIu64 "\n", lines->of[i].number, lines->of[i].samples);
	fprintf(out, "LF:%zu\nLH:%zu\nend_of_record\n", i - first, i - first);
	return i;
}

int export_lcov(FILE *out, const struct symbolized *symbolized)
{
	struct lines lines = { 0 };
	size_t nr = 0, i;
	int error;

	for (i = 0; i < symbolized->nr_functions; i++)
		nr += symbolized->functions[i].nr_counts;
	lines.of = calloc(nr + 1, sizeof(*lines.of));
	error = lines.of ? find_lines(&lines, symbolized) : -ENOMEM;
	if (!error) {
		add_up(&lines);
		for (i = 0; i < lines.nr;)
			i = print_file(out, &lines, i);
	}
	free(lines.of);
	return error;
}
