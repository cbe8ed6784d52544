// SPDX-License-Identifier: GPL-2.0-only
/*
 * The instructions of functions, with the samples of each, below the source lines that they are
 * from.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "profile/share.h"
#include "report/disassembler.h"
#include "report/instructions.h"
#include "report/listing.h"
#include "report/sections.h"
#include "report/source_text.h"
#include "symbol/demangle.h"
#include "util/shorten.h"

#define FIGURES		33	/* terminal columns before the instruction */

#define NAME_COLUMNS	32	/* of a function beside an instruction or a line */

/* A section that is printed */
struct listing {
	FILE *out;
	const struct annotate_options *options;
	struct symbols *symbols;
	struct wanted *wanted;
	struct source_text *sources;
	const struct section *section;
	uint64_t all;		/* samples of the result */
	struct source_line source;	/* that was printed last; without a file: none */
	int error;
};

/* Print a name as short as in a narrow table: it is beside other text. Return: columns printed. */
static int print_name(struct listing *listing, const char *text, size_t length)
{
	char *symbol = strndup(text, length);
	char *name = symbol && !listing->options->keep_mangled ? demangle(symbol) : NULL;
	char *shortened = symbol ? shorten_function(name ? name : symbol, NAME_COLUMNS) : NULL;
	int columns = shortened ? terminal_print_name(listing->out, shortened) : 0;

	if (!shortened)
		listing->error = -ENOMEM;
	free(shortened);
	free(name);
	free(symbol);
	return columns;
}

/* Print a line of source, and of the frame that has it the function, if it is @inlined. */
static void print_frame(struct listing *listing, const struct source_frame *frame,
			uint64_t address, bool inlined)
{
	const struct terminal_style *style = &listing->options->style;
	const char *name = strrchr(frame->file, '/');
	const char *text = source_text_line(listing->sources, frame->file, frame->line);
	const char *doubt = source_text_doubt_once(listing->sources, frame->file,
						   listing->section->object, address);
	int columns;

	if (doubt)
		terminal_print_comment(listing->out, style, "# %s: %s", frame->file, doubt);
	terminal_begin(listing->out, style, TERMINAL_FAINT);
	columns = fprintf(listing->out, "%*s", FIGURES, "");
	columns += terminal_print_name(listing->out, name ? name + 1 : frame->file);
	columns += frame->line ? fprintf(listing->out, ":%d", frame->line) :
				 fprintf(listing->out, ":?");
	if (inlined && frame->function) {
		columns += fprintf(listing->out, " (");
		columns += print_name(listing, frame->function, strlen(frame->function));
		columns += fprintf(listing->out, ")");
	}
	if (text && (!style->columns || columns + 8 < style->columns)) {
		columns += fprintf(listing->out, "  ");
		source_text_print(listing->out, style, text + strspn(text, " \t"), columns);
	}
	terminal_end(listing->out, style);
	putc('\n', listing->out);
}

/* Print the source line of an address, unless it was printed last. */
static void print_source(struct listing *listing, uint64_t address)
{
	struct source_frame frames[SYMBOLS_MAX_FRAMES];
	size_t nr;
	int found;

	found = symbols_frames(listing->symbols, listing->section->object, address, frames, &nr);
	if (found < 0)
		listing->error = found;
	if (found <= 0 || !frames[0].file ||
	    (frames[0].file == listing->source.file && frames[0].line == listing->source.line))
		return;
	listing->source = (struct source_line){ frames[0].file, frames[0].line };
	print_frame(listing, &frames[0], address, nr > 1);
}

/* Print the function that a jump out of this one leads to. */
static void print_target(struct listing *listing, uint64_t target)
{
	const struct function *from = &listing->section->function;
	struct function to;
	int found;

	if (!target || (target >= from->start && target < from->end))
		return;
	found = symbols_find(listing->symbols, listing->section->object, target, &to);
	if (found < 0)
		listing->error = found;
	/* the name of a section ("[.plt]") says nothing */
	if (found != 1 || !to.name || to.name[0] == '[')
		return;
	fputs("  <", listing->out);
	print_name(listing, to.name, (size_t)to.length);
	if (target != to.start)
		fprintf(listing->out, "+%#" PRIx64, target - to.start);
	putc('>', listing->out);
}

