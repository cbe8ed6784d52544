// SPDX-License-Identifier: GPL-2.0-only
/*
 * Speedscope's format: the frames that there are, and for each sample the numbers of
 * those in its stack, the outermost first. Frames of objects come first, then one for
 * each function, then that for what has no object.
 *
 * There is no format without an order in time, and speedscope shows that order first. Our
 * samples have no time. So they stand in the order of their code, object by object and by
 * address, and the name of the profile says so.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "export/export.h"
#include "util/base_name.h"
#include "util/escape.h"

static void print_frames(FILE *out, const struct symbolized *symbolized)
{
	const struct result *result = symbolized->result;
	size_t i;

	for (i = 0; i < result->nr_objects; i++) {
		fputs("{\"name\":", out);
		escape_json(out, base_name(result->objects[i].path));
		fputs(",\"file\":", out);
		escape_json(out, result->objects[i].path);
		fputs("},\n", out);
	}
	for (i = 0; i < symbolized->nr_functions; i++) {
		const struct symbolized_function *function = &symbolized->functions[i];

		fputs("{\"name\":", out);
		escape_json(out, function->name);
		fputs(",\"file\":", out);
		escape_json(out, result->objects[function->object].path);
		fputs("},\n", out);
	}
	fputs("{\"name\":", out);
	escape_json(out, RESULT_OUTSIDE);
	fputs("}\n", out);
}

static void print_samples(FILE *out, const struct symbolized *symbolized)
{
	const size_t nr_objects = symbolized->result->nr_objects;
	const char *between = "";
	size_t i;

	for (i = 0; i < symbolized->nr_functions; i++) {
		fprintf(out, "%s[%zu,%zu]", between, symbolized->functions[i].object,
			nr_objects + i);
		between = ",\n";
	}
	if (symbolized->result->outside)
		fprintf(out, "%s[%zu]", between, nr_objects + symbolized->nr_functions);
}

/* Return: their sum, which is not quite the time of all samples, for the rounding. */
static uint64_t print_weights(FILE *out, const struct symbolized *symbolized)
{
	const struct result *result = symbolized->result;
	const char *between = "";
	uint64_t sum = 0, ns;
	size_t i;

	for (i = 0; i < symbolized->nr_functions; i++) {
		ns = export_ns(result, symbolized->functions[i].samples);
		fprintf(out, "%s%" PRIu64, between, ns);
		between = ",\n";
		sum += ns;
	}
	if (result->outside) {
		ns = export_ns(result, result->outside);
		fprintf(out, "%s%" PRIu64, between, ns);
		sum += ns;
	}
	return sum;
}

/* Return: of a profile, to be given to free(); NULL: no memory. */
static char *make_name(const struct result *result)
{
	char *name;

	if (asprintf(&name, "%s: code by object and address, not by time",
		     base_name(result->argv[0])) < 0)
		return NULL;
	return name;
}

int export_speedscope(FILE *out, const struct symbolized *symbolized)
{
	const struct result *result = symbolized->result;
	char *name = make_name(result);
	uint64_t sum;

	if (!name)
		return -ENOMEM;
	fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
	      "\"exporter\":\"profil\",\n\"name\":", out);
	escape_json(out, base_name(result->argv[0]));
	fputs(",\n\"activeProfileIndex\":0,\n\"shared\":{\"frames\":[\n", out);
	print_frames(out, symbolized);
	fputs("]},\n\"profiles\":[{\"type\":\"sampled\",\"name\":", out);
	escape_json(out, name);
	fputs(",\"unit\":\"nanoseconds\",\"startValue\":0,\n\"samples\":[\n", out);
	print_samples(out, symbolized);
	fputs("],\n\"weights\":[\n", out);
	sum = print_weights(out, symbolized);
	fprintf(out, "],\n\"endValue\":%" PRIu64 "}]}\n", sum);
	free(name);
	return 0;
}
