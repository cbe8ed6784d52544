// SPDX-License-Identifier: GPL-2.0-only
/*
 * A page for browsers: one file, whose data is a block of JSON that its script reads. Lists have
 * their elements without names, because there are thousands:
 *
 *	functions	name, object or -1, samples, in the kernel, groups (page.h)
 *	changes		function, object, old and new samples, old and new seconds, the two ends
 *			of the interval of the change, whether it is significant
 *
 * Names of functions and those of changes are indexes in one list: two results have nearly the
 * same.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "export/export.h"
#include "export/html.h"
#include "profile/comparison.h"
#include "profile/namesakes.h"
#include "util/array.h"
#include "util/base_name.h"
#include "util/escape.h"
#include "util/time_ns.h"

/* The names of functions, and those in changes, sorted */
struct names {
	const char **list;
	size_t nr;
};

static int compare_names(const void *va, const void *vb)
{
	const char *const *a = va, *const *b = vb;

	return strcmp(*a, *b);
}

static void add_functions(struct names *names, const struct symbolized *symbolized)
{
	size_t i;

	for (i = 0; symbolized && i < symbolized->nr_functions; i++)
		names->list[names->nr++] = symbolized->functions[i].name;
}

static void add_change(struct names *names, const struct comparison_row *row)
{
	names->list[names->nr++] = row->function;
	names->list[names->nr++] = row->object;
}

/* Collect all names. @comparison: may be all zero. Return: 0 or -ENOMEM. */
static int collect_names(struct names *names, const struct symbolized *symbolized,
			 const struct comparison *comparison)
{
	const struct symbolized *old = symbolized->old;
	size_t room = symbolized->nr_functions + (old ? old->nr_functions : 0) +
		      2 * comparison->nr_rows + 3;
	size_t i, nr = 0;

	names->list = calloc(room, sizeof(*names->list));
	if (!names->list)
		return -ENOMEM;
	add_functions(names, symbolized);
	add_functions(names, old);
	names->list[names->nr++] = RESULT_OUTSIDE;
	if (old)
		add_change(names, &comparison->all);
	for (i = 0; i < comparison->nr_rows; i++)
		add_change(names, &comparison->rows[i]);
	qsort(names->list, names->nr, sizeof(*names->list), compare_names);
	for (i = 1; i < names->nr; i++)
		if (compare_names(&names->list[nr], &names->list[i]))
			names->list[++nr] = names->list[i];
	names->nr = nr + 1;
	return 0;
}

static size_t find_name(const struct names *names, const char *name)
{
	const char **found = bsearch(&name, names->list, names->nr, sizeof(*names->list),
				     compare_names);

	return (size_t)(found - names->list);
}

static void print_names(struct json *json, const struct names *names)
{
	size_t i;

	json_member(json, "names");
	json_enter(json, '[');
	for (i = 0; i < names->nr; i++) {
		json_next(json);
		escape_json(json->out, names->list[i]);
	}
	json_leave(json, ']');
}

/* All samples of one function, which may be in several parts */
struct parts {
	struct result_part *list;
	size_t nr;
};

