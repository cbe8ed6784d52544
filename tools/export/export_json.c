// SPDX-License-Identifier: GPL-2.0-only
/*
 * JSON as specified by profil-result.schema.json. Members are in the order of the schema.
 */
#include <inttypes.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "export/export.h"
#include "util/clock_name.h"
#include "util/escape.h"
#include "util/time_ns.h"

#define VERSION		1

/* @name is not escaped, because no member's name needs it. */
static void print_string(FILE *out, const char *name, const char *value)
{
	fprintf(out, "\"%s\":", name);
	if (value)
		escape_json(out, value);
	else
		fputs("null", out);
	fputs(",\n", out);
}

static void print_number(FILE *out, const char *name, uint64_t value)
{
	fprintf(out, "\"%s\":%" PRIu64 ",\n", name, value);
}

static void print_bool(FILE *out, const char *name, bool value)
{
	fprintf(out, "\"%s\":%s,\n", name, value ? "true" : "false");
}

static void print_address(FILE *out, const char *name, uint64_t value)
{
	fprintf(out, "\"%s\":\"0x%" PRIx64 "\",", name, value);
}

/* Print the comma before a member of a list, except the first. */
static void print_comma(FILE *out, bool *is_first)
{
	if (!*is_first)
		fputs(",\n", out);
	*is_first = false;
}

static void print_command(FILE *out, const struct result *result)
{
	bool is_first = true;
	size_t i;

	fputs("\"command\":[", out);
	for (i = 0; result->argv[i]; i++) {
		print_comma(out, &is_first);
		escape_json(out, result->argv[i]);
	}
	fputs("],\n", out);
}

/* RFC 3339, in UTC */
static void print_start_time(FILE *out, uint64_t ns)
{
	time_t seconds = (time_t)(ns / NS_PER_S);
	char text[32];
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	fprintf(out, "\"start_time\":\"%s.%09" PRIu64 "Z\",\n", text, ns % NS_PER_S);
}

static void print_exit(FILE *out, int status)
{
	if (WIFSIGNALED(status))
		fprintf(out, "\"exit_status\":null,\n\"signal\":%d,\n", WTERMSIG(status));
	else
		fprintf(out, "\"exit_status\":%d,\n\"signal\":null,\n",
			WEXITSTATUS(status));
}

static void print_run(FILE *out, const struct result *result)
{
	print_command(out, result);
	print_string(out, "host", result->host);
	print_string(out, "kernel", result->kernel);
	print_start_time(out, result->start_time_ns);
	print_number(out, "elapsed_ns", result->elapsed_ns);
	print_exit(out, result->status);
	fprintf(out, "\"pid\":%" PRId32 ",\n", result->pid);
	print_string(out, "clock", clock_name(result->clock));
	print_number(out, "rate", result->rate);
	print_number(out, "requested_rate", result->requested_rate);
	fprintf(out, "\"mean_rate\":%.6g,\n", result_rate(result));
	print_number(out, "program_cpu_ns", result->program_cpu_ns);
	print_number(out, "children_cpu_ns", result->children_cpu_ns);
	print_number(out, "samples", result_samples(result));
	print_number(out, "outside", result->outside);
	print_number(out, "lost", result->lost);
	print_number(out, "lost_records", result->lost_records);
	print_bool(out, "records_filled_log", result->records_filled_log);
	print_number(out, "skipped", result->skipped);
	print_number(out, "log_bytes", result->log_bytes);
	print_number(out, "wanted_log_bytes", result->wanted_log_bytes);
	print_bool(out, "no_follow", result->no_follow);
	print_number(out, "fork_failures", result->fork_failures);
	print_number(out, "unlisted_processes", result->unlisted_processes);
	print_number(out, "unlisted_ended", result->unlisted_ended);
	print_number(out, "unlisted_cpu_ns", result->unlisted_cpu_ns);
}

static void print_build_id(FILE *out, const struct result_object *object)
{
	size_t i;

	if (!object->build_id_bytes) {
		print_string(out, "build_id", NULL);
		return;
	}
	fputs("\"build_id\":\"", out);
	for (i = 0; i < object->build_id_bytes && i < RESULT_MAX_BUILD_ID; i++)
		fprintf(out, "%02x", object->build_id[i]);
	fputs("\",\n", out);
}

