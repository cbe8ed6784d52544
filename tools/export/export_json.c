// SPDX-License-Identifier: GPL-2.0-only
/*
 * JSON as specified by profil-result.schema.in. Members are in the order of profil.proto, by the
 * tables of its fields; what has another name or form in JSON is printed by hand.
 */
#include <inttypes.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "export/export.h"
#include "export/stacks.h"
#include "result/fields.h"
#include "util/clock_name.h"
#include "util/json.h"
#include "util/time_ns.h"

#define VERSION		1

/**
 * struct document - a document that is being printed
 * @json:       its text; first, as print_functions() finds the document by it
 * @function:   index of the first function of @symbolized that is not printed yet
 */
struct document {
	struct json json;
	const struct symbolized *symbolized;
	size_t function;
};

static void print_address(struct json *json, const char *name, uint64_t value)
{
	fprintf(json_member(json, name), "\"0x%" PRIx64 "\"", value);
}

/* --- what is not a field as it is ------------------------------------------------ */

static void print_command(struct json *json, const void *result)
{
	json_texts(json, "command", ((const struct result *)result)->argv);
}

/* RFC 3339, in UTC */
static void print_start_time(struct json *json, const void *result)
{
	const uint64_t ns = ((const struct result *)result)->start_time_ns;
	const time_t seconds = (time_t)(ns / NS_PER_S);
	char text[32];
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	fprintf(json_member(json, "start_time"), "\"%s.%09" PRIu64 "Z\"", text, ns % NS_PER_S);
}

static void print_exit(struct json *json, const void *result)
{
	const int status = ((const struct result *)result)->status;
	const bool is_killed = WIFSIGNALED(status);
	char number[16];

	snprintf(number, sizeof(number), "%d",
		 is_killed ? WTERMSIG(status) : WEXITSTATUS(status));
	fputs(is_killed ? "null" : number, json_member(json, "exit_status"));
	fputs(is_killed ? number : "null", json_member(json, "signal"));
}

static void print_clock(struct json *json, const void *result)
{
	json_string(json, "clock", clock_name(((const struct result *)result)->clock));
}

static void print_mean_rate(struct json *json, const void *result)
{
	fprintf(json_member(json, "mean_rate"), "%.6g", result_rate(result));
}

static void print_modes(struct json *json, uint64_t samples, uint64_t system)
{
	json_number(json, "samples", samples);
	json_number(json, "system", system);
}

static void print_all_samples(struct json *json, const void *of)
{
	const struct result *result = of;

	print_modes(json, result_samples(result), result_system_samples(result));
	json_number(json, "outside", result->outside);
	json_number(json, "outside_system", result->outside_system);
}

static void print_build_id(struct json *json, const void *of)
{
	const struct result_object *object = of;
	size_t i;

	if (!object->build_id_bytes) {
		json_string(json, "build_id", NULL);
		return;
	}
	putc('"', json_member(json, "build_id"));
	for (i = 0; i < object->build_id_bytes && i < RESULT_MAX_BUILD_ID; i++)
		fprintf(json->out, "%02x", object->build_id[i]);
	putc('"', json->out);
}

/* Print the samples of an address, and of each thread there. Return: the next address's parts. */
static const struct result_part *print_count(struct json *json, const struct result_count *count,
					     const struct result_object *object,
					     const struct result_part *part)
{
	const struct result_part *end = object->parts + object->nr_parts;

	json_next(json);
	json_enter(json, '{');
	print_address(json, "address", count->address);
	print_modes(json, count->samples, count->system);
	json_member(json, "threads");
	json_enter(json, '[');
	for (; part < end && part->address == count->address; part++) {
		json_next(json);
		json_enter(json, '{');
		if (part->thread == RESULT_NO_THREAD)
			json_string(json, "thread", NULL);
		else
			json_number(json, "thread", part->thread);
		print_modes(json, part->samples, part->system);
		json_leave(json, '}');
	}
	json_leave(json, ']');
	json_leave(json, '}');
	return part;
}

static void print_function(struct json *json, const struct result_object *object,
			   const struct symbolized_function *function)
{
	const struct result_part *part = object->parts;
	size_t i;

	json_next(json);
	json_enter(json, '{');
	print_address(json, "address", function->start);
	json_string(json, "symbol", function->symbol);
	json_string(json, "name", function->name);
	print_modes(json, function->samples, function->system);
	json_member(json, "counts");
	json_enter(json, '[');
	for (i = 0; i < function->nr_counts; i++) {
		const struct result_count *count = &object->counts[function->counts[i]];

		/* another function may be in between */
		if (!i || function->counts[i] != function->counts[i - 1] + 1)
			part = result_find_part(object, count->address);
		part = print_count(json, count, object, part);
	}
	json_leave(json, ']');
	json_leave(json, '}');
}

/* Functions are in the order of their objects. */
static void print_functions(struct json *json, const void *of)
{
	struct document *document = (struct document *)json;
	const struct symbolized *symbolized = document->symbolized;
	const struct result_object *object = of;

	print_modes(json, object->samples, result_object_system(object));
	json_member(json, "functions");
	json_enter(json, '[');
	while (document->function < symbolized->nr_functions &&
	       &symbolized->result->objects[symbolized->functions[document->function].object] ==
	       object)
		print_function(json, object, &symbolized->functions[document->function++]);
	json_leave(json, ']');
}

static void print_cpu(struct json *json, bool is_known, uint64_t ns)
{
	if (is_known)
		json_number(json, "cpu_ns", ns);
	else
		json_string(json, "cpu_ns", NULL);
}

