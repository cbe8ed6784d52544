// SPDX-License-Identifier: GPL-2.0-only
/*
 * Servers that take profiles. The path of the URL tells which one it is.
 *
 * Pyroscope's /ingest takes the profile as a field of a form, and its name, labels and time in the
 * query. Parca's writeraw takes JSON, with labels and the profile in base64.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/export.h"
#include "push/server.h"
#include "util/base_name.h"
#include "util/escape.h"
#include "util/time_ns.h"

#define PYROSCOPE	"/ingest"
#define PARCA		"/profiles/writeraw"

static bool ends_in(const char *text, const char *end)
{
	const size_t length = strlen(text), bytes = strlen(end);

	return length >= bytes && !strcmp(text + length - bytes, end);
}

/* Return: what is after the host; NULL: it is no URL of HTTP. */
static const char *path_of(const char *url)
{
	const char *host = NULL;

	if (!strncmp(url, "http://", 7))
		host = url + 7;
	else if (!strncmp(url, "https://", 8))
		host = url + 8;
	if (!host || !*host || *host == '/')
		return NULL;
	return host + strcspn(host, "/");
}

const char *server_problem(const char *url)
{
	const char *path = path_of(url);

	if (!path)
		return "expected http://HOST[:PORT] or https://HOST[:PORT]";
	if (memchr(url, '@', (size_t)(path - url)))
		return "others see a user and password in a command: leave them out, and write them to ~/.netrc";
	if (strchr(url, '?') || strchr(url, '#'))
		return "a query is made from the labels: leave it out, and use --label";
	if (!*path || !strcmp(path, "/") || ends_in(path, PYROSCOPE) || ends_in(path, PARCA))
		return NULL;
	return "the path must end in " PYROSCOPE " (Pyroscope) or " PARCA " (Parca)";
}

const char *server_problem_label(const char *label)
{
	const char *value = strchr(label, '=');
	const char *at;

	if (!value || value == label || !value[1])
		return "expected NAME=VALUE";
	for (at = label; at < value; at++)
		if (!isalnum((unsigned char)*at) && *at != '_')
			return "a name has letters, digits and _ only";
	if (isdigit((unsigned char)*label))
		return "a name does not begin with a digit";
	if (strpbrk(value, ",{}"))
		return "a value has no comma and no brace";
	return NULL;
}

/* Return: the name of the program, to which labels are added. */
static const char *name_of(const struct symbolized *symbolized)
{
	return base_name(symbolized->result->argv[0]);
}

static void print_query(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (isalnum((unsigned char)*text) || strchr("-._~", *text))
			putc(*text, out);
		else
			fprintf(out, "%%%02X", (unsigned char)*text);
	}
}

/* Return: the URL of a request to Pyroscope, to be freed with free(); NULL: no memory. */
static char *pyroscope_url(const struct server *server, const struct symbolized *symbolized)
{
	const struct result *result = symbolized->result;
	const size_t length = strlen(server->url);
	char *url = NULL;
	size_t bytes, i;
	FILE *out = open_memstream(&url, &bytes);

	if (!out)
		return NULL;
	fwrite(server->url, 1, length - ends_in(server->url, "/"), out);
	if (!ends_in(server->url, PYROSCOPE))
		fputs(PYROSCOPE, out);
	fputs("?format=pprof&spyName=profil&name=", out);
	print_query(out, name_of(symbolized));
	for (i = 0; i < server->nr_labels; i++) {
		print_query(out, i ? "," : "{");
		print_query(out, server->labels[i]);
	}
	if (i)
		print_query(out, "}");
	fprintf(out, "&from=%" PRIu64 "&until=%" PRIu64, result->start_time_ns / NS_PER_S,
		(result->start_time_ns + result->elapsed_ns) / NS_PER_S);
	if (!fclose(out))
		return url;
	free(url);
	return NULL;
}

static void print_base64(FILE *out, const unsigned char *data, size_t bytes)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t i, j;

	for (i = 0; i < bytes; i += 3) {
		const size_t left = bytes - i;
		const uint32_t bits = (uint32_t)data[i] << 16 |
				      (left > 1 ? (uint32_t)data[i + 1] << 8 : 0) |
				      (left > 2 ? data[i + 2] : 0);

		for (j = 0; j < 4; j++)
			putc(j <= left ? digits[bits >> (18 - 6 * j) & 63] : '=', out);
	}
}

static void print_label(FILE *out, const char *name, size_t bytes, const char *value)
{
	/* names need no escape */
	fprintf(out, "{\"name\":\"%.*s\",\"value\":", (int)bytes, name);
	escape_json(out, value);
	putc('}', out);
}

/* Return: the JSON for Parca, to be freed with free(); NULL: no memory. */
static char *parca_json(const struct server *server, const struct symbolized *symbolized,
			const unsigned char *profile, size_t bytes, size_t *json_bytes)
{
	static const char name[] = "__name__", job[] = "job";
	char *json = NULL;
	size_t i;
	FILE *out = open_memstream(&json, json_bytes);

	if (!out)
		return NULL;
	fputs("{\"series\":[{\"labels\":{\"labels\":[", out);
	print_label(out, name, strlen(name), "profil_cpu");
	putc(',', out);
	print_label(out, job, strlen(job), name_of(symbolized));
	for (i = 0; i < server->nr_labels; i++) {
		const char *value = strchr(server->labels[i], '=');

		putc(',', out);
		print_label(out, server->labels[i], (size_t)(value - server->labels[i]), value + 1);
	}
	fputs("]},\"samples\":[{\"rawProfile\":\"", out);
	print_base64(out, profile, bytes);
	fputs("\"}]}]}", out);
	if (!fclose(out))
		return json;
	free(json);
	return NULL;
}

static int push_to_parca(const struct server *server, const struct symbolized *symbolized,
			 const char *profile, size_t bytes, char why[HTTP_WHY])
{
	size_t json_bytes;
	char *json = parca_json(server, symbolized, (const unsigned char *)profile, bytes,
				&json_bytes);
	const struct http_post post = {
		.url = server->url, .type = "application/json", .data = json, .bytes = json_bytes,
	};
	const int error = json ? http_send(&post, why) : -ENOMEM;

	free(json);
	return error;
}

static int push_to_pyroscope(const struct server *server, const struct symbolized *symbolized,
			     const char *profile, size_t bytes, char why[HTTP_WHY])
{
	char *url = pyroscope_url(server, symbolized);
	const struct http_post post = {
		.url = url, .type = "application/octet-stream", .field = "profile",
		.data = profile, .bytes = bytes,
	};
	const int error = url ? http_send(&post, why) : -ENOMEM;

	free(url);
	return error;
}

int server_push(const struct server *server, const struct symbolized *symbolized,
		char why[HTTP_WHY])
{
	char *profile = NULL;
	size_t bytes;
	FILE *out = open_memstream(&profile, &bytes);
	int error = out ? export_pprof(out, symbolized) : -ENOMEM;

	snprintf(why, HTTP_WHY, HTTP_NO_MEMORY);
	if (out && fclose(out))
		error = -ENOMEM;
	if (!error)
		error = ends_in(server->url, PARCA) ?
			push_to_parca(server, symbolized, profile, bytes, why) :
			push_to_pyroscope(server, symbolized, profile, bytes, why);
	free(profile);
	return error;
}
