// SPDX-License-Identifier: GPL-2.0-only
/*
 * The processed profile format of Firefox Profiler, version 61. A table has a list for each column.
 * A frame is an address in user mode or in the kernel, which are the categories. Without call
 * stacks, a stack is a frame.
 *
 * The samples of a thread have no times. They are written by object and address, or by stack, each
 * where the CPU time of those before it ends; the name of the profile states that.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export/export.h"
#include "export/firefox.h"
#include "util/base_name.h"
#include "util/escape.h"
#include "util/json.h"
#include "util/time_ns.h"

#define VERSION		61
#define GECKO_VERSION	27	/* of the unprocessed format that this one is made of */

#define LIBRARY		1	/* type of a resource */

/* Print a column that has the same value in each row. */
static void print_constant(struct json *json, const char *name, const char *value, size_t nr)
{
	size_t i;

	json_member(json, name);
	putc('[', json->out);
	for (i = 0; i < nr; i++)
		fprintf(json->out, "%s%s", i ? "," : "", value);
	putc(']', json->out);
}

/* Print a column of numbers. @value: negative: null */
static void print_column(struct json *json, const char *name, const struct firefox_tables *tables,
			 size_t nr,
			 long long (*value)(const struct firefox_tables *tables, size_t i))
{
	size_t i;

	json_member(json, name);
	putc('[', json->out);
	for (i = 0; i < nr; i++) {
		const long long number = value(tables, i);

		if (number < 0)
			fprintf(json->out, "%snull", i ? "," : "");
		else
			fprintf(json->out, "%s%lld", i ? "," : "", number);
	}
	putc(']', json->out);
}

static long long stack_frame(const struct firefox_tables *tables, size_t i)
{
	return (long long)tables->stacks[i].frame;
}

static long long stack_caller(const struct firefox_tables *tables, size_t i)
{
	return tables->stacks[i].caller == SIZE_MAX ? -1 : (long long)tables->stacks[i].caller;
}

static long long frame_category(const struct firefox_tables *tables, size_t i)
{
	return tables->frames[i].category;
}

static long long frame_function(const struct firefox_tables *tables, size_t i)
{
	return (long long)tables->frames[i].function;
}

static long long frame_line(const struct firefox_tables *tables, size_t i)
{
	return tables->frames[i].line ? : -1;
}

static long long function_source(const struct firefox_tables *tables, size_t i)
{
	return tables->of_function[i] == SIZE_MAX ? -1 : (long long)tables->of_function[i];
}

/* The number of functions with the others */
static size_t nr_functions(const struct firefox_tables *tables)
{
	return tables->functions->nr_functions + tables->nr_others;
}

static const char *function_name(const struct firefox_tables *tables, size_t i)
{
	const size_t nr = tables->functions->nr_functions;

	if (i < nr)
		return tables->functions->functions[i].name;
	return tables->nr_others > 1 ? calls_other_name(i - nr) : RESULT_OUTSIDE;
}

/* Texts are those of functions, then of objects, then of sources. */
static void print_texts(struct json *json, const struct firefox_tables *tables)
{
	size_t i;

	json_member(json, "stringArray");
	json_enter(json, '[');
	for (i = 0; i < nr_functions(tables); i++) {
		json_next(json);
		escape_json(json->out, function_name(tables, i));
	}
	for (i = 0; i < tables->functions->result->nr_objects; i++) {
		json_next(json);
		escape_json(json->out, base_name(tables->functions->result->objects[i].path));
	}
	for (i = 0; i < tables->nr_names; i++) {
		json_next(json);
		escape_json(json->out, tables->names[i]);
	}
	json_leave(json, ']');
}

/* A column of numbers that follow each other */
static void print_range(struct json *json, const char *name, size_t first, size_t nr)
{
	size_t i;

	json_member(json, name);
	putc('[', json->out);
	for (i = 0; i < nr; i++)
		fprintf(json->out, "%s%zu", i ? "," : "", first + i);
	putc(']', json->out);
}

/* The address of a frame is in its object. @outside has none. */
static void print_addresses(struct json *json, const struct firefox_tables *tables)
{
	size_t i;

	json_member(json, "address");
	putc('[', json->out);
	for (i = 0; i < tables->nr_frames; i++) {
		const struct firefox_frame *frame = &tables->frames[i];

		if (frame->function >= tables->functions->nr_functions)
			fprintf(json->out, "%s-1", i ? "," : "");
		else
			fprintf(json->out, "%s%" PRIu64, i ? "," : "", frame->address);
	}
	putc(']', json->out);
}

