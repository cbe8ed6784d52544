// SPDX-License-Identifier: GPL-2.0-only
/*
 * Folded stacks: the object, and in it the function. Readers take the last space of a
 * line for the one before the count, so names may have others.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "export/export.h"
#include "util/base_name.h"
#include "util/escape.h"

#define BETWEEN_FRAMES	";"

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
			     BETWEEN_FRAMES);
		fputs(BETWEEN_FRAMES, out);
		escape_octal(out, function->name, BETWEEN_FRAMES);
		fprintf(out, " %" PRIu64 "\n", function->samples);
	}
	if (result->outside)
		fprintf(out, "%s %" PRIu64 "\n", RESULT_OUTSIDE, result->outside);
	free(order);
	return 0;
}
