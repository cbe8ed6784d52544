// SPDX-License-Identifier: GPL-2.0-only
/*
 * Folded stacks of an object and a function. Names may contain spaces, because readers look for
 * the count after the last space of a line.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "export/export.h"
#include "util/base_name.h"
#include "util/escape.h"

#define SEPARATOR	";"

int export_folded(FILE *out, const struct symbolized *symbolized)
{
	const struct result *result = symbolized->result;
	size_t *order = symbolized_by_samples(symbolized);
	size_t i;

	if (!order)
		return -ENOMEM;
	for (i = 0; i < symbolized->nr_functions; i++) {
		const struct symbolized_function *function =
			&symbolized->functions[order[i]];

		escape_octal(out, base_name(result->objects[function->object].path),
			     SEPARATOR);
		fputs(SEPARATOR, out);
		escape_octal(out, function->name, SEPARATOR);
		fprintf(out, " %" PRIu64 "\n", function->samples);
	}
	if (result->outside)
		fprintf(out, "%s %" PRIu64 "\n", RESULT_OUTSIDE, result->outside);
	free(order);
	return 0;
}
