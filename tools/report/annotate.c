// SPDX-License-Identifier: GPL-2.0-only
/*
 * The source of a function, with the samples of each line. Of each file that the function has code
 * from, the lines with samples are printed, and some around them: a function may be long.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "profile/share.h"
#include "report/annotate.h"
#include "report/line_sums.h"
#include "report/listing.h"
#include "report/source_text.h"
#include "symbol/demangle.h"
#include "util/shorten.h"

#define FIGURES		28	/* terminal columns before the source */
#define WITH_INLINED	14	/* columns more */

/* What is printed */
struct annotation {
	FILE *out;
	const struct annotate_options *options;
	struct source_text *sources;
	uint64_t all;		/* samples of the result */
	bool has_inlined;	/* see struct line_sums */
};

static void print_title(const struct annotation *annotation, const struct line_sum *line)
{
	const struct terminal_style *style = &annotation->options->style;
	const char *path = line->source.file;
	const char *problem = source_text_problem(annotation->sources, path);
	const char *doubt = source_text_doubt_once(annotation->sources, path, line->object,
						   line->address);
	char *opened = doubt ? realpath(path, NULL) : NULL;

	fputs("#\n", annotation->out);
	terminal_print_comment(annotation->out, style, "# %s%s%s%s", opened ? opened : path,
			       problem || doubt ? ": " : "", problem ? problem : doubt ? doubt : "",
			       !problem ? "" :
			       ": no source text (use --root if the source is elsewhere)");
	free(opened);
}

/* @number: 0: no line; @line: its samples; NULL: it has none */
static void print_line(const struct annotation *annotation, int number,
		       const struct line_sum *line, const char *text)
{
	const struct terminal_style *style = &annotation->options->style;
	const bool both = annotation->has_inlined;
	FILE *out = annotation->out;

	terminal_begin(out, style, terminal_share_color(
		line ? share_percent(line->with_inlined, annotation->all) : 0));
	if (line)
		fprintf(out, "  %7.2f %9" PRIu64, share_percent(line->samples, annotation->all),
			line->samples);
	else
		fprintf(out, "  %7s %9s", "", "");
	if (both && line)
		fprintf(out, " %*" PRIu64, WITH_INLINED - 1, line->with_inlined);
	else if (both)
		fprintf(out, "%*s", WITH_INLINED, "");
	terminal_end(out, style);
	if (number)
		fprintf(out, " %6d  ", number);
	else
		fprintf(out, " %6s  ", "?");
	source_text_print(out, style, text, FIGURES + (both ? WITH_INLINED : 0));
	putc('\n', out);
}

/* Whether a line is near one with samples. @i: index of the first of @lines at or after @number */
static bool is_near(const struct line_sum *lines, size_t nr, size_t i, int number)
{
	return (i < nr && lines[i].source.line - number <= ANNOTATION_CONTEXT) ||
	       (i && number - lines[i - 1].source.line <= ANNOTATION_CONTEXT);
}

/* Print the source near each of @lines, which are all of one file. */
static void print_lines(const struct annotation *annotation, const struct line_sum *lines,
			size_t nr)
{
	const struct terminal_style *style = &annotation->options->style;
	const char *file = lines[0].source.file;
	bool is_gap = false, has_text = !source_text_problem(annotation->sources, file);
	int number = 0;
	size_t i = 0;

	/* the first condition is not on @number, because the last line may be INT_MAX */
	while (i < nr || (has_text && is_near(lines, nr, i, number + 1))) {
		bool had_text = has_text, is_line;
		const char *text = NULL;

		if (has_text)
			text = source_text_line(annotation->sources, file, number + 1);
		has_text = text;
		if (!has_text && i == nr)
			break;
		number++;
		if (had_text && !has_text)
			terminal_print_comment(annotation->out, style,
					       "# the file ends before line %d, so it is not the one that was compiled (use --root if the source is elsewhere)",
					       number);
		/* without text, print only the lines with samples */
		if (!has_text)
			number = lines[i].source.line;
		is_line = i < nr && number == lines[i].source.line;
		if (is_near(lines, nr, i, number))
			print_line(annotation, number, is_line ? &lines[i] : NULL,
				   has_text ? text : "");
		else if (i && !is_gap)
			fprintf(annotation->out, "%*s...\n",
				FIGURES + (annotation->has_inlined ? WITH_INLINED : 0), "");
		is_gap = !is_near(lines, nr, i, number);
		i += is_line;
	}
}

/* Before the lines of a file is line 0, code that the compiler generated for no line. */
static void print_file(const struct annotation *annotation, const struct line_sum *lines, size_t nr)
{
	print_title(annotation, &lines[0]);
	if (!lines[0].source.line) {
		print_line(annotation, 0, &lines[0], "(no line)");
		lines++;
		nr--;
	}
	if (nr)
		print_lines(annotation, lines, nr);
}

void annotate_print_share(FILE *out, const struct annotate_options *options, uint64_t samples,
			  uint64_t all)
{
	char *name = shorten_function(options->function, TERMINAL_NAME);

	terminal_print_comment(out, &options->style, "# %" PRIu64 " of %" PRIu64 " samples are in %s",
			       samples, all, name ? name : options->function);
	free(name);
}

