// SPDX-License-Identifier: GPL-2.0-only
/*
 * The source lines and instructions of functions with a large share, for the page.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export/html.h"
#include "profile/share.h"
#include "report/disassembler.h"
#include "report/instructions.h"
#include "report/line_sums.h"
#include "report/source_text.h"
#include "util/escape.h"
#include "util/shorten.h"

#define MIN_PERCENT	0.5

/* So many lines and instructions are in a page at most: some 700 kB. */
#define MAX_ROWS	10000

#define NAME_COLUMNS	48	/* of a function beside an instruction */

/**
 * struct code - the code of a function that is being printed
 * @sources:    text of the source files
 * @doubt:      why the text of the file is left out: the page is passed on; NULL: it is not
 * @rows:       number of rows that were printed for all functions
 * @problem:    why it has no instructions; NULL: it has
 * @line:       source line that was printed last; without a file: none
 */
struct code {
	struct json *json;
	const struct symbolized *symbolized;
	struct source_text *sources;
	const char *doubt;
	size_t rows;
	struct section section;
	const char *problem;
	struct source_line line;
};

/* --- source ---------------------------------------------------------------------- */

/* Print a line of source without its newline, in quotes. Return: 0 or -ENOMEM. */
static int print_text(FILE *out, const char *line)
{
	char *text = strndup(line, strcspn(line, "\r\n"));

	if (!text)
		return -ENOMEM;
	escape_json(out, text);
	free(text);
	return 0;
}

/*
 * Print a line. @sum: its samples; NULL: it has none. Return: 0; 1: the file has no such line, and
 * it has no samples; or -ENOMEM.
 */
static int print_line(struct code *code, const char *file, int number, const struct line_sum *sum)
{
	const char *text = code->doubt ? NULL : source_text_line(code->sources, file, number);

	if (!text && !sum)
		return 1;
	json_next(code->json);
	code->rows++;
	fprintf(code->json->out, "[%d,%" PRIu64 ",", number, sum ? sum->samples : 0);
	if (!text)
		fputs("null", code->json->out);
	else if (print_text(code->json->out, text))
		return -ENOMEM;
	if (sum && sum->with_inlined != sum->samples)
		fprintf(code->json->out, ",%" PRIu64, sum->with_inlined);
	putc(']', code->json->out);
	return 0;
}

/* Print lines @from up to @to, which have no samples. Return: 0 or -ENOMEM. */
static int print_context(struct code *code, const char *file, int from, int to)
{
	int error = 0;

	while (from < to && error >= 0)
		error = print_line(code, file, from++, NULL);
	return error < 0 ? error : 0;
}

/* Print the lines with samples, which are all of one file, and those near. */
static int print_lines(struct code *code, const struct line_sum *lines, size_t nr)
{
	const char *file = lines[0].source.file;
	int next = 0, error = 0;
	size_t i;

	for (i = 0; !error && i < nr; i++) {
		const int number = lines[i].source.line;
		int from = number > ANNOTATION_CONTEXT ? number - ANNOTATION_CONTEXT : 1;

		if (from < next)
			from = next;
		error = print_context(code, file, from, number);
		if (!error)
			error = print_line(code, file, number, &lines[i]);
		if (error || number > INT32_MAX - ANNOTATION_CONTEXT - 1)
			break;
		next = number + 1 + ANNOTATION_CONTEXT;
		if (i + 1 < nr && lines[i + 1].source.line < next)
			next = lines[i + 1].source.line;
		error = print_context(code, file, number + 1, next);
	}
	return error;
}

static int print_file(struct code *code, const struct line_sum *lines, size_t nr)
{
	const char *path = lines[0].source.file;
	char *title = NULL;
	int error;

	code->doubt = source_text_doubt(code->sources, path, lines[0].object, lines[0].address);
	if (code->doubt && asprintf(&title, "%s: %s", path, code->doubt) < 0)
		return -ENOMEM;
	json_next(code->json);
	json_enter(code->json, '{');
	json_string(code->json, "path", title ? title : path);
	free(title);
	json_member(code->json, "lines");
	json_enter(code->json, '[');
	error = print_lines(code, lines, nr);
	json_leave(code->json, ']');
	json_leave(code->json, '}');
	return error;
}

