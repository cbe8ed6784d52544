// SPDX-License-Identifier: GPL-2.0-only
/*
 * A page for browsers: one file, whose data is a block of JSON that its script reads. Lists have
 * their elements without names, because there are thousands:
 *
 *	functions	name, object or -1, samples, in the kernel, groups (page.h)
 *	changes		function, object, old and new samples, old and new seconds, the two ends of the
 *			interval of the change, whether it is significant
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "export/export.h"
#include "export/page.h"
#include "profile/comparison.h"
#include "profile/namesakes.h"
#include "util/base_name.h"
#include "util/escape.h"
#include "util/time_ns.h"

/* All samples of one function, which may be in several parts */
struct parts {
	struct result_part *list;
	size_t nr;
	size_t room;
};

static int add_part(struct parts *parts, const struct result_part *part)
{
	if (parts->nr == parts->room) {
		const size_t room = parts->room ? 2 * parts->room : 64;
		struct result_part *list = reallocarray(parts->list, room, sizeof(*list));

		if (!list)
			return -ENOMEM;
		parts->list = list;
		parts->room = room;
	}
	parts->list[parts->nr++] = *part;
	return 0;
}

static int find_parts(struct parts *parts, const struct result_object *object,
		      const struct symbolized_function *function)
{
	const struct result_part *part, *end = object->parts + object->nr_parts;
	size_t i;

	parts->nr = 0;
	for (i = 0; i < function->nr_counts; i++) {
		const uint64_t address = object->counts[function->counts[i]].address;

		for (part = result_find_part(object, address);
		     part < end && part->address == address; part++)
			if (add_part(parts, part))
				return -ENOMEM;
	}
	return 0;
}

static void print_function(struct json *json, const char *name, long object, uint64_t samples,
			   uint64_t system)
{
	json_next(json);
	putc('[', json->out);
	escape_json(json->out, name);
	fprintf(json->out, ",%ld,%" PRIu64 ",%" PRIu64, object, samples, system);
}

static int print_functions(struct json *json, const struct symbolized *symbolized,
			   const struct page_groups *groups)
{
	const struct result *result = symbolized->result;
	struct parts parts = { 0 };
	int error = 0;
	size_t i;

	json_member(json, "functions");
	json_enter(json, '[');
	for (i = 0; !error && i < symbolized->nr_functions; i++) {
		const struct symbolized_function *function = &symbolized->functions[i];

		print_function(json, function->name, (long)function->object, function->samples,
			       function->system);
		error = find_parts(&parts, &result->objects[function->object], function);
		if (!error)
			error = page_groups_print_parts(json->out, groups, result, parts.list,
							parts.nr);
		putc(']', json->out);
	}
	if (!error && result->outside) {
		print_function(json, RESULT_OUTSIDE, -1, result->outside, result->outside_system);
		error = page_groups_print_parts(json->out, groups, result, result->outside_parts,
						result->nr_outside_parts);
		putc(']', json->out);
	}
	json_leave(json, ']');
	free(parts.list);
	return error;
}

static int print_objects(struct json *json, const struct result *result)
{
	const char **labels = namesakes_label(result);
	size_t i;

	if (!labels)
		return -ENOMEM;
	json_member(json, "objects");
	json_enter(json, '[');
	for (i = 0; i < result->nr_objects; i++) {
		json_next(json);
		escape_json(json->out, labels[i]);
	}
	json_leave(json, ']');
	free(labels);
	return 0;
}

static int print_head(struct json *json, const struct result *result)
{
	const time_t seconds = (time_t)(result->start_time_ns / NS_PER_S);
	char *command = export_command_line(result);
	char when[64];
	struct tm tm;

	if (!command)
		return -ENOMEM;
	gmtime_r(&seconds, &tm);
	strftime(when, sizeof(when), "%Y-%m-%d %H:%M UTC", &tm);
	json_string(json, "name", base_name(result->argv[0]));
	json_string(json, "command", command);
	json_string(json, "host", result->host);
	json_string(json, "kernel", result->kernel);
	json_string(json, "start", when);
	fprintf(json_member(json, "rate"), "%.6g", result_rate(result));
	json_number(json, "samples", result_samples(result));
	json_number(json, "system", result_system_samples(result));
	json_number(json, "lost", result->lost);
	free(command);
	return 0;
}