static void print_function(FILE *out, const struct symbolized *symbolized,
			   const struct symbolized_function *function)
{
	const struct result_object *object =
		&symbolized->result->objects[function->object];
	bool is_first = true;
	size_t i;

	putc('{', out);
	print_address(out, "address", function->start);
	putc('\n', out);
	print_string(out, "symbol", function->symbol);
	print_string(out, "name", function->name);
	print_number(out, "samples", function->samples);
	fputs("\"counts\":[", out);
	for (i = 0; i < function->nr_counts; i++) {
		const struct result_count *count = &object->counts[function->counts[i]];

		print_comma(out, &is_first);
		putc('{', out);
		print_address(out, "address", count->address);
		fprintf(out, "\"samples\":%" PRIu64 "}", count->samples);
	}
	fputs("]}", out);
}

/* @function: index of the object's first function. Return: index of the next object's first. */
static size_t print_object(FILE *out, const struct symbolized *symbolized,
			   size_t number, size_t function)
{
	const struct result_object *object = &symbolized->result->objects[number];
	bool is_first = true;

	putc('{', out);
	print_string(out, "path", object->path);
	print_build_id(out, object);
	fprintf(out, "\"unread\":%s,\n", object->unread ? "true" : "false");
	print_number(out, "file_bytes", object->file_bytes);
	fprintf(out, "\"mtime_ns\":%" PRId64 ",\n", object->mtime_ns);
	print_address(out, "start", object->start);
	print_address(out, "end", object->end);
	print_address(out, "bias", object->bias);
	putc('\n', out);
	print_number(out, "samples", object->samples);
	fputs("\"functions\":[", out);
	while (function < symbolized->nr_functions &&
	       symbolized->functions[function].object == number) {
		print_comma(out, &is_first);
		print_function(out, symbolized, &symbolized->functions[function]);
		function++;
	}
	fputs("]}", out);
	return function;
}

static void print_process(FILE *out, const struct result_process *process)
{
	fprintf(out, "{\"pid\":%" PRId32 ",\"parent\":%" PRId32 ",\n", process->pid,
		process->parent);
	print_string(out, "program", process->program);
	fprintf(out, "\"is_fork\":%s,\"start_cpu_ns\":%" PRIu64 ",",
		process->is_fork ? "true" : "false", process->start_cpu_ns);
	if (process->has_ended)
		fprintf(out, "\"cpu_ns\":%" PRIu64 ",\n", process->cpu_ns);
	else
		fputs("\"cpu_ns\":null,\n", out);
	fprintf(out, "\"samples\":%" PRIu64 "}", process->samples);
}

static void print_unprofiled(FILE *out, const struct result_unprofiled *unprofiled)
{
	fputs("{", out);
	print_string(out, "program", unprofiled->program);
	fprintf(out, "\"processes\":%" PRIu64 ",\"cpu_ns\":%" PRIu64 "}",
		unprofiled->processes, unprofiled->cpu_ns);
}

int export_json(FILE *out, const struct symbolized *symbolized)
{
	const struct result *result = symbolized->result;
	size_t i, function = 0;
	bool is_first = true;

	fprintf(out, "{\"format\":\"profil-result\",\n\"version\":%d,\n", VERSION);
	print_run(out, result);
	fputs("\"objects\":[", out);
	for (i = 0; i < result->nr_objects; i++) {
		print_comma(out, &is_first);
		function = print_object(out, symbolized, i, function);
	}
	fputs("],\n\"processes\":[", out);
	is_first = true;
	for (i = 0; i < result->nr_processes; i++) {
		print_comma(out, &is_first);
		print_process(out, &result->processes[i]);
	}
	fputs("],\n\"unprofiled\":[", out);
	is_first = true;
	for (i = 0; i < result->nr_unprofiled; i++) {
		print_comma(out, &is_first);
		print_unprofiled(out, &result->unprofiled[i]);
	}
	fputs("]}\n", out);
	return 0;
}
