// SPDX-License-Identifier: GPL-2.0-only
/*
 * callgrind's format. All lines of a function stand together, and its names are given
 * by numbers in parentheses, "(2) main" the first time: so a name that begins with such
 * a number is none.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base_name.h"
#include "escape.h"
#include "export.h"

#define UNKNOWN	"???"	/* callgrind's own word for it */

static void print_costs(FILE *out, const struct result *result, uint64_t samples)
{
	fprintf(out, " %" PRIu64 " %" PRIu64 "\n", samples, export_ns(result, samples));
}

static void print_head(FILE *out, const struct result *result, const char *command)
{
	uint64_t samples = result_samples(result);

	fprintf(out, "# callgrind format\nversion: 1\ncreator: profil\npid: %" PRId32
		"\ncmd: ", result->pid);
	escape_octal(out, command, "");
	fprintf(out, "\npart: 1\n\n"
		"desc: Samples at %" PRIu32 " Hz of CPU time, without callers\n"
		"positions: instr\n"
		"event: Samples : Samples\n"
		"event: ns : CPU time in nanoseconds\n"
		"events: Samples ns\n"
		"summary:", result->rate);
	print_costs(out, result, samples);
}

static void print_name(FILE *out, const char *key, size_t number, const char *name)
{
	fprintf(out, "%s=(%zu) ", key, number);
	escape_octal(out, name, "");
	putc('\n', out);
}

/*
 * There is no source, but callgrind_annotate takes functions of one name for the same
 * unless their files differ. The brackets keep it from reading the object for a source.
 */
static void print_file(FILE *out, size_t number, const char *object)
{
	fprintf(out, "fl=(%zu) [", number);
	escape_octal(out, base_name(object), "");
	fputs("]\n", out);
}

static void print_function(FILE *out, const struct attribution *attribution,
			   size_t number)
{
	const struct attribution_function *function = &attribution->functions[number];
	const struct result *result = attribution->result;
	const struct result_object *object = &result->objects[function->object];
	size_t i;

	print_name(out, "fn", number + 1, function->name);
	for (i = 0; i < function->nr_counts; i++) {
		const struct result_count *count = &object->counts[function->counts[i]];

		fprintf(out, "0x%" PRIx64, count->address);
		print_costs(out, result, count->samples);
	}
}

int export_callgrind(FILE *out, const struct attribution *attribution)
{
	const struct result *result = attribution->result;
	char *command = export_command_line(result);
	size_t i, before = SIZE_MAX;

	if (!command)
		return -ENOMEM;
	print_head(out, result, command);
	free(command);
	for (i = 0; i < attribution->nr_functions; i++) {
		size_t object = attribution->functions[i].object;

		if (object != before) {
			const char *path = result->objects[object].path;

			putc('\n', out);
			print_name(out, "ob", object + 1, path);
			print_file(out, object + 1, path);
		}
		before = object;
		print_function(out, attribution, i);
	}
	if (result->outside) {
		putc('\n', out);
		print_name(out, "ob", result->nr_objects + 1, UNKNOWN);
		print_file(out, result->nr_objects + 1, UNKNOWN);
		print_name(out, "fn", attribution->nr_functions + 1, RESULT_OUTSIDE);
		fputs("0x0", out);
		print_costs(out, result, result->outside);
	}
	fputs("\ntotals:", out);
	print_costs(out, result, result_samples(result));
	return 0;
}