static int print_side(struct json *json, const struct symbolized *symbolized)
{
	struct page_groups groups;
	int error = page_groups_make(&groups, symbolized->result);

	json_next(json);
	json_enter(json, '{');
	if (!error)
		error = print_head(json, symbolized->result);
	if (!error)
		error = print_objects(json, symbolized->result);
	if (!error) {
		page_groups_print(json, &groups);
		error = print_functions(json, symbolized, &groups);
	}
	if (!error)
		error = page_code_print(json, symbolized);
	json_leave(json, '}');
	page_groups_release(&groups);
	return error;
}

static void print_change(struct json *json, const struct comparison_row *row)
{
	json_next(json);
	putc('[', json->out);
	escape_json(json->out, row->function);
	putc(',', json->out);
	escape_json(json->out, row->object);
	fprintf(json->out, ",%" PRIu64 ",%" PRIu64 ",%.6g,%.6g,%.6g,%.6g,%d]", row->old_samples,
		row->new_samples, row->old, row->new, row->interval.low, row->interval.high,
		row->is_significant);
}

static int print_changes(struct json *json, const struct symbolized *old,
			 const struct symbolized *new)
{
	struct profile profiles[2] = { 0 };
	const struct comparison_side sides[] = {
		{ old->result, &profiles[0] }, { new->result, &profiles[1] },
	};
	struct comparison comparison = { 0 };
	int error = profile_of(&profiles[0], old);
	size_t i;

	if (!error)
		error = profile_of(&profiles[1], new);
	if (!error)
		error = comparison_make(&comparison, &sides[0], &sides[1], COMPARISON_OF_SECONDS);
	json_member(json, "changes");
	json_enter(json, '[');
	if (!error) {
		/* all together is the first one */
		print_change(json, &comparison.all);
		for (i = 0; i < comparison.nr_rows; i++)
			print_change(json, &comparison.rows[i]);
	}
	json_leave(json, ']');
	comparison_release(&comparison);
	profile_release(&profiles[0]);
	profile_release(&profiles[1]);
	return error;
}

/* Print the data. Return: 0 or -ENOMEM. */
static int print_data(FILE *out, const struct symbolized *symbolized)
{
	struct json json = { .out = out };
	int error = 0;

	json_enter(&json, '{');
	json_member(&json, "sides");
	json_enter(&json, '[');
	if (symbolized->old)
		error = print_side(&json, symbolized->old);
	if (!error)
		error = print_side(&json, symbolized);
	json_leave(&json, ']');
	if (!error && symbolized->old)
		error = print_changes(&json, symbolized->old, symbolized);
	json_leave(&json, '}');
	return error;
}

/* "</script>" in a name would end the data. In JSON, "<" is in texts only. */
static void write_data(FILE *out, const char *data)
{
	while (*data) {
		const size_t plain = strcspn(data, "<");

		fwrite(data, 1, plain, out);
		data += plain;
		if (!*data)
			return;
		fputs("\\u003c", out);
		data++;
	}
}

int export_html(FILE *out, const struct symbolized *symbolized)
{
	char *data = NULL;
	size_t size;
	FILE *stream = open_memstream(&data, &size);
	int error;

	if (!stream)
		return -ENOMEM;
	error = print_data(stream, symbolized);
	if (fclose(stream) && !error)
		error = -ENOMEM;
	if (!error) {
		fputs(page_before_data, out);
		write_data(out, data);
		fputs(page_after_data, out);
	}
	free(data);
	return error;
}
