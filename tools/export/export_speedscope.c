// SPDX-License-Identifier: GPL-2.0-only
/*
 * Speedscope's format: a list of frames, and for each sample the numbers of the frames in its
 * stack, the outermost first. The frames are the objects, then the functions, then one for
 * samples outside all objects.
 *
 * The format requires samples in the order of time, and speedscope shows that order first. The
 * samples of a result have no times, so they are written in the order of objects and addresses,
 * and the name of the profile states that.
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

/* Return: the sum of the weights, which may differ from the total CPU time by rounding. */
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

/* Make the name of the profile. Return: a name to be freed with free(); NULL: no memory. */
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
