// SPDX-License-Identifier: GPL-2.0-only
/*
 * The source of a function, with the samples of each line. First, the samples of the function
 * are collected by line, including lines of other files from which code was inlined. Then each
 * of these files is printed, from the first to the last line that the function has code from.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/share.h"
#include "report/annotate.h"
#include "symbol/demangle.h"
#include "symbol/symbolize.h"
#include "util/escape.h"
#include "util/objectfile.h"

/* Lines without code that are shown before and after those with code */
#define CONTEXT	4

#define FIGURES	28	/* terminal columns before the source */

#define TAB	8	/* terminal columns from one tab stop to the next */

/*
 * Lines without samples are looked up at this many addresses at most, because the functions of
 * a damaged file may have any size.
 */
#define MAX_ADDRESSES	(1 << 20)

/* A line that the function has code from; @samples may be 0 */
struct line {
	struct source_line source;
	uint64_t samples;
};

/* The lines of all functions with the name */
struct annotation {
	struct line *lines;
	size_t nr;
	size_t room;
	uint64_t samples;
	uint64_t unknown;	/* samples without a known line; part of @samples */
	char *problem;		/* the first of symbols_explain_lines(); NULL: none */
	long functions;
	size_t addresses;	/* looked up so far, up to MAX_ADDRESSES */
	bool is_too_large;	/* some addresses were not looked up */
};

static int add_line(struct annotation *annotation, const struct source_line *source,
		    uint64_t samples)
{
	if (annotation->nr == annotation->room) {
		size_t room = annotation->room ? 2 * annotation->room : 64;
		struct line *lines = reallocarray(annotation->lines, room, sizeof(*lines));

		if (!lines)
			return -ENOMEM;
		annotation->lines = lines;
		annotation->room = room;
	}
	annotation->lines[annotation->nr++] = (struct line){ *source, samples };
	return 0;
}

static int compare_lines(const void *va, const void *vb)
{
	const struct line *a = va, *b = vb;
	int order = strcmp(a->source.file, b->source.file);

	if (order)
		return order;
	return a->source.line < b->source.line ? -1 : a->source.line > b->source.line;
}

static void merge_lines(struct annotation *annotation)
{
	size_t from, to = 0;

	if (!annotation->nr)
		return;
	qsort(annotation->lines, annotation->nr, sizeof(*annotation->lines), compare_lines);
	for (from = 1; from < annotation->nr; from++) {
		if (!compare_lines(&annotation->lines[to], &annotation->lines[from]))
			annotation->lines[to].samples += annotation->lines[from].samples;
		else
			annotation->lines[++to] = annotation->lines[from];
	}
	annotation->nr = to + 1;
}

/* Whether @name is @wanted. The user may omit the parameters of a C++ function. */
static bool has_name(const char *name, const char *wanted)
{
	size_t length = strlen(wanted);

	return !strncmp(name, wanted, length) && (!name[length] || name[length] == '(');
}

/* Whether the function's symbol or its demangled name is wanted. Return: 1, 0 or -ENOMEM. */
static int is_wanted(const struct function *function, const struct annotate_options *options)
{
	char *symbol, *name;
	int found;

	if (!function->name)
		return 0;
	symbol = strndup(function->name, (size_t)function->length);
	if (!symbol)
		return -ENOMEM;
	name = options->keep_mangled ? NULL : demangle(symbol);
	found = has_name(symbol, options->function) ||
		(name && has_name(name, options->function));
	free(name);
	free(symbol);
	return found;
}

