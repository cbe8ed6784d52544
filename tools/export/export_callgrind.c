// SPDX-License-Identifier: GPL-2.0-only
/*
 * Callgrind's format. All counts of a function are consecutive. Names have numbers: the first
 * use is "(2) main", later ones are "(2)". This also makes names that begin with a number in
 * parentheses unambiguous. A function is in the file of its first line (fl=). Counts of code that
 * was inlined from another file follow that file's name (fi=), and fe= returns to the function's
 * file. With stacks, the calls of a function follow its counts.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "export/callgrind.h"
#include "export/export.h"
#include "export/stacks.h"
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
	const struct result *result;
	const struct symbolized *symbolized;	/* its functions: those in stacks, if there are any */
	struct calls stacks;
	struct callgrind_call *calls;	/* by caller; those up to @next are printed */
	size_t nr_calls;
	size_t next;
	bool *named;		/* for each number of a function: its name is printed */
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
		"desc: Samples at %.6g Hz of CPU time, with%s callers\n"
		"positions: instr line\n"
		"event: Samples : Samples\n"
		"event: ns : CPU time in nanoseconds\n"
		"event: sysTime : CPU time in the kernel, in nanoseconds\n"
		"events: Samples ns sysTime\n"
		"summary:", result_rate(result), result->nr_stack_parts ? "" : "out");
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
static void print_object_file(FILE *out, const char *key, size_t number, const char *object)
{
	fprintf(out, "%s=(%zu) [", key, number);
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

/*
 * Print the position of an address of a function in @file, which is also the file of those without
 * a line. @found: whether it has a line, or an error. Return: 0 or -errno.
 */
static int print_file(struct writer *writer, size_t object, const char *file, int found,
		      struct source_line *line)
{
	if (found < 0)
		return found;
	if (!found)
		*line = (struct source_line){ .file = file };
	if (is_same(line->file, writer->file))
		return 0;
	return change_file(writer, is_same(line->file, file) ? "fe" : "fi", object, line->file);
}

/* Print the costs of a function in @file. */
static int print_counts(struct writer *writer, size_t number, const char *file)
{
	const struct symbolized *symbolized = writer->symbolized;
	const struct symbolized_function *function = &symbolized->functions[number];
	const struct result_object *object = &symbolized->result->objects[function->object];
	size_t i;

	for (i = 0; i < function->nr_counts; i++) {
		const struct result_count *count = &object->counts[function->counts[i]];
		struct source_line line;
		int error;

		if (!count->samples)
			continue;
		error = print_file(writer, function->object, file,
				   symbolized_line(symbolized, number, i, &line), &line);
		if (error)
			return error;
		fprintf(writer->out, "0x%" PRIx64 " %d", count->address, line.line);
		print_costs(writer->out, writer->result, count->samples, count->system);
	}
	return 0;
}

/* Print the number of a function, and its name the first time. */
static void print_function_name(struct writer *writer, const char *key, size_t number,
				const char *name)
{
	if (writer->named[number])
		fprintf(writer->out, "%s=(%zu)\n", key, number + 1);
	else
		print_name(writer->out, key, number + 1, name);
	writer->named[number] = true;
}

/* Print who is called: object, file, function and number. Return: 0 or -errno. */
static int print_callee(struct writer *writer, const struct callgrind_call *call)
{
	const struct symbolized *symbolized = writer->symbolized;
	const bool is_function = call->callee < symbolized->nr_functions;
	const struct symbolized_function *function = &symbolized->functions[call->callee];
	const size_t nr = writer->result->nr_objects;
	const size_t object = is_function ? function->object : nr;
	const char *path = is_function ? writer->result->objects[object].path : UNKNOWN;
	struct source_line line = { 0 };
	int found = is_function ? symbolized_start_line(symbolized, call->callee, &line) : 0;

	if (found < 0)
		return found;
	print_name(writer->out, "cob", object + 1, path);
	if (!found)
		print_object_file(writer->out, "cfi", object + 1, path);
	else if (print_source(writer, "cfi", line.file))
		return -ENOMEM;
	print_function_name(writer, "cfn", call->callee, calls_name(&writer->stacks, call->callee));
	fprintf(writer->out, "calls=%" PRIu64 " 0x%" PRIx64 " %d\n", call->cost.samples,
		is_function ? function->start : 0, found ? line.line : 0);
	return 0;
}

/* Print the calls of a function, or of another number, in @file. Return: 0 or -errno. */
static int print_calls(struct writer *writer, size_t number, const char *file)
{
	const struct symbolized *symbolized = writer->symbolized;
	int error = 0, found = 0;

	for (; !error && writer->next < writer->nr_calls &&
	     writer->calls[writer->next].caller == number; writer->next++) {
		const struct callgrind_call *call = &writer->calls[writer->next];
		struct source_line line = { 0 };

		if (number < symbolized->nr_functions) {
			const size_t object = symbolized->functions[number].object;

			if (symbolized->find_line && result_is_file(&writer->result->objects[object]))
				found = symbolized->find_line(symbolized->symbols, object,
							      call->cost.address, &line);
			error = print_file(writer, object, file, found, &line);
		}
		if (!error)
			error = print_callee(writer, call);
		fprintf(writer->out, "0x%" PRIx64 " %d", call->cost.address, line.line);
		print_costs(writer->out, writer->result, call->cost.samples, call->cost.system);
	}
	return error;
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
	print_function_name(writer, "fn", number, function->name);
	error = print_counts(writer, number, line.file);
	return error ? error : print_calls(writer, number, line.file);
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
			print_object_file(writer->out, "fl", object + 1, path);
			writer->file = NULL;
			writer->function_file = NULL;
		}
		before = object;
		error = print_function(writer, i);
	}
	return error;
}