static int add_part(struct parts *parts, const struct result_part *part)
{
	struct result_part *list = array_append(parts->list, parts->nr);

	if (!list)
		return -ENOMEM;
	*list = *part;
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

static void print_function(struct json *json, size_t name, long object, uint64_t samples,
			   uint64_t system)
{
	json_next(json);
	fprintf(json->out, "[%zu,%ld,%" PRIu64 ",%" PRIu64, name, object, samples, system);
}

static int print_functions(struct json *json, const struct symbolized *symbolized,
			   const struct names *names, const struct html_groups *groups)
{
	const struct result *result = symbolized->result;
	struct parts parts = { 0 };
	int error = 0;
	size_t i;

	json_member(json, "functions");
	json_enter(json, '[');
	for (i = 0; !error && i < symbolized->nr_functions; i++) {
		const struct symbolized_function *function = &symbolized->functions[i];

		print_function(json, find_name(names, function->name), (long)function->object,
			       function->samples, function->system);
		error = find_parts(&parts, &result->objects[function->object], function);
		if (!error)
			error = html_groups_print_parts(json->out, groups, result, parts.list,
							parts.nr);
		putc(']', json->out);
	}
	if (!error && result->outside) {
		print_function(json, find_name(names, RESULT_OUTSIDE), -1, result->outside,
			       result->outside_system);
		error = html_groups_print_parts(json->out, groups, result, result->outside_parts,
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

static int print_side(struct json *json, const struct symbolized *symbolized,
		      const struct names *names, const size_t *rows)
{
	struct html_groups groups;
	int error = html_groups_make(&groups, symbolized->result);

	json_next(json);
	json_enter(json, '{');
	if (!error)
		error = print_head(json, symbolized->result);
	if (!error)
		error = print_objects(json, symbolized->result);
	if (!error) {
		html_groups_print(json, &groups);
		error = print_functions(json, symbolized, names, &groups);
	}
	if (!error)
		error = html_flames_print(json, symbolized, &groups);
	if (!error)
		error = html_code_print(json, symbolized, rows);
	json_leave(json, '}');
	html_groups_release(&groups);
	return error;
}

static void print_change(struct json *json, const struct comparison_row *row,
			 const struct names *names)
{
	json_next(json);
	fprintf(json->out, "[%zu,%zu,%" PRIu64 ",%" PRIu64 ",%.6g,%.6g,%.6g,%.6g,%d]",
		find_name(names, row->function), find_name(names, row->object), row->old_samples,
		row->new_samples, row->old, row->new, row->interval.low, row->interval.high,
		row->is_significant);
}

/* All functions together are the first one. */
static void print_changes(struct json *json, const struct comparison *comparison,
			  const struct names *names)
{
	size_t i;

	json_member(json, "changes");
	json_enter(json, '[');
	print_change(json, &comparison->all, names);
	for (i = 0; i < comparison->nr_rows; i++)
		print_change(json, &comparison->rows[i], names);
	json_leave(json, ']');
}

/* The files that are compared, although they have other names: pairs of old and new */
static void print_renamed(struct json *json, const struct comparison *comparison)
{
	size_t i;

	json_member(json, "renamed");
	json_enter(json, '[');
	for (i = 0; comparison->old && i < comparison->old->nr_objects; i++) {
		const char *old = comparison_renamed(comparison, i);

		if (!old)
			continue;
		json_next(json);
		escape_json(json->out, old);
		json_next(json);
		escape_json(json->out, comparison->counterparts[i]);
	}
	json_leave(json, ']');
}

/*
 * Find the rows of the functions of both results in the changes, of which the first has all.
 * Return: 0 or -ENOMEM.
 */
static int find_rows(const struct symbolized *symbolized, const struct comparison *comparison,
		     size_t *rows[2])
{
	size_t i;

	rows[0] = calloc(symbolized->old->nr_functions + 1, sizeof(*rows[0]));
	rows[1] = calloc(symbolized->nr_functions + 1, sizeof(*rows[1]));
	if (!rows[0] || !rows[1])
		return -ENOMEM;
	for (i = 0; i < comparison->nr_rows; i++) {
		const size_t first = comparison->rows[i].part;
		size_t at = first;

		do {
			const struct comparison_part *part = &comparison->parts[at];

			if (part->row->number != SIZE_MAX)
				rows[part->is_new][part->row->number] = i + 1;
			at = part->next;
		} while (at != first);
	}
	return 0;
}

/* Print the data. @comparison: all zero if there is no old result. Return: 0 or -ENOMEM. */
static int print_data(FILE *out, const struct symbolized *symbolized,
		      const struct comparison *comparison)
{
	struct json json = { .out = out };
	struct names names = { 0 };
	size_t *rows[2] = { NULL, NULL };
	int error = collect_names(&names, symbolized, comparison);

	if (!error && symbolized->old)
		error = find_rows(symbolized, comparison, rows);
	json_enter(&json, '{');
	if (!error) {
		print_names(&json, &names);
		json_member(&json, "sides");
		json_enter(&json, '[');
		if (symbolized->old)
			error = print_side(&json, symbolized->old, &names, rows[0]);
		if (!error)
			error = print_side(&json, symbolized, &names, rows[1]);
		json_leave(&json, ']');
	}
	if (!error && symbolized->old) {
		print_changes(&json, comparison, &names);
		print_renamed(&json, comparison);
	}
	json_leave(&json, '}');
	free(names.list);
	free(rows[0]);
	free(rows[1]);
	return error;
}

/* Print the data with the changes since the old result. Return: 0 or -ENOMEM. */
static int print_compared(FILE *out, const struct symbolized *symbolized)
{
	struct profile profiles[2] = { 0 };
	const struct comparison_side sides[] = {
		{ .result = symbolized->old->result, .profile = &profiles[0] },
		{ .result = symbolized->result, .profile = &profiles[1] },
	};
	struct comparison comparison = { 0 };
	int error = profile_of(&profiles[0], symbolized->old);

	if (!error)
		error = profile_of(&profiles[1], symbolized);
	if (!error)
		error = comparison_make(&comparison, &sides[0], &sides[1], COMPARISON_OF_SECONDS);
	if (!error)
		error = print_data(out, symbolized, &comparison);
	comparison_release(&comparison);
	profile_release(&profiles[0]);
	profile_release(&profiles[1]);
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
	error = symbolized->old ? print_compared(stream, symbolized) :
		print_data(stream, symbolized, &(struct comparison){ 0 });
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