static int print_row(void *data, const struct shown_instruction *shown)
{
	struct listing *listing = data;
	const double percent = share_percent(shown->samples, listing->all);
	const struct terminal_style *style = &listing->options->style;
	const struct instruction *instruction = shown->instruction;

	if (shown->after_gap) {
		fprintf(listing->out, "%*s...\n", FIGURES, "");
		listing->source = (struct source_line){ 0 };
	}
	print_source(listing, shown->address);
	terminal_begin(listing->out, style, terminal_share_color(percent));
	if (shown->samples)
		fprintf(listing->out, "  %7.2f %9" PRIu64, percent, shown->samples);
	else
		fprintf(listing->out, "  %7s %9s", "", "");
	terminal_end(listing->out, style);
	fprintf(listing->out, " %11" PRIx64 "  ", shown->address);
	if (instruction) {
		fprintf(listing->out, instruction->operands[0] ? "%-7s %s" : "%s%s",
			instruction->mnemonic, instruction->operands);
		print_target(listing, instruction->target);
	}
	putc('\n', listing->out);
	return listing->error;
}

/* Whether an instruction without samples is of the wanted function, or inlined there. */
static int is_wanted(void *data, uint64_t address)
{
	struct listing *listing = data;
	struct function function;
	int found;

	if (listing->section->belonging == BELONGS_OWN)
		return 1;
	found = wanted_find(listing->wanted, listing->symbols, listing->section->object, address,
			    &function);
	return found < 0 ? found : found > BELONGS_NOT;
}

static void print_title(struct listing *listing, const char *path, const char *problem)
{
	const struct terminal_style *style = &listing->options->style;
	const struct function *function = &listing->section->function;
	char *name = function->name ? strndup(function->name, (size_t)function->length) : NULL;
	char *demangled = name && !listing->options->keep_mangled ? demangle(name) : NULL;
	const char *shown = demangled ? demangled : name;

	fputs("#\n", listing->out);
	terminal_print_comment(listing->out, style, "# %s: %s%s%#" PRIx64 ": %" PRIu64 " sample%s%s",
			       path, shown ? shown : "", shown ? " at " : "", function->start,
			       listing->section->samples, listing->section->samples == 1 ? "" : "s",
			       listing->section->belonging == BELONGS_INLINED ?
			       " in inlined code" : "");
	if (problem)
		terminal_print_comment(listing->out, style, "# %s: no instructions: %s", path,
				       problem);
	free(demangled);
	free(name);
}

/* Return: 0 or -ENOMEM. */
static int print_section(struct listing *listing, const char *path)
{
	struct instructions instructions = {
		.section = listing->section, .all = listing->options->all,
		.is_wanted = is_wanted, .show = print_row, .data = listing,
	};
	const char *problem = NULL;
	Elf *elf = NULL;
	int found;

	/* the result has lines only for addresses with samples, and no code */
	symbols_prefer_file(listing->symbols, listing->section->object);
	found = symbols_elf(listing->symbols, listing->section->object, &elf, &problem);
	if (found < 0)
		return found;
	instructions.disassembler = found ? disassembler_new(elf, &problem) : NULL;
	print_title(listing, path, instructions.disassembler ? NULL : problem);
	found = instructions_show(&instructions);
	disassembler_free(instructions.disassembler);
	return found;
}

static void print_head(FILE *out, const struct sections *sections, uint64_t all,
		       const struct annotate_options *options)
{
	uint64_t samples = 0, inlined = 0;
	size_t i;

	for (i = 0; i < sections->nr; i++) {
		samples += sections->list[i].samples;
		if (sections->list[i].belonging == BELONGS_INLINED)
			inlined += sections->list[i].samples;
	}
	annotate_print_share(out, options, samples, all);
	if (inlined)
		terminal_print_comment(out, &options->style,
				       "# %" PRIu64 " of them are in code that is inlined into other functions",
				       inlined);
	fprintf(out, "#\n# %7s %9s %11s  instruction\n", "percent", "samples", "address");
}

long listing_print(FILE *out, const struct result *result, struct symbols *symbols,
		   struct wanted *wanted, const struct annotate_options *options)
{
	struct source_text *sources = source_text_new(options->root, result, symbols);
	struct sections sections = { 0 };
	int error = sources ? sections_collect(&sections, result, symbols, wanted) : -ENOMEM;
	const long nr = (long)sections.nr;
	size_t i;

	if (!error && sections.nr)
		print_head(out, &sections, result_samples(result), options);
	for (i = 0; !error && i < sections.nr; i++) {
		struct listing listing = {
			.out = out, .options = options, .symbols = symbols, .wanted = wanted,
			.sources = sources, .section = &sections.list[i],
			.all = result_samples(result),
		};

		error = print_section(&listing, result->objects[sections.list[i].object].path);
	}
	sections_release(&sections);
	source_text_free(sources);
	return error ? error : nr;
}