/* Add the lines that the function has code from, with 0 samples. Return: 0 or -ENOMEM. */
static int add_code(struct annotation *annotation, const struct result *result,
		    struct symbols *symbols, size_t object,
		    const struct function *function)
{
	const struct result_object *bounds = &result->objects[object];
	uint64_t address = function->start, end = function->end;

	annotation->functions++;
	if (address < bounds->start)
		address = bounds->start;
	if (end > bounds->end)
		end = bounds->end;
	for (; address < end; address++) {
		struct source_line source;
		int found;

		if (annotation->addresses == MAX_ADDRESSES) {
			annotation->is_too_large = true;
			break;
		}
		annotation->addresses++;
		found = symbols_line(symbols, object, address, &source);
		if (found == 1)
			found = add_line(annotation, &source, 0);
		if (found < 0)
			return found;
	}
	return 0;
}

static int add_count(struct annotation *annotation, struct symbols *symbols, size_t object,
		     uint64_t address, uint64_t samples)
{
	struct source_line source;
	int found = symbols_line(symbols, object, address, &source);

	annotation->samples += samples;
	if (!found)
		annotation->unknown += samples;
	return found == 1 ? add_line(annotation, &source, samples) : found;
}

static int add_object(struct annotation *annotation, const struct result *result,
		      struct symbols *symbols, size_t i,
		      const struct annotate_options *options)
{
	const struct result_object *object = &result->objects[i];
	struct function function, last = { 0 };
	size_t count;
	int error;

	for (count = 0; count < object->nr_counts; count++) {
		const uint64_t address = object->counts[count].address;
		int found = symbols_find(symbols, i, address, &function);

		if (found == 1)
			found = is_wanted(&function, options);
		if (found < 0)
			return found;
		if (!found)
			continue;
		/* the counts of a function are consecutive */
		error = last.name && last.start == function.start ? 0 :
			add_code(annotation, result, symbols, i, &function);
		if (!error)
			error = add_count(annotation, symbols, i, address,
					  object->counts[count].samples);
		if (error)
			return error;
		last = function;
	}
	if (last.name && !annotation->problem)
		annotation->problem = symbols_explain_lines(symbols, i);
	return 0;
}

/*
 * Print the title of a source file and open it. Only regular files are opened, because the path
 * is from debug information. Return: NULL: it cannot be opened, and the reason was printed.
 */
static FILE *open_source(FILE *out, const char *path, const struct annotate_options *options)
{
	const char *why = NULL;
	FILE *source = NULL;
	int fd;

	fd = objectfile_open_below(options->root, path, &why);
	if (fd >= 0)
		source = fdopen(fd, "r");
	if (fd >= 0 && !source)
		close(fd);
	fputs("#\n", out);
	if (source)
		terminal_print_comment(out, &options->style, "# %s", path);
	else
		terminal_print_comment(out, &options->style,
				       "# %s: %s: no source text (use --root if the source is elsewhere)",
				       path, why ? why : "out of memory");
	return source;
}

/* Print a line of source without its newline, and with blanks for tabs. */
static void print_source(FILE *out, const struct terminal_style *style, const char *text)
{
	char *line = NULL;
	int columns = 0;
	size_t length;
	FILE *copy = open_memstream(&line, &length);

	if (!copy)
		return;
	while (*text && *text != '\n') {
		const char *from = text;

		if (*text == '\t') {
			columns += fprintf(copy, "%*s", TAB - columns % TAB, "");
			text++;
			continue;
		}
		columns += escape_columns(&text);
		fwrite(from, 1, (size_t)(text - from), copy);
	}
	/* long lines are cut on a terminal, but not in a pipe */
	if (!fclose(copy))
		terminal_print_cut(out, line,
				   style->rows && style->columns ? style->columns - FIGURES : 0);
	free(line);
}

/* @number: 0: no line */
static void print_line(FILE *out, int number, uint64_t samples, uint64_t all,
		       const char *text, const struct terminal_style *style)
{
	double percent = share_percent(samples, all);

	terminal_begin(out, style, terminal_share_color(percent));
	if (samples)
		fprintf(out, "  %7.2f %9" PRIu64, percent, samples);
	else
		fprintf(out, "  %7s %9s", "", "");
	terminal_end(out, style);
	if (number)
		fprintf(out, " %6d  ", number);
	else
		fprintf(out, " %6s  ", "?");
	print_source(out, style, text);
	putc('\n', out);
}