static void print_resources(struct json *json, const struct firefox_tables *tables)
{
	const size_t nr = tables->functions->result->nr_objects;
	char library[4];

	snprintf(library, sizeof(library), "%d", LIBRARY);
	json_member(json, "resourceTable");
	json_enter(json, '{');
	print_range(json, "lib", 0, nr);
	print_range(json, "name", nr_functions(tables), nr);
	print_constant(json, "host", "null", nr);
	print_constant(json, "type", library, nr);
	json_number(json, "length", nr);
	json_leave(json, '}');
}

static void print_functions(struct json *json, const struct firefox_tables *tables)
{
	const size_t nr = nr_functions(tables);
	size_t i;

	json_member(json, "funcTable");
	json_enter(json, '{');
	print_range(json, "name", 0, nr);
	print_constant(json, "isJS", "false", nr);
	print_constant(json, "relevantForJS", "false", nr);
	json_member(json, "resource");
	putc('[', json->out);
	for (i = 0; i < tables->functions->nr_functions; i++)
		fprintf(json->out, "%zu,", tables->functions->functions[i].object);
	for (i = 0; i < tables->nr_others; i++)
		fprintf(json->out, "%s-1", i ? "," : "");
	putc(']', json->out);
	print_column(json, "source", tables, nr, function_source);
	print_constant(json, "lineNumber", "null", nr);
	print_constant(json, "columnNumber", "null", nr);
	json_number(json, "length", nr);
	json_leave(json, '}');
}

static void print_frames(struct json *json, const struct firefox_tables *tables)
{
	const size_t nr = tables->nr_frames;

	json_member(json, "stackTable");
	json_enter(json, '{');
	print_column(json, "frame", tables, tables->nr_stacks, stack_frame);
	print_column(json, "prefix", tables, tables->nr_stacks, stack_caller);
	json_number(json, "length", tables->nr_stacks);
	json_leave(json, '}');
	json_member(json, "frameTable");
	json_enter(json, '{');
	print_addresses(json, tables);
	print_constant(json, "inlineDepth", "0", nr);
	print_column(json, "category", tables, nr, frame_category);
	print_constant(json, "subcategory", "0", nr);
	print_column(json, "func", tables, nr, frame_function);
	print_constant(json, "nativeSymbol", "null", nr);
	print_constant(json, "innerWindowID", "null", nr);
	print_column(json, "line", tables, nr, frame_line);
	print_constant(json, "column", "null", nr);
	json_number(json, "length", nr);
	json_leave(json, '}');
}

static void print_sources(struct json *json, const struct firefox_tables *tables)
{
	json_member(json, "sources");
	json_enter(json, '{');
	print_constant(json, "id", "null", tables->nr_names);
	print_range(json, "filename", nr_functions(tables) + tables->functions->result->nr_objects,
		    tables->nr_names);
	print_constant(json, "startLine", "1", tables->nr_names);
	print_constant(json, "startColumn", "1", tables->nr_names);
	print_constant(json, "sourceMapURL", "null", tables->nr_names);
	json_number(json, "length", tables->nr_names);
	json_leave(json, '}');
}

static void print_shared(struct json *json, const struct firefox_tables *tables)
{
	json_member(json, "shared");
	json_enter(json, '{');
	print_texts(json, tables);
	print_sources(json, tables);
	print_resources(json, tables);
	print_functions(json, tables);
	print_frames(json, tables);
	json_member(json, "nativeSymbols");
	fputs("{\"libIndex\":[],\"address\":[],\"name\":[],\"functionSize\":[],\"length\":0}",
	      json->out);
	json_leave(json, '}');
}

static void print_table(struct json *json, const struct firefox_tables *tables, size_t first,
			size_t next, double rate)
{
	uint64_t before = 0;
	size_t i;

	json_member(json, "samples");
	json_enter(json, '{');
	json_string(json, "weightType", "samples");
	json_member(json, "stack");
	putc('[', json->out);
	for (i = first; i < next; i++)
		fprintf(json->out, "%s%zu", i > first ? "," : "", tables->samples[i].stack);
	putc(']', json->out);
	json_member(json, "weight");
	putc('[', json->out);
	for (i = first; i < next; i++)
		fprintf(json->out, "%s%" PRIu64, i > first ? "," : "", tables->samples[i].samples);
	putc(']', json->out);
	json_member(json, "time");
	putc('[', json->out);
	for (i = first; i < next; i++) {
		fprintf(json->out, "%s%.3f", i > first ? "," : "", 1000 * (double)before / rate);
		before += tables->samples[i].samples;
	}
	putc(']', json->out);
	json_number(json, "length", next - first);
	json_leave(json, '}');
}

