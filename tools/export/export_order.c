// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions with samples, hottest first: as symbols, as the sections that compilers give them with
 * -ffunction-sections, and as a script for a linker that has no option for either.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "export/export.h"

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

/* For linkers, a name of a section is a pattern: what has a meaning there is any character. */
static void print_pattern(FILE *out, const char *name, size_t length)
{
	for (; length; length--, name++)
		putc(strchr("*[]\\\"\n", *name) ? '?' : *name, out);
}

/* Print the names of the sections that a function may be in. */
static void print_sections(FILE *out, const char *name, const char *before, const char *after)
{
	/* gcc puts functions there that it expects to run often, seldom or once */
	static const char *const prefixes[] = { "", "hot.", "unlikely.", "startup.", "exit." };
	static const char cold[] = ".cold";
	size_t length = strlen(name), i;

	/* the cold part of a function is in a section with the function's name */
	if (length > strlen(cold) && !strcmp(name + length - strlen(cold), cold))
		length -= strlen(cold);
	for (i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		fprintf(out, "%s.text.%s", before, prefixes[i]);
		print_pattern(out, name, length);
		fputs(after, out);
	}
}

static void print_symbol(FILE *out, const char *name)
{
	/* a list of lines has no place for others */
	if (!strchr(name, '\n'))
		fprintf(out, "%s\n", name);
}

static void print_section_lines(FILE *out, const char *name)
{
	print_sections(out, name, "", "\n");
}

static void print_statements(FILE *out, const char *name)
{
	print_sections(out, name, "    *(\"", "\")\n");
}

/* Call @print for each function, hottest first. Return: 0 or -ENOMEM. */
static int print_each(FILE *out, const struct code *code, void (*print)(FILE *, const char *))
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
		print(out, all[i].function->symbol);
	free(all);
	return 0;
}

int export_order(FILE *out, struct code *code)
{
	return print_each(out, code, print_symbol);
}

int export_order_sections(FILE *out, struct code *code)
{
	return print_each(out, code, print_section_lines);
}

int export_order_script(FILE *out, struct code *code)
{
	int error;

	/* the script of the linker still has all the other sections */
	fputs("SECTIONS\n{\n  .text.ordered :\n  {\n", out);
	error = print_each(out, code, print_statements);
	fputs("  }\n}\nINSERT BEFORE .text;\n", out);
	return error;
}