/* Whether a line is near one of the function. @i: the first of @lines at or after @number */
static bool is_near(const struct line *lines, size_t i, int number)
{
	return lines[i].source.line - number <= CONTEXT ||
	       (i && number - lines[i - 1].source.line <= CONTEXT);
}

/*
 * Print the source from the first to the last of @lines, which are all of one file. Before them is
 * line 0, code that the compiler generated for no line, if it has samples.
 */
static void print_file(FILE *out, const struct line *lines, size_t nr, uint64_t all,
		       const struct annotate_options *options)
{
	bool is_gap = false, has_ended = false;
	size_t room = 0, i = 0;
	char *text = NULL;
	FILE *source;
	int number = 0;

	if (nr == 1 && !lines[0].source.line && !lines[0].samples)
		return;
	source = open_source(out, lines[0].source.file, options);
	if (!lines[0].source.line) {
		if (lines[0].samples)
			print_line(out, 0, lines[0].samples, all, "(no line)", &options->style);
		lines++;
		nr--;
	}
	/* the condition is not on @number, because the last line may have the number INT_MAX */
	while (i < nr) {
		bool has_text = source && getline(&text, &room, source) > 0;
		bool is_line;

		number++;
		/* without text, print only the lines with code */
		if (!has_text) {
			if (source && !has_ended)
				terminal_print_comment(out, &options->style,
						       "# the file ends before line %d, so it is not the one that was compiled (use --root if the source is elsewhere)",
						       number);
			has_ended = true;
			number = lines[i].source.line;
		}
		if (number < lines[0].source.line)
			continue;
		is_line = number == lines[i].source.line;
		if (is_near(lines, i, number))
			print_line(out, number, is_line ? lines[i].samples : 0, all,
				   has_text ? text : "", &options->style);
		else if (!is_gap)
			fprintf(out, "  %24s  ...\n", "");
		is_gap = !is_near(lines, i, number);
		i += is_line;
	}
	free(text);
	if (source)
		fclose(source);
}

static void print_annotation(FILE *out, const struct annotation *annotation, uint64_t samples,
			     const struct annotate_options *options)
{
	size_t first, next;

	terminal_print_comment(out, &options->style, "# %" PRIu64 " of %" PRIu64 " samples are in %s",
			       annotation->samples, samples, options->function);
	if (annotation->unknown)
		terminal_print_comment(out, &options->style,
				       "# %" PRIu64 " of them have no known line%s",
				       annotation->unknown, annotation->problem ? "" :
				       ": compile with -g, or install the debug symbols of the package");
	if (annotation->problem)
		terminal_print_comment(out, &options->style, "# %s", annotation->problem);
	if (annotation->is_too_large)
		terminal_print_comment(out, &options->style,
				       "# the function is too large: lines without samples are from its first %d addresses only",
				       MAX_ADDRESSES);
	if (annotation->nr)
		fprintf(out, "#\n# %7s %9s %6s  source\n", "percent", "samples", "line");
	for (first = 0; first < annotation->nr; first = next) {
		for (next = first + 1; next < annotation->nr; next++)
			if (strcmp(annotation->lines[first].source.file,
				   annotation->lines[next].source.file))
				break;
		print_file(out, annotation->lines + first, next - first, samples, options);
	}
}

long annotate_print(FILE *out, const struct result *result, struct symbols *symbols,
		    const struct annotate_options *options)
{
	struct annotation annotation = { 0 };
	int error = 0;
	size_t i;

	for (i = 0; !error && i < result->nr_objects; i++)
		error = add_object(&annotation, result, symbols, i, options);
	if (!error && annotation.functions) {
		merge_lines(&annotation);
		print_annotation(out, &annotation, result_samples(result), options);
	}
	free(annotation.problem);
	free(annotation.lines);
	return error ? error : annotation.functions;
}