/* Return: 0 or -ENOMEM. */
static int print_annotation(FILE *out, const struct line_sums *annotation,
			    const struct result *result, struct symbols *symbols,
			    const struct annotate_options *options)
{
	const uint64_t samples = result_samples(result);
	const struct annotation printed = {
		.out = out, .options = options, .all = samples,
		.sources = source_text_new(options->root, result, symbols),
		.has_inlined = annotation->has_inlined,
	};
	size_t first, next;

	if (!printed.sources)
		return -ENOMEM;

	annotate_print_share(out, options, annotation->samples, samples);
	if (annotation->nr_inlined)
		terminal_print_comment(out, &options->style,
				       "# %" PRIu64 " of them are in code that is inlined into other functions",
				       annotation->nr_inlined);
	if (annotation->unknown)
		terminal_print_comment(out, &options->style,
				       "# %" PRIu64 " of them have no known line%s",
				       annotation->unknown, annotation->problem ? "" :
				       ": compile with -g, or install the debug symbols of the package");
	if (annotation->problem)
		terminal_print_comment(out, &options->style, "# %s", annotation->problem);
	if (annotation->nr && !annotation->has_inlined)
		fprintf(out, "#\n# %7s %9s %6s  source\n", "percent", "samples", "line");
	else if (annotation->nr)
		fprintf(out, "#\n# %7s %9s %*s %6s  source\n", "percent", "self",
			WITH_INLINED - 1, "with inlined", "line");
	for (first = 0; first < annotation->nr; first = next) {
		for (next = first + 1; next < annotation->nr; next++)
			if (strcmp(annotation->lines[first].source.file,
				   annotation->lines[next].source.file))
				break;
		print_file(&printed, annotation->lines + first, next - first);
	}
	source_text_free(printed.sources);
	return 0;
}

/* Print the wanted functions, as instructions or source. Return: as annotate_print(). */
static long print_wanted(FILE *out, const struct result *result, struct symbols *symbols,
			 struct wanted *wanted, const struct annotate_options *options)
{
	struct line_sums annotation = { 0 };
	long functions;
	int error;

	if (options->instructions)
		return listing_print(out, result, symbols, wanted, options);
	error = line_sums_collect(&annotation, wanted, result, symbols);
	functions = annotation.functions;
	if (!error && functions)
		error = print_annotation(out, &annotation, result, symbols, options);
	line_sums_release(&annotation);
	return error ? error : functions;
}

/* A function with samples, whose code has neighbours in other functions if it was optimized */
struct part {
	size_t object;
	struct function function;
	uint64_t samples;
};

/*
 * Print how many samples a function has, if it is a part or a copy of a wanted one, as "serve.cold"
 * of "serve". @base: what is wanted, without a suffix. Return: 0 or -ENOMEM.
 */
static int print_part(FILE *out, const struct part *part, const struct wanted *base,
		      const struct annotate_options *options)
{
	char *symbol = strndup(part->function.name, (size_t)part->function.length);
	char *without = symbol ? shorten_copy(symbol) : NULL, *name = NULL;
	int error = without ? 0 : -ENOMEM;

	/* the hash of a Rust function, within its symbol, is no suffix */
	if (without && !strncmp(symbol, without, strlen(without)) &&
	    wanted_is_named(base, without)) {
		name = options->keep_mangled ? NULL : demangle(symbol);
		error = terminal_print_comment(out, &options->style,
					       "# %" PRIu64 " more sample%s in %s, which is of the same source",
					       part->samples, part->samples == 1 ? " is" : "s are",
					       name ? name : symbol);
	}
	free(name);
	free(without);
	free(symbol);
	return error;
}

/* Do this for all functions that are not wanted. Return: 0 or -ENOMEM. */
static int print_parts(FILE *out, const struct result *result, struct symbols *symbols,
		       struct wanted *wanted, const struct annotate_options *options)
{
	char *name = shorten_copy(wanted->name);
	const struct wanted base = { .name = name, .keep_mangled = wanted->keep_mangled };
	struct part part = { 0 }, next;
	int error = name ? 0 : -ENOMEM;
	size_t i, k;

	for (i = 0; i < result->nr_objects; i++)
		for (k = 0; !error && k < result->objects[i].nr_counts; k++) {
			const struct result_count *count = &result->objects[i].counts[k];
			int found;

			next = (struct part){ .object = i };
			found = wanted_find(wanted, symbols, i, count->address, &next.function);
			if (found < 0)
				error = found;
			if (found || !next.function.name)
				continue;
			/* the counts of a function are consecutive */
			if (part.samples && (part.object != i ||
					     part.function.start != next.function.start)) {
				error = print_part(out, &part, &base, options);
				part = (struct part){ 0 };
			}
			next.samples = part.samples + count->samples;
			part = next;
		}
	if (!error && part.samples)
		error = print_part(out, &part, &base, options);
	free(name);
	return error;
}

long annotate_print(FILE *out, const struct result *result, struct symbols *symbols,
		    const struct annotate_options *options)
{
	struct wanted wanted = {
		.name = options->function,
		.keep_mangled = options->keep_mangled,
		.inlined = options->inlined,
	};
	long functions = print_wanted(out, result, symbols, &wanted, options);
	int way;

	/* where it is inlined; then, what has no more of its name than the user has typed */
	for (way = wanted.inlined; !functions && way < 2; way++) {
		wanted_release(&wanted);
		wanted.inlined = true;
		wanted.bare = way;
		functions = print_wanted(out, result, symbols, &wanted, options);
	}
	if (functions > 0 && print_parts(out, result, symbols, &wanted, options))
		functions = -ENOMEM;
	wanted_release(&wanted);
	return functions;
}