static void print_process(struct json *json, const void *of)
{
	const struct result_process *process = of;

	print_cpu(json, process->has_ended, process->cpu_ns);
	print_modes(json, process->samples, process->system);
}

static void print_thread(struct json *json, const void *of)
{
	const struct result_thread *thread = of;

	print_cpu(json, thread->has_cpu_ns, thread->cpu_ns);
	print_modes(json, thread->samples, thread->system);
}

/* What is printed by hand: in place of the field, or after it if JSON has the field as it is */
static const struct {
	const struct field_table *table;
	const char *field;
	void (*print)(struct json *json, const void *structure);
} by_hand[] = {
	{ &fields_of_result, "argv", print_command },
	{ &fields_of_result, "start_time_ns", print_start_time },
	{ &fields_of_result, "status", print_exit },
	{ &fields_of_result, "clock", print_clock },
	{ &fields_of_result, "requested_rate", print_mean_rate },
	{ &fields_of_result, "children_cpu_ns", print_all_samples },
	{ &fields_of_object, "path", print_build_id },
	{ &fields_of_object, "bias", print_functions },
	{ &fields_of_process, "cpu_ns", print_process },
	{ &fields_of_thread, "cpu_ns", print_thread },
};

/* --- fields ---------------------------------------------------------------------- */

static void print_fields(struct json *json, const struct field_table *table,
			 const void *structure);

static void print_list(struct json *json, const struct field *field, const void *structure)
{
	const char *elements = field_pointer(structure, field->member);
	size_t i;

	json_member(json, field->name);
	json_enter(json, '[');
	for (i = 0; i < field_length(field, structure); i++) {
		json_next(json);
		json_enter(json, '{');
		print_fields(json, field->elements, elements + i * field->elements->bytes);
		json_leave(json, '}');
	}
	json_leave(json, ']');
}

static void print_field(struct json *json, const struct field *field, const void *structure)
{
	const void *value = field_at(structure, field->member);

	switch (field->kind) {
	case FIELD_BOOL:
		json_bool(json, field->name, *(const bool *)value);
		break;
	case FIELD_INT32:
		fprintf(json_member(json, field->name), "%" PRId32, *(const int32_t *)value);
		break;
	case FIELD_UINT32:
		json_number(json, field->name, *(const uint32_t *)value);
		break;
	case FIELD_INT64:
		fprintf(json_member(json, field->name), "%" PRId64, *(const int64_t *)value);
		break;
	case FIELD_UINT64:
		if (field->is_address)
			print_address(json, field->name, *(const uint64_t *)value);
		else
			json_number(json, field->name, *(const uint64_t *)value);
		break;
	case FIELD_TEXT:
		json_string(json, field->name,
			     result_text(field_pointer(structure, field->member)) ? : "");
		break;
	case FIELD_TEXTS:
		json_texts(json, field->name, field_pointer(structure, field->member));
		break;
	case FIELD_LIST:
		print_list(json, field, structure);
		break;
	}
}

static void print_fields(struct json *json, const struct field_table *table,
			 const void *structure)
{
	size_t i, j;

	for (i = 0; i < table->nr_fields; i++) {
		if (!table->fields[i].is_converted)
			print_field(json, &table->fields[i], structure);
		for (j = 0; j < sizeof(by_hand) / sizeof(by_hand[0]); j++) {
			if (by_hand[j].table == table &&
			    !strcmp(by_hand[j].field, table->fields[i].name))
				by_hand[j].print(json, structure);
		}
	}
}

/* --- stacks ---------------------------------------------------------------------- */

/* Print an index, or null for one that means none. */
static void print_index(struct json *json, const char *name, uint32_t index, uint32_t none)
{
	if (index == none)
		json_string(json, name, NULL);
	else
		json_number(json, name, index);
}

static void print_nodes(struct json *json, const struct calls *calls)
{
	size_t i;

	json_member(json, "nodes");
	json_enter(json, '[');
	for (i = 0; i < calls->result->nr_nodes; i++) {
		const struct result_node *node = &calls->result->nodes[i];

		json_next(json);
		json_enter(json, '{');
		print_index(json, "caller", node->parent, RESULT_NO_NODE);
		print_index(json, "object", node->object, RESULT_NO_OBJECT);
		if (node->object == RESULT_NO_OBJECT)
			json_string(json, "address", NULL);
		else
			print_address(json, "address", node->address);
		json_string(json, "name", calls_name(calls, calls->of_node[i]));
		json_leave(json, '}');
	}
	json_leave(json, ']');
}

static void print_stacks(struct json *json, const struct result *result)
{
	size_t i;

	json_member(json, "stacks");
	json_enter(json, '[');
	for (i = 0; i < result->nr_stack_parts; i++) {
		const struct result_part *part = &result->stack_parts[i];

		json_next(json);
		json_enter(json, '{');
		json_number(json, "node", part->address);
		print_index(json, "thread", part->thread, RESULT_NO_THREAD);
		print_modes(json, part->samples, part->system);
		json_leave(json, '}');
	}
	json_leave(json, ']');
}

int export_json(FILE *out, const struct symbolized *symbolized)
{
	struct document document = { .json.out = out, .symbolized = symbolized };
	struct json *json = &document.json;
	struct calls calls = { 0 };
	int error = 0;

	if (symbolized->result->nr_stack_parts)
		error = stacks_find(&calls, symbolized);
	json_enter(json, '{');
	json_string(json, "format", "profil-result");
	json_number(json, "version", VERSION);
	print_fields(json, &fields_of_result, symbolized->result);
	if (!error && calls.result) {
		print_nodes(json, &calls);
		print_stacks(json, symbolized->result);
	}
	json_leave(json, '}');
	putc('\n', out);
	calls_release(&calls);
	return error;
}
