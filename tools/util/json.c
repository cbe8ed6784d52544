// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints JSON, one member or element in a line.
 */
#include <inttypes.h>

#include "util/escape.h"
#include "util/json.h"

void json_next(struct json *json)
{
	if (!json->is_first)
		fputs(",\n", json->out);
	json->is_first = false;
}

void json_enter(struct json *json, char bracket)
{
	putc(bracket, json->out);
	json->is_first = true;
}

void json_leave(struct json *json, char bracket)
{
	putc(bracket, json->out);
	json->is_first = false;
}

FILE *json_member(struct json *json, const char *name)
{
	json_next(json);
	fprintf(json->out, "\"%s\":", name);
	return json->out;
}

void json_string(struct json *json, const char *name, const char *value)
{
	json_member(json, name);
	if (value)
		escape_json(json->out, value);
	else
		fputs("null", json->out);
}

void json_texts(struct json *json, const char *name, char *const *texts)
{
	json_member(json, name);
	json_enter(json, '[');
	for (; texts && *texts; texts++) {
		json_next(json);
		escape_json(json->out, *texts);
	}
	json_leave(json, ']');
}

void json_number(struct json *json, const char *name, uint64_t value)
{
	fprintf(json_member(json, name), "%" PRIu64, value);
}

void json_real(struct json *json, const char *name, double value)
{
	fprintf(json_member(json, name), "%.9g", value);
}

void json_bool(struct json *json, const char *name, bool value)
{
	fputs(value ? "true" : "false", json_member(json, name));
}