/* @index: in result->threads, or RESULT_NO_THREAD */
static void print_owner(struct json *json, const struct result *result, uint32_t index)
{
	const struct result_thread *thread = index < result->nr_threads ?
					     &result->threads[index] : NULL;
	const struct result_process *process = thread && thread->process != RESULT_NO_PROCESS ?
					       &result->processes[thread->process] : NULL;

	json_string(json, "processType", "default");
	json_string(json, "processName", process ? base_name(process->program) : RESULT_UNKNOWN);
	fprintf(json_member(json, "pid"), "\"%d\"", process ? process->pid : 0);
	fprintf(json_member(json, "tid"), "%d", thread ? thread->tid : 0);
	json_string(json, "name", thread && result_text(thread->name) ? thread->name :
		    RESULT_UNKNOWN);
	json_bool(json, "isMainThread", process && thread->tid == process->pid);
}

static void print_threads(struct json *json, const struct result *result,
			  const struct firefox_tables *tables)
{
	size_t first, next;

	json_member(json, "threads");
	json_enter(json, '[');
	for (first = 0; first < tables->nr_samples; first = next) {
		for (next = first; next < tables->nr_samples &&
		     tables->samples[next].thread == tables->samples[first].thread; next++)
			;
		json_next(json);
		json_enter(json, '{');
		print_owner(json, result, tables->samples[first].thread);
		fputs(",\"processStartupTime\":0,\"processShutdownTime\":null,\"registerTime\":0,"
		      "\"unregisterTime\":null,\"pausedRanges\":[],\n\"markers\":{\"data\":[],\"name\":[],"
		      "\"startTime\":[],\"endTime\":[],\"phase\":[],\"category\":[],\"length\":0}",
		      json->out);
		print_table(json, tables, first, next, result_rate(result));
		json_leave(json, '}');
	}
	json_leave(json, ']');
}

static void print_libraries(struct json *json, const struct result *result)
{
	const char *space = strchr(result->kernel, ' ');
	size_t i, j;

	json_member(json, "libs");
	json_enter(json, '[');
	for (i = 0; i < result->nr_objects; i++) {
		const struct result_object *object = &result->objects[i];

		json_next(json);
		json_enter(json, '{');
		json_string(json, "arch", space ? space + 1 : "");
		json_string(json, "name", base_name(object->path));
		json_string(json, "path", object->path);
		json_string(json, "debugName", base_name(object->path));
		json_string(json, "debugPath", object->path);
		json_string(json, "breakpadId", "");
		json_member(json, "codeId");
		putc('"', json->out);
		for (j = 0; j < object->build_id_bytes && j < RESULT_MAX_BUILD_ID; j++)
			fprintf(json->out, "%02x", object->build_id[j]);
		putc('"', json->out);
		json_leave(json, '}');
	}
	json_leave(json, ']');
}

static int print_meta(struct json *json, const struct result *result)
{
	char *command = export_command_line(result), *product = NULL;
	int error = -ENOMEM;

	if (command && asprintf(&product, "%s: code by object and address, not by time",
				base_name(result->argv[0])) >= 0) {
		json_member(json, "meta");
		json_enter(json, '{');
		json_number(json, "version", GECKO_VERSION);
		json_number(json, "preprocessedProfileVersion", VERSION);
		json_real(json, "interval", 1000 / result_rate(result));
		json_number(json, "startTime", result->start_time_ns / (NS_PER_S / 1000));
		json_string(json, "product", product);
		json_string(json, "arguments", command);
		json_string(json, "oscpu", result->kernel);
		json_string(json, "importedFrom", "profil");
		fputs(",\n\"processType\":0,\"stackwalk\":0,\"debug\":false,\"symbolicated\":true,"
		      "\"usesOnlyOneStackType\":true,\"sourceCodeIsNotOnSearchfox\":true,"
		      "\"markerSchema\":[],\n\"categories\":["
		      "{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]},"
		      "{\"name\":\"User\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]},"
		      "{\"name\":\"Kernel\",\"color\":\"orange\",\"subcategories\":[\"Other\"]}]",
		      json->out);
		json_leave(json, '}');
		error = 0;
	}
	free(product);
	free(command);
	return error;
}

int export_firefox(FILE *out, const struct symbolized *symbolized)
{
	struct firefox_tables tables = { 0 };
	struct json json = { .out = out };
	int error = firefox_tables_make(&tables, symbolized);

	json_enter(&json, '{');
	if (!error)
		error = print_meta(&json, symbolized->result);
	if (!error) {
		print_libraries(&json, symbolized->result);
		print_shared(&json, &tables);
		print_threads(&json, symbolized->result, &tables);
	}
	json_leave(&json, '}');
	putc('\n', out);
	firefox_tables_release(&tables);
	return error;
}
