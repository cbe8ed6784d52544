// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions with samples, hottest first: a line for each symbol.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "export/export.h"
#include "util/folded.h"

/* A function, with its samples in user mode */
struct hot {
	const struct symbolized_function *function;
	uint64_t samples;
};

static int compare_hot(const void *va, const void *vb)
{
	const struct hot *a = va, *b = vb;

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	return a->function->start < b->function->start ? -1 :
	       a->function->start > b->function->start;
}

/* Print a line for each name of a function: the linker chooses which one it keeps. */
static void print_names(FILE *out, const char *symbol)
{
	const char *name;
	size_t length;

	/* a list of lines has no place for others */
	if (strchr(symbol, '\n'))
		return;
	while ((name = folded_next(&symbol, &length)))
		fprintf(out, "%.*s\n", (int)length, name);
}

int export_order(FILE *out, struct code *code)
{
	struct hot *all = calloc(code->nr + 1, sizeof(*all));
	size_t nr = 0, i;

	if (!all)
		return -ENOMEM;
	for (i = 0; i < code->nr; i++) {
		/* the samples of a function are neighbours */
		if (!nr || all[nr - 1].function != code->of[i].function)
			all[nr++].function = code->of[i].function;
		all[nr - 1].samples += code->of[i].samples;
	}
	qsort(all, nr, sizeof(*all), compare_hot);
	for (i = 0; i < nr; i++)
		print_names(out, all[i].function->symbol);
	free(all);
	return 0;
}