static int print_files(struct code *code, const struct line_sums *annotation)
{
	size_t first, next;
	int error = 0;

	json_number(code->json, "lineless", annotation->unknown);
	json_member(code->json, "files");
	json_enter(code->json, '[');
	for (first = 0; !error && first < annotation->nr; first = next) {
		for (next = first + 1; next < annotation->nr; next++)
			if (strcmp(annotation->lines[first].source.file,
				   annotation->lines[next].source.file))
				break;
		error = print_file(code, annotation->lines + first, next - first);
	}
	json_leave(code->json, ']');
	return error;
}

static int print_source(struct code *code)
{
	struct line_sums annotation = { 0 };
	const struct section *section = &code->section;
	int error = 0;
	size_t i;

	for (i = 0; !error && i < section->nr_counts; i++)
		error = line_sums_add(&annotation, code->symbolized->files, section->object,
				      section->counts[i].address, section->counts[i].samples,
				      NULL);
	if (!error) {
		line_sums_sort(&annotation);
		error = print_files(code, &annotation);
	}
	line_sums_release(&annotation);
	return error;
}

/* --- instructions ---------------------------------------------------------------- */

/* Print a name as short as beside an instruction of a listing. Return: 0 or -ENOMEM. */
static int print_name(struct code *code, FILE *out, const char *text, size_t length)
{
	symbolize_demangle_fn *demangle = code->symbolized->demangle;
	char *symbol = strndup(text, length);
	char *name = symbol && demangle ? demangle(symbol) : NULL;
	char *shortened = symbol ? shorten_function(name ? name : symbol, NAME_COLUMNS) : NULL;
	const int error = shortened ? 0 : -ENOMEM;

	if (shortened)
		fputs(shortened, out);
	free(shortened);
	free(name);
	free(symbol);
	return error;
}

/* Print the function that a jump out of this one leads to. Return: 0 or -ENOMEM. */
static int print_target(struct code *code, FILE *out, uint64_t target)
{
	const struct function *from = &code->section.function;
	struct function to;
	int found;

	if (!target || (target >= from->start && target < from->end))
		return 0;
	found = symbols_find(code->symbolized->files, code->section.object, target, &to);
	/* the name of a section ("[.plt]") says nothing */
	if (found != 1 || !to.name || to.name[0] == '[')
		return found < 0 ? found : 0;
	fputs("  ", out);
	found = print_name(code, out, to.name, (size_t)to.length);
	if (target != to.start)
		fprintf(out, "+%#" PRIx64, target - to.start);
	return found;
}

static int print_instruction(struct code *code, FILE *out, const struct instruction *instruction)
{
	fprintf(out, instruction->operands[0] ? "%-7s %s" : "%s%s", instruction->mnemonic,
		instruction->operands);
	return print_target(code, out, instruction->target);
}

/* Print the source line of an address, unless it was printed last. */
static int print_place(struct code *code, FILE *out, uint64_t address)
{
	struct source_frame frames[SYMBOLS_MAX_FRAMES];
	const char *slash;
	size_t nr;
	int found;

	found = symbols_frames(code->symbolized->files, code->section.object, address, frames, &nr);
	if (found <= 0 || !frames[0].file ||
	    (frames[0].file == code->line.file && frames[0].line == code->line.line))
		return found < 0 ? found : 0;
	code->line = (struct source_line){ frames[0].file, frames[0].line };
	slash = strrchr(frames[0].file, '/');
	fprintf(out, "%s:%d", slash ? slash + 1 : frames[0].file, frames[0].line);
	if (nr == 1 || !frames[0].function)
		return 0;
	fputs(" ", out);
	return print_name(code, out, frames[0].function, strlen(frames[0].function));
}

/* Print what was written to a stream, in quotes. */
static int print_stream(struct code *code, FILE *stream, char **text, int error)
{
	if (fclose(stream) && !error)
		error = -ENOMEM;
	if (!error) {
		putc(',', code->json->out);
		escape_json(code->json->out, *text);
	}
	free(*text);
	return error;
}