/* Print what is in no function, with what it calls. Return: 0 or -errno. */
static int print_other(struct writer *writer, size_t number, const char *name,
		       const struct result_count *cost)
{
	const size_t nr = writer->result->nr_objects;

	putc('\n', writer->out);
	print_name(writer->out, "ob", nr + 1, UNKNOWN);
	print_object_file(writer->out, "fl", nr + 1, UNKNOWN);
	print_function_name(writer, "fn", number, name);
	if (cost->samples) {
		fputs("0x0 0", writer->out);
		print_costs(writer->out, writer->result, cost->samples, cost->system);
	}
	return print_calls(writer, number, NULL);
}

/* Find the functions in stacks, the costs of their addresses, and the calls. */
static int find_calls(struct writer *writer, const struct symbolized *symbolized,
		      struct result_count *others)
{
	const struct result *result = writer->result;
	int error = stacks_find(&writer->stacks, symbolized);
	struct result_count sum, *to;
	size_t i, at;

	for (i = 0; !error && i < result->nr_stack_parts; ) {
		i = stacks_sum(result, i, &sum);
		at = stacks_address_of(&writer->stacks, sum.address);
		to = at < result->nr_nodes ? &writer->stacks.addresses[at] :
					     &others[at - result->nr_nodes];
		to->samples += sum.samples;
		to->system += sum.system;
	}
	if (error)
		return error;
	writer->symbolized = &writer->stacks.symbolized;
	writer->calls = callgrind_list_calls(&writer->stacks, &writer->nr_calls);
	return writer->calls ? 0 : -ENOMEM;
}

static int print_all(struct writer *writer, const struct result_count *others)
{
	const struct result *result = writer->result;
	const size_t nr = writer->symbolized->nr_functions;
	int error = print_functions(writer);
	size_t i;

	if (!result->nr_stack_parts) {
		if (!error && others[0].samples)
			error = print_other(writer, nr, RESULT_OUTSIDE, &others[0]);
		return error;
	}
	for (i = 0; !error && i < CALLS_OTHERS; i++)
		if (others[i].samples || (writer->next < writer->nr_calls &&
					  writer->calls[writer->next].caller == nr + i))
			error = print_other(writer, nr + i, calls_other_name(i), &others[i]);
	return error;
}

int export_callgrind(FILE *out, const struct symbolized *symbolized)
{
	const struct result *result = symbolized->result;
	struct result_count others[CALLS_OTHERS] = { { 0 } };
	struct writer writer = {
		.out = out,
		.result = result,
		.symbolized = symbolized,
		.nr_files = result->nr_objects + 1,
	};
	char *command = export_command_line(result);
	int error = command ? 0 : -ENOMEM;

	if (!error && result->nr_stack_parts)
		error = find_calls(&writer, symbolized, others);
	else
		others[0] = (struct result_count){ 0, result->outside, result->outside_system };
	if (!error)
		writer.named = calloc(writer.symbolized->nr_functions + CALLS_OTHERS,
				      sizeof(*writer.named));
	if (!error && !writer.named)
		error = -ENOMEM;
	if (!error) {
		print_head(out, result, command);
		error = print_all(&writer, others);
	}
	if (!error) {
		fputs("\ntotals:", out);
		print_costs(out, result, result_samples(result), result_system_samples(result));
	}
	tdestroy(writer.sources, free);
	calls_release(&writer.stacks);
	free(writer.calls);
	free(writer.named);
	free(command);
	return error;
}
