// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzzes `profil export' with untrusted results: the sanitizers report errors, and the
 * number of samples must be preserved.
 *
 * The input is the message in a result file. The first byte is skipped, so that inputs of
 * result_reader can be used here, too.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <export/export.h>
#include <result/resultpack.h>

#include "fake_symbols.h"

#define MAX_GMON	(1 << 20)	/* samples of a counter; more make large files */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char name[] = "a;\xff\n<";	/* name of functions */

/* The sum of the numbers at the ends of the lines */
static uint64_t folded_samples(char *text)
{
	uint64_t samples = 0;
	char *line, *rest;

	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		samples += strtoull(strrchr(line, ' '), NULL, 10);
	return samples;
}

static void write_all(const struct result *result, const struct symbolized *symbolized)
{
	const struct export_format *format;
	char *text = NULL;
	size_t length;
	FILE *out;
	int error;

	for (format = export_formats; format->name; format++) {
		if (!format->write)
			continue;
		out = open_memstream(&text, &length);
		error = format->write(out, symbolized);
		/* a picture of stacks, of a result without any */
		if (error && (error != -ENODATA || result->nr_stack_parts))
			abort();
		fclose(out);
		if (format->write == export_folded &&
		    folded_samples(text) != result_samples(result))
			abort();
		free(text);
	}
}

static void write_gmon(const struct result *result, size_t object)
{
	const struct result_object *from = &result->objects[object];
	char *text = NULL;
	size_t length, i;
	FILE *out;

	for (i = 0; i < from->nr_counts; i++)
		if (from->counts[i].samples > MAX_GMON)
			return;
	out = open_memstream(&text, &length);
	if (export_gmon(out, result, object))
		abort();
	fclose(out);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct symbolized symbolized;
	struct result result;
	const char *why;
	size_t i;

	if (!size)
		return 0;
	if (!resultpack_unpack(data + 1, size - 1, &result, &why)) {
		if (symbolize_result(&symbolized, &result, fake_symbols_find, name, NULL))
			abort();
		symbolized.symbols = name;
		write_all(&result, &symbolized);
		symbolized.find_line = fake_symbols_line;
		symbolized.find_frames = fake_symbols_frames;
		write_all(&result, &symbolized);
		for (i = 0; i < result.nr_objects; i++)
			write_gmon(&result, i);
		symbolized_release(&symbolized);
	}
	result_release(&result);
	return 0;
}