/* Print an address, its samples, the instruction, and the source line if it is another one. */
static int print_shown(void *data, const struct shown_instruction *shown)
{
	struct code *code = data;
	char *text = NULL;
	size_t size;
	FILE *out;
	int error = 0;

	if (shown->after_gap) {
		json_next(code->json);
		fputs("null", code->json->out);
		code->line = (struct source_line){ 0 };
	}
	json_next(code->json);
	code->rows++;
	fprintf(code->json->out, "[\"%" PRIx64 "\",%" PRIu64, shown->address, shown->samples);
	out = open_memstream(&text, &size);
	if (!out)
		return -ENOMEM;
	if (shown->instruction)
		error = print_instruction(code, out, shown->instruction);
	error = print_stream(code, out, &text, error);
	out = error ? NULL : open_memstream(&text, &size);
	if (!out)
		return -ENOMEM;
	error = print_place(code, out, shown->address);
	error = print_stream(code, out, &text, error);
	putc(']', code->json->out);
	return error;
}

static int print_instructions(struct code *code)
{
	struct instructions instructions = {
		.section = &code->section, .show = print_shown, .data = code,
	};
	struct symbols *symbols = code->symbolized->files;
	const char *problem = NULL;
	Elf *elf = NULL;
	int error;

	/* the result has lines only for addresses with samples, and no code */
	symbols_prefer_file(symbols, code->section.object);
	error = symbols_elf(symbols, code->section.object, &elf, &problem);
	if (error < 0)
		return error;
	instructions.disassembler = error ? disassembler_new(elf, &problem) : NULL;
	json_string(code->json, "problem", instructions.disassembler ? NULL : problem);
	json_member(code->json, "instructions");
	json_enter(code->json, '[');
	code->line = (struct source_line){ 0 };
	error = instructions_show(&instructions);
	json_leave(code->json, ']');
	disassembler_free(instructions.disassembler);
	return error;
}

/* --- functions ------------------------------------------------------------------- */

/* Whether a function matters, and has code */
static bool is_wanted(const struct symbolized *symbolized,
		      const struct symbolized_function *function)
{
	return !function->is_rest &&
	       result_is_file(&symbolized->result->objects[function->object]) &&
	       share_percent(function->samples, result_samples(symbolized->result)) >= MIN_PERCENT;
}

static int find_section(struct code *code, const struct symbolized_function *function)
{
	const struct result_object *object = &code->symbolized->result->objects[function->object];
	struct section *section = &code->section;
	size_t i;
	int found;

	*section = (struct section){
		.object = function->object,
		.function = { .start = function->start, .end = object->end },
		.belonging = BELONGS_OWN,
		.samples = function->samples,
		.counts = calloc(function->nr_counts, sizeof(*section->counts)),
		.nr_counts = function->nr_counts,
	};
	if (!section->counts)
		return -ENOMEM;
	for (i = 0; i < function->nr_counts; i++)
		section->counts[i] = object->counts[function->counts[i]];
	found = symbols_find(code->symbolized->files, function->object, section->counts[0].address,
			     &section->function);
	return found < 0 ? found : 0;
}

static int print_function(struct code *code, size_t i, const size_t *rows)
{
	const struct symbolized_function *function = &code->symbolized->functions[i];
	int error = find_section(code, function);

	json_next(code->json);
	json_enter(code->json, '{');
	json_number(code->json, "function", i);
	json_number(code->json, "row", rows ? rows[i] : i);
	if (!error)
		error = print_source(code);
	if (!error)
		error = print_instructions(code);
	json_leave(code->json, '}');
	free(code->section.counts);
	return error;
}

int html_code_print(struct json *json, const struct symbolized *symbolized, const size_t *rows)
{
	struct code code = { .json = json, .symbolized = symbolized };
	size_t *sorted = symbolized_by_samples(symbolized), i;
	int error = 0;

	code.sources = source_text_new(symbolized->root, symbolized->result,
				       symbolized->files);
	if (!sorted || !code.sources)
		error = -ENOMEM;
	json_member(json, "code");
	json_enter(json, '[');
	for (i = 0; !error && symbolized->files && i < symbolized->nr_functions; i++) {
		if (code.rows < MAX_ROWS &&
		    is_wanted(symbolized, &symbolized->functions[sorted[i]]))
			error = print_function(&code, sorted[i], rows);
	}
	json_leave(json, ']');
	source_text_free(code.sources);
	free(sorted);
	return error;
}
