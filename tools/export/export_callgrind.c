// SPDX-License-Identifier: GPL-2.0-only
/*
 * Callgrind's format. All counts of a function are consecutive. Names have numbers: the first
 * use is "(2) main", later ones are "(2)". This also makes names that begin with a number in
 * parentheses unambiguous. A function is in the file of its first line (fl=). Counts of code that
 * was inlined from another file follow that file's name (fi=), and fe= returns to the function's
 * file.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "export/export.h"
#include "util/base_name.h"
#include "util/escape.h"
#include "util/text_tree.h"

#define UNKNOWN	"???"	/* as in files by callgrind */

/* A source file, by its path */
struct numbered_file {
	struct text_node path;
	size_t number;	/* 0: not printed yet */
};

/* The state of a file that is being written */
struct writer {
	FILE *out;
	const struct symbolized *symbolized;
	void *sources;		/* tree of struct numbered_file */
	size_t nr_files;	/* numbers in use: the objects, one for UNKNOWN, then the sources */
	const char *file;	/* current file; NULL: the object's (print_object_file()) */
	const char *function_file;	/* last file of fl=, to which readers return at fn= */
};

/* @system: how many of the samples are in the kernel */
static void print_costs(FILE *out, const struct result *result, uint64_t samples, uint64_t system)
{
	fprintf(out, " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", samples,
		export_ns(result, samples), export_ns(result, system));
}

static void print_head(FILE *out, const struct result *result, const char *command)
{
	uint64_t samples = result_samples(result);

	fprintf(out, "# callgrind format\nversion: 1\ncreator: profil\npid: %" PRId32
		"\ncmd: ", result->pid);
	escape_octal(out, command, "");
	fprintf(out, "\npart: 1\n\n"
		"desc: Samples at %.6g Hz of CPU time, without callers\n"
		"positions: instr line\n"
		"event: Samples : Samples\n"
		"event: ns : CPU time in nanoseconds\n"
		"event: sysTime : CPU time in the kernel, in nanoseconds\n"
		"events: Samples ns sysTime\n"
		"summary:", result_rate(result));
	print_costs(out, result, samples, result_system_samples(result));
}

static void print_name(FILE *out, const char *key, size_t number, const char *name)
{
	fprintf(out, "%s=(%zu) ", key, number);
	escape_octal(out, name, "");
	putc('\n', out);
}

/*
 * The file of functions without a source. It is named after the object, because
 * callgrind_annotate merges functions with the same name and file. The brackets keep it from
 * reading the object as a source.
 */
static void print_object_file(FILE *out, size_t number, const char *object)
{
	fprintf(out, "fl=(%zu) [", number);
	escape_octal(out, base_name(object), "");
	fputs("]\n", out);
}

/* Print the number of a source, and its name the first time. Return: 0 or -ENOMEM. */
static int print_source(struct writer *writer, const char *key, const char *path)
{
	struct numbered_file *file = text_tree_find(&writer->sources, path, sizeof(*file));

	if (!file)
		return -ENOMEM;
	if (file->number) {
		fprintf(writer->out, "%s=(%zu)\n", key, file->number);
		return 0;
	}
	file->number = ++writer->nr_files;
	print_name(writer->out, key, file->number, path);
	return 0;
}

static bool is_same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Change to a source, or with NULL to the object's file. Return: 0 or -ENOMEM. */
static int change_file(struct writer *writer, const char *key, size_t object, const char *path)
{
	writer->file = path;
	if (path)
		return print_source(writer, key, path);
	fprintf(writer->out, "%s=(%zu)\n", key, object + 1);
	return 0;
}

/* Print the costs of a function in @file, which is also the file of counts without a line. */
static int print_counts(struct writer *writer, size_t number, const char *file)
{
	const struct symbolized *symbolized = writer->symbolized;
	const struct symbolized_function *function = &symbolized->functions[number];
	const struct result_object *object = &symbolized->result->objects[function->object];
	size_t i;

	for (i = 0; i < function->nr_counts; i++) {
		const struct result_count *count = &object->counts[function->counts[i]];
		struct source_line line;
		int error = 0, found = symbolized_line(symbolized, number, i, &line);

		if (found < 0)
			return found;
		if (!found)
			line = (struct source_line){ .file = file };
		if (!is_same(line.file, writer->file))
			error = change_file(writer, is_same(line.file, file) ? "fe" : "fi",
					    function->object, line.file);
		if (error)
			return error;
		fprintf(writer->out, "0x%" PRIx64 " %d", count->address, line.line);
		print_costs(writer->out, symbolized->result, count->samples,
			    count->system);
	}
	return 0;
}

static int print_function(struct writer *writer, size_t number)
{
	const struct symbolized *symbolized = writer->symbolized;
	const struct symbolized_function *function = &symbolized->functions[number];
	struct source_line line;
	int error, found;

	found = symbolized_start_line(symbolized, number, &line);
	if (found < 0)
		return found;
	if (!found)
		line.file = NULL;
	if (!is_same(line.file, writer->file) || !is_same(line.file, writer->function_file)) {
		error = change_file(writer, "fl", function->object, line.file);
		if (error)
			return error;
		writer->function_file = line.file;
	}
	print_name(writer->out, "fn", number + 1, function->name);
	return print_counts(writer, number, line.file);
}

/* Return: 0 or -ENOMEM. */
static int print_functions(struct writer *writer)
{
	const struct symbolized *symbolized = writer->symbolized;
	size_t i, before = SIZE_MAX;
	int error = 0;

	for (i = 0; !error && i < symbolized->nr_functions; i++) {
		size_t object = symbolized->functions[i].object;

		if (object != before) {
			const char *path = symbolized->result->objects[object].path;

			putc('\n', writer->out);
			print_name(writer->out, "ob", object + 1, path);
			print_object_file(writer->out, object + 1, path);
			writer->file = NULL;
			writer->function_file = NULL;
		}
		before = object;
		error = print_function(writer, i);
	}
	return error;
}

int export_callgrind(FILE *out, const struct symbolized *symbolized)
{
	const struct result *result = symbolized->result;
	struct writer writer = {
		.out = out,
		.symbolized = symbolized,
		.nr_files = result->nr_objects + 1,
	};
	char *command = export_command_line(result);
	int error;

	if (!command)
		return -ENOMEM;
	print_head(out, result, command);
	free(command);
	error = print_functions(&writer);
	tdestroy(writer.sources, free);
	if (error)
		return error;
	if (result->outside) {
		putc('\n', out);
		print_name(out, "ob", result->nr_objects + 1, UNKNOWN);
		print_object_file(out, result->nr_objects + 1, UNKNOWN);
		print_name(out, "fn", symbolized->nr_functions + 1, RESULT_OUTSIDE);
		fputs("0x0 0", out);
		print_costs(out, result, result->outside, result->outside_system);
	}
	fputs("\ntotals:", out);
	print_costs(out, result, result_samples(result), result_system_samples(result));
	return 0;
}
